// name: segments_unread
// mode: read
// Segments with pages that no promotion has read yet.
MATCH (s:Segment {user_id: $user_id})
WHERE s.archived = false AND s.hidden = false AND s.n_unread > 0
RETURN s {.segment_id, .n_visit, .l_interaction, .last_visit_at, .newest_event_at, .n_unread, .unread_since} AS segment

// name: unread_pages
// mode: read
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
MATCH (p:Page)-[m:IN_SEGMENT]->(s)
WHERE m.analysed_run IS NULL AND p.hidden = false
RETURN p {.*, embedding: null} AS page
ORDER BY p.seq LIMIT $limit

// name: pages_unchanged
// mode: read
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
WHERE p.content_hash = row.content_hash AND p.hidden = false
RETURN count(p) AS unchanged

// name: facts_of_predicates
// mode: read
// Facts that new claims may repeat or change, with the exact spans that carry them.
MATCH (f:Fact {user_id: $user_id})
WHERE f.predicate IN $predicates AND f.retired_at = $never AND f.hidden = false
OPTIONAL MATCH (f)-[d:DERIVED_FROM]->(p:Page)
WITH f, collect({page_id: p.page_id, side: d.side, start: d.start, end: d.end}) AS sources
RETURN f {.fact_id, .subject, .predicate, .object, .valid_from, .valid_to, .confidence, .support, .version, .status, .denies} AS fact, sources

// name: write_facts
// mode: write
UNWIND $facts AS row
CREATE (f:Fact {user_id: $user_id, fact_id: row.fact_id})
SET f += row.properties, f.user_key = $user_key
WITH f, row
CALL db.create.setNodeVectorProperty(f, 'embedding', row.embedding)
WITH f
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
CREATE (r)-[:MADE]->(f)

// name: change_facts
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
SET f += row.properties

// name: write_sources
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
MERGE (f)-[d:DERIVED_FROM {side: row.side, start: row.start, end: row.end}]->(p)
ON CREATE SET d.quote = row.quote, d.origin = row.side, d.run_id = $run_id, d.at = $now

// name: write_supersedes
// mode: write
UNWIND $rows AS row
MATCH (a:Fact {user_id: $user_id, fact_id: row.newer})
MATCH (b:Fact {user_id: $user_id, fact_id: row.older})
MERGE (a)-[s:SUPERSEDES]->(b)
SET s.kind = row.kind, s.actor = $actor, s.at = $now

// name: mark_analysed
// mode: write
// The pages shown are read in this segment; its length counts anew once nothing is left unread.
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
UNWIND $page_ids AS page_id
MATCH (:Page {user_id: $user_id, page_id: page_id})-[m:IN_SEGMENT]->(s)
WHERE m.analysed_run IS NULL
SET m.analysed_run = $run_id
WITH s, count(m) AS read
SET s.n_unread = s.n_unread - read, s.heat = $heat, s.heat_at = $now
WITH s
SET s.l_interaction = CASE WHEN s.n_unread = 0 THEN 0 ELSE s.l_interaction END
RETURN s.n_unread AS n_unread

// name: add_visits
// mode: write
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
SET s.n_visit = s.n_visit + row.visits,
    s.last_visit_at = CASE WHEN s.last_visit_at IS NULL OR s.last_visit_at < row.at THEN row.at ELSE s.last_visit_at END
