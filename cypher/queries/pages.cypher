// name: lock_for_turns
// mode: write
// The user's lock, with all that is needed to place new turns: known ids and the open session of each conversation.
MERGE (u:User {user_id: $user_id})
ON CREATE SET u.user_key = $user_key, u.page_seq = 0, u.event_seq = 0, u.event_head = '', u.due_at = $never,
              u.forget_epoch = 0, u.failures = 0, u.created_at = $now, u.last_recorded_at = $now
SET u.lock = $lock
WITH u
CALL (u) {
  UNWIND $external_ids AS external_id
  MATCH (p:Page {user_id: $user_id, external_id: external_id})
  RETURN collect(p {.external_id, .request_key, .page_id, .seq, .state,
                    content_hash: coalesce(p.asked_hash, p.content_hash)}) AS by_id
}
CALL (u) {
  UNWIND $request_keys AS request_key
  MATCH (p:Page {user_id: $user_id, request_key: request_key})
  WHERE p.recorded_at > $requests_since
  RETURN collect(p {.external_id, .request_key, .page_id, .seq, .state,
                    content_hash: coalesce(p.asked_hash, p.content_hash)}) AS by_request
}
CALL (u) {
  UNWIND $conversation_ids AS conversation_id
  MATCH (c:Conversation {user_id: $user_id, conversation_id: conversation_id})
  MATCH (s:Session {user_id: $user_id, session_id: c.last_session_id})
  RETURN collect({conversation_id: conversation_id, session_id: s.session_id, last_at: s.last_at, n_pages: s.n_pages,
                  last_page_id: c.last_page_id}) AS open
}
CALL (u) {
  UNWIND $assistant_ids AS assistant_id
  MATCH (a:Assistant {user_id: $user_id, assistant_id: assistant_id})
  RETURN collect(a {.assistant_id, .system_keys}) AS assistants
}
CALL (u) {
  OPTIONAL MATCH (p:Page {user_id: $user_id, tier: 'stm'})
  USING INDEX p:Page(user_id, tier, seq)
  WHERE p.seq > 0 AND p.late IS NULL AND $oldest_event_time < u.newest_event_at
  WITH p ORDER BY p.seq LIMIT 100
  RETURN min(p.event_time) AS stm_from
}
RETURN u.page_seq AS page_seq, u.event_seq AS event_seq, u.event_head AS event_head, u.last_recorded_at AS last_recorded_at,
       u.tombstone_key AS tombstone_key, u.policy AS policy, u.importing IS NOT NULL AS importing,
       u.page_seq = 0 AND EXISTS { MATCH (x:Receipt {user_key: $user_key}) } AS left,
       by_id, by_request, open, assistants, stm_from

// name: store_turns
// mode: write
// The searchable text is set by the index step: a full-text index costs each commit more than all else (docs/decisions.md).
MATCH (u:User {user_id: $user_id})
SET u.page_seq = $page_seq, u.last_recorded_at = $recorded_at, u.event_seq = $event.seq, u.event_head = $event.hash,
    u.newest_event_at = CASE WHEN u.newest_event_at > $newest_event_at THEN u.newest_event_at ELSE $newest_event_at END,
    u.due_at = CASE WHEN u.due_at > $recorded_at THEN $recorded_at ELSE u.due_at END
CREATE (e:Event)
SET e = $event
WITH u
CALL (u) {
  UNWIND $conversations AS row
  MERGE (c:Conversation {user_id: $user_id, conversation_id: row.conversation_id})
  ON CREATE SET c.created_at = $recorded_at
  SET c.last_session_id = row.last_session_id, c.last_page_id = row.last_page_id
}
CALL (u) {
  UNWIND $assistants AS row
  MERGE (a:Assistant {user_id: $user_id, assistant_id: row.assistant_id})
  ON CREATE SET a.created_at = $recorded_at
  SET a.system_keys = row.system_keys
}
CALL (u) {
  UNWIND $sessions AS row
  MERGE (s:Session {user_id: $user_id, session_id: row.session_id})
  ON CREATE SET s.user_key = u.user_key, s.conversation_id = row.conversation_id, s.started_at = row.started_at
  SET s.last_at = row.last_at, s.n_pages = row.n_pages
}
CALL (u) {
  UNWIND $pages AS row
  MATCH (s:Session {user_id: $user_id, session_id: row.session_id})
  CREATE (p:Page)-[:IN_SESSION]->(s)
  SET p = row
}
CALL (u) {
  UNWIND $nexts AS row
  MATCH (a:Page {user_id: $user_id, page_id: row.before})
  MATCH (b:Page {user_id: $user_id, page_id: row.after})
  CREATE (a)-[:NEXT]->(b)
}

