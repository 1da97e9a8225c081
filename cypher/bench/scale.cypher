// name: bench_pages
// mode: read
OPTIONAL MATCH (u:User {user_id: $user_id})
RETURN coalesce(u.page_seq, 0) AS pages

// name: load_pages
// mode: write
// Many pages at once, as search finds them after their migration: sessions with their text, the pages in them, their order.
// There are no chains and segments, which search does not read.
MERGE (u:User {user_id: $user_id})
ON CREATE SET u.user_key = $user_key, u.page_seq = 0, u.event_seq = 0, u.event_head = '', u.due_at = $never,
              u.forget_epoch = 0, u.failures = 0, u.created_at = $now, u.last_recorded_at = $now
WITH u
CALL (u) {
  UNWIND $sessions AS row
  CREATE (s:Session)
  SET s = row
}
CALL (u) {
  UNWIND $pages AS row
  MATCH (s:Session {user_id: $user_id, session_id: row.page.session_id})
  CREATE (p:Page)-[:IN_SESSION]->(s)
  SET p = row.page
  WITH p, row
  CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
}
CALL (u) {
  UNWIND $nexts AS row
  MATCH (a:Page {user_id: $user_id, page_id: row.before})
  MATCH (b:Page {user_id: $user_id, page_id: row.after})
  CREATE (a)-[:NEXT]->(b)
}
SET u.page_seq = u.page_seq + size($pages)

// name: exact_nearest
// mode: read
// The true nearest pages of one user, by a scan of all.
MATCH (p:Page {user_id: $user_id})
WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
RETURN collect(p.page_id) AS ids

// name: global_nearest
// mode: read
// The plain way: the nearest pages of everyone, and a filter on what came.
CALL db.index.vector.queryNodes('page_embedding', $limit, $vector) YIELD node AS p, score
WHERE p.user_id = $user_id
RETURN collect(p {.page_id, .user_input, .assistant_response, .event_time, score: score}) AS pages
