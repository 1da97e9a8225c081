// name: vectors_now
// mode: read
// Of which model the vectors are, and how far a change of the model is.
MATCH (m:Meta {key: 'database'})
RETURN m.embedding_model AS embedding_model, m.embedding_dimension AS embedding_dimension, coalesce(m.reembed, '') AS reembed,
       m.next_model AS next_model, m.next_dimension AS next_dimension

// name: set_reembed
// mode: write
// How far a change of the model is, and to which one.
MATCH (m:Meta {key: 'database'})
SET m.reembed = $reembed, m.next_model = $next_model, m.next_dimension = $next_dimension

// name: swap_vectors
// mode: write
// From here on the vectors of the next model are the ones that are searched. No row when another process has the lease.
MATCH (j:JobLease {job: $job})
SET j.lock = $owner
WITH j
WHERE j.leased_by = $owner
MATCH (m:Meta {key: 'database'})
WHERE m.reembed = 'building'
SET m.embedding_model = m.next_model, m.embedding_dimension = m.next_dimension, m.embedding_property = $property,
    m.reembed = 'catching_up', m.next_model = null, m.next_dimension = null
RETURN m.embedding_model AS embedding_model

// name: vectors_missing
// mode: read
// What has a vector, but none of the other model yet; and runs that a dead process left.
CALL () {
  MATCH (p:Page {user_id: $user_id})
  WHERE p.embedding IS NOT NULL AND p.embedding_b IS NULL
  WITH p LIMIT $limit
  OPTIONAL MATCH (before:Page)-[:NEXT]->(p)
  RETURN collect({id: p.page_id, mark: p.content_hash, page: p {.user_input, .assistant_response, .tool_text},
                  before: before {.user_input, .assistant_response, .quarantined}}) AS pages
}
CALL () {
  MATCH (x:Passage {user_id: $user_id})
  WHERE x.embedding IS NOT NULL AND x.embedding_b IS NULL
  WITH x LIMIT $limit
  MATCH (p:Page)-[:HAS_PASSAGE]->(x)
  RETURN collect({id: x.passage_id, mark: p.content_hash, start: x.start, end: x.end, text:
    CASE x.side WHEN 'user' THEN p.user_input WHEN 'assistant' THEN p.assistant_response ELSE p.tool_text END}) AS passages
}
CALL () {
  MATCH (f:Fact {user_id: $user_id})
  WHERE f.embedding IS NOT NULL AND f.embedding_b IS NULL
  WITH f LIMIT $limit
  RETURN collect({id: f.fact_id, mark: f.text, text: f.text}) AS facts
}
CALL () {
  MATCH (s:Segment {user_id: $user_id})
  WHERE s.embedding IS NOT NULL AND s.embedding_b IS NULL
  WITH s LIMIT $limit
  RETURN collect({id: s.segment_id, mark: s.version, summary: s.summary, keywords: s.keywords}) AS segments
}
RETURN pages, passages, facts, segments, COLLECT {
  MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'reembed'
  RETURN r {.run_id, .kind, .attempts, .started_at} } AS left_running

// name: count_missing_vectors
// mode: read
RETURN COUNT { MATCH (p:Page {user_id: $user_id}) WHERE p.embedding IS NOT NULL AND p.embedding_b IS NULL }
     + COUNT { MATCH (x:Passage {user_id: $user_id}) WHERE x.embedding IS NOT NULL AND x.embedding_b IS NULL }
     + COUNT { MATCH (f:Fact {user_id: $user_id}) WHERE f.embedding IS NOT NULL AND f.embedding_b IS NULL }
     + COUNT { MATCH (s:Segment {user_id: $user_id}) WHERE s.embedding IS NOT NULL AND s.embedding_b IS NULL } AS missing

// name: write_other_vectors
// mode: write
// Vectors of the other model, where what they were made of is unchanged. The user is locked.
CALL () {
  UNWIND $pages AS row
  MATCH (p:Page {user_id: $user_id, page_id: row.id})
  WHERE p.content_hash = row.mark AND p.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(p, 'embedding_b', row.vector)
  RETURN count(p) AS pages
}
CALL () {
  UNWIND $passages AS row
  MATCH (p:Page)-[:HAS_PASSAGE]->(x:Passage {user_id: $user_id, passage_id: row.id})
  WHERE p.content_hash = row.mark AND x.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(x, 'embedding_b', row.vector)
  RETURN count(x) AS passages
}
CALL () {
  UNWIND $facts AS row
  MATCH (f:Fact {user_id: $user_id, fact_id: row.id})
  WHERE f.text = row.mark AND f.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(f, 'embedding_b', row.vector)
  RETURN count(f) AS facts
}
CALL () {
  UNWIND $segments AS row
  MATCH (s:Segment {user_id: $user_id, segment_id: row.id})
  WHERE s.version = row.mark AND s.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(s, 'embedding_b', row.vector)
  RETURN count(s) AS segments
}
RETURN pages, passages, facts, segments

// name: remove_other_vectors
// mode: write
// The vectors that are not searched, at most so many of each kind. The user is locked.
CALL () {
  MATCH (p:Page {user_id: $user_id}) WHERE p.embedding_b IS NOT NULL
  WITH p LIMIT $limit
  REMOVE p.embedding_b
  RETURN count(p) AS pages
}
CALL () {
  MATCH (x:Passage {user_id: $user_id}) WHERE x.embedding_b IS NOT NULL
  WITH x LIMIT $limit
  REMOVE x.embedding_b
  RETURN count(x) AS passages
}
CALL () {
  MATCH (f:Fact {user_id: $user_id}) WHERE f.embedding_b IS NOT NULL
  WITH f LIMIT $limit
  REMOVE f.embedding_b
  RETURN count(f) AS facts
}
CALL () {
  MATCH (s:Segment {user_id: $user_id}) WHERE s.embedding_b IS NOT NULL
  WITH s LIMIT $limit
  REMOVE s.embedding_b
  RETURN count(s) AS segments
}
RETURN pages + passages + facts + segments AS removed