// name: pages_to_index
// mode: read
// The oldest pages without a vector, each with the page before it in its session, whose last side it is embedded with.
MATCH (p:Page {user_id: $user_id, state: 'stored'})
USING INDEX p:Page(user_id, state, seq)
WHERE p.seq > 0 AND p.hidden = false AND (p.next_try_at IS NULL OR p.next_try_at <= $due_before)
WITH p ORDER BY p.seq LIMIT $limit
OPTIONAL MATCH (before:Page)-[:NEXT]->(p)
RETURN p {.page_id, .seq, .user_input, .assistant_response, .tool_text, .content_hash, .attempts} AS page,
       before {.user_input, .assistant_response, .quarantined} AS before
ORDER BY p.seq

// name: index_due
// mode: read
// When the next page waits for its vector; null when none does.
MATCH (p:Page {user_id: $user_id, state: 'stored'})
USING INDEX p:Page(user_id, state, seq)
WHERE p.seq > 0 AND p.hidden = false
RETURN min(coalesce(p.next_try_at, $now)) AS due_at

// name: pages_without_text
// mode: read
// The newest pages that are not found by their words yet.
MATCH (p:Page {user_id: $user_id, state: 'stored'})
USING INDEX p:Page(user_id, state, seq)
WHERE p.seq > 0 AND p.text IS NULL AND p.hidden = false
RETURN p {.page_id, .user_input, .assistant_response, .tool_text, .content_hash} AS page
ORDER BY p.seq DESC LIMIT $limit

// name: write_text
// mode: write
// What needs no model: the page is found by its words from here on.
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
WHERE p.content_hash = row.content_hash AND p.hidden = false AND p.state = 'stored'
SET p.text = row.text, p.user_key = $user_key, p.keywords = row.keywords, p.time_words = row.time_words

// name: write_index
// mode: write
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
WHERE p.content_hash = row.content_hash AND p.hidden = false AND p.state = 'stored'
SET p.state = 'indexed'
REMOVE p.embedding_b
WITH p, row
CALL db.create.setNodeVectorProperty(p, 'embedding', row.vector)
RETURN count(p) AS indexed

// name: write_passages
// mode: write
// Windows of long pages; they carry what a vector search of pages filters by.
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
MERGE (x:Passage {user_id: $user_id, passage_id: row.passage_id})
SET x.side = row.side, x.start = row.start, x.end = row.end, x.archived = p.archived, x.hidden = p.hidden,
    x.conversation_id = p.conversation_id, x.assistant_id = p.assistant_id, x.event_time = p.event_time,
    x.recorded_at = p.recorded_at
REMOVE x.embedding_b
MERGE (p)-[:HAS_PASSAGE]->(x)
WITH x, row
CALL db.create.setNodeVectorProperty(x, 'embedding', row.vector)

// name: page_by_id
// mode: read
MATCH (p:Page {user_id: $user_id, page_id: $page_id})
WHERE p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page

// name: pages_listed
// mode: read
// Newest first, from below a seq.
MATCH (p:Page {user_id: $user_id})
WHERE p.seq < $below AND p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page ORDER BY p.seq DESC LIMIT $limit

// name: page_by_external_id
// mode: read
MATCH (p:Page {user_id: $user_id, external_id: $external_id})
WHERE p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page

// name: page_states
// mode: read
MATCH (u:User {user_id: $user_id})
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
RETURN p.page_id AS page_id, p.state AS state, p.tier AS tier, u.due_at <= $now AS due
