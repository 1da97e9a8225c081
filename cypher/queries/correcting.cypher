// name: fact_to_decide
// mode: read
// A fact before something is decided about it, and where it was first said: there the decision belongs, too.
MATCH (u:User {user_id: $user_id})
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
OPTIONAL MATCH (f)-[:DERIVED_FROM {ends: false}]->(p:Page)
WITH u, f, p ORDER BY p.event_time, p.page_id
WITH u, f, collect(p) AS pages
CALL (f, pages) {
  UNWIND pages AS p
  MATCH (p)-[:IN_SEGMENT]->(s:Segment)
  WHERE s.hidden = false
    AND toLower(reduce(words = s.summary, word IN s.keywords | words + ' ' + word)) CONTAINS toLower(f.object)
  WITH DISTINCT s ORDER BY s.last_visit_at DESC LIMIT 20
  RETURN collect(s {.segment_id, .version, .summary, .keywords}) AS segments
}
WITH u, f, segments, pages[0] AS first
RETURN u.forget_epoch AS forget_epoch, f {.kind, .subject, .predicate, .object, .text, .sensitivity, .reason, .pinned} AS fact,
       first {.conversation_id, .assistant_id} AS told, segments

// name: renew_segments
// mode: write
// What a correction makes of the summaries that held the old value; the older versions keep it.
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
WHERE s.version = row.version AND s.hidden = false
MATCH (old:SegmentVersion)-[:VERSION_OF]->(s)
WHERE old.version = row.version
SET s.summary = row.summary, s.keywords = row.keywords, s.version = row.version + 1
REMOVE s.embedding_b
WITH s, old, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
WITH s, old, row
CREATE (v:SegmentVersion {user_id: $user_id, version_id: row.version_id, version: s.version, summary: s.summary,
                          keywords: s.keywords, at: $now, model: 'caller', prompt_hash: ''})
CREATE (v)-[:VERSION_OF]->(s)
CREATE (v)-[:SUPERSEDES {kind: 'correction', actor: 'caller', at: $now}]->(old)
WITH v, old
CALL (v, old) {
  MATCH (old)-[d:DERIVED_FROM]->(p:Page)
  CREATE (v)-[:DERIVED_FROM {run_id: d.run_id}]->(p)
}
MATCH (page:Page {user_id: $user_id, page_id: $page_id})
CREATE (v)-[:DERIVED_FROM]->(page)
RETURN count(v) AS renewed

// name: note_reason_of_change
// mode: write
// Why one fact took the place of another, in the caller's words; they stand nowhere else.
UNWIND $rows AS row
MATCH (a:Fact {user_id: $user_id, fact_id: row.newer})-[s:SUPERSEDES]->(b:Fact {user_id: $user_id, fact_id: row.older})
SET s.reason = $reason

// name: note_reason_of_decision
// mode: write
// Why a fact was retracted, restored or confirmed where nothing took its place.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})-[d:DERIVED_FROM]->(:Page {page_id: $page_id})
SET d.reason = $reason

// name: pin_fact
// mode: write
// `done` is false, and nothing is changed, when the fact is not of the version that the caller saw.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
WITH f, $version IS NULL OR f.version = $version AS done
SET f.pinned = CASE WHEN done THEN $pinned ELSE f.pinned END,
    f.version = CASE WHEN done THEN f.version + 1 ELSE f.version END
RETURN done, f.version AS version

// name: decision_of_request
// mode: read
// What was decided on a request with that key, and what was asked; no hash when what was decided is forgotten.
MATCH (r:Request {user_id: $user_id, request_key: $request_key})
WHERE r.at > $since
MATCH (e:Event {user_id: $user_id, seq: r.seq})
RETURN r.request_hash AS request_hash, e {.*} AS event

// name: note_request
// mode: write
MERGE (r:Request {user_id: $user_id, request_key: $request_key})
SET r.request_hash = $request_hash, r.seq = $seq, r.ids = $ids, r.at = $now
