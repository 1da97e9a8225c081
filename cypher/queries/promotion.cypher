// name: segments_unread
// mode: read
// Segments with pages that no promotion has read yet.
MATCH (s:Segment {user_id: $user_id})
WHERE s.archived = false AND s.hidden = false AND s.n_unread > 0 AND coalesce(s.parked, false) = false
RETURN s {.segment_id, .n_visit, .l_interaction, .last_visit_at, .newest_event_at, .n_unread, .unread_since, .attempts,
          .next_try_at} AS segment

// name: unread_pages
// mode: read
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
MATCH (p:Page)-[m:IN_SEGMENT]->(s)
WHERE m.analysed_run IS NULL AND p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page
ORDER BY p.seq LIMIT $limit

// name: pages_unchanged
// mode: read
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
WHERE p.content_hash = row.content_hash AND p.hidden = false
RETURN count(p) AS unchanged

// name: mark_analysed
// mode: write
// The pages shown are read in this segment; its length, or that and its visits, count anew once nothing is left.
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
UNWIND $page_ids AS page_id
MATCH (:Page {user_id: $user_id, page_id: page_id})-[m:IN_SEGMENT]->(s)
WHERE m.analysed_run IS NULL
SET m.analysed_run = $run_id
WITH s, count(m) AS read
SET s.n_unread = s.n_unread - read, s.heat = $heat, s.heat_at = $now
WITH s
SET s.l_interaction = CASE WHEN s.n_unread = 0 THEN 0 ELSE s.l_interaction END,
    s.n_visit = CASE WHEN s.n_unread = 0 AND $reset_visits THEN 0 ELSE s.n_visit END
RETURN s.n_unread AS n_unread

// name: add_visits
// mode: write
// A visit may make a segment hot: one with unread pages makes its user due.
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
SET s.n_visit = s.n_visit + row.visits,
    s.last_visit_at = CASE WHEN s.last_visit_at IS NULL OR s.last_visit_at < row.at THEN row.at ELSE s.last_visit_at END
WITH max(s.n_unread) AS unread
WHERE unread > 0
MATCH (u:User {user_id: $user_id})
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END

// name: pages_unquoted
// mode: read
// Those of these pages that no fact was made from; none is made from orders to a language model.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false AND p.quarantined IS NULL AND NOT EXISTS { (:Fact)-[:DERIVED_FROM]->(p) }
RETURN p {.page_id, .user_input, .assistant_response, .event_time} AS page
