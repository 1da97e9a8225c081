// name: segments_to_summarize
// mode: read
// Segments whose summary is the extract that a forget has left, the newest first.
MATCH (s:Segment {user_id: $user_id, to_summarize: true})
WHERE s.archived = false AND s.hidden = false AND coalesce(s.parked, false) = false
RETURN s.segment_id AS segment_id, s.version AS version, s.summary AS summary, s.n_pages AS n_pages, s.next_try_at AS next_try_at
ORDER BY s.newest_event_at DESC, segment_id

// name: newest_pages_of_segment
// mode: read
MATCH (p:Page)-[:IN_SEGMENT]->(s:Segment {user_id: $user_id, segment_id: $segment_id})
WHERE p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page
ORDER BY p.seq DESC LIMIT $limit

// name: write_summary
// mode: write
// The next version of a segment's summary, made from all its pages as the one before.
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
MATCH (old:SegmentVersion)-[:VERSION_OF]->(s)
WHERE old.version = $version
SET s.summary = $summary, s.keywords = $keywords, s.version = $version + 1
REMOVE s.embedding_b, s.to_summarize
WITH s, old
CALL db.create.setNodeVectorProperty(s, 'embedding', $vector)
WITH s, old
CREATE (v:SegmentVersion {user_id: $user_id, version_id: $version_id, version: s.version, summary: $summary,
                          keywords: $keywords, at: $now, model: $model, prompt_hash: $prompt_hash})
CREATE (v)-[:VERSION_OF]->(s)
CREATE (v)-[:SUPERSEDES {kind: 'refresh', actor: 'system', at: $now}]->(old)
WITH s, v
MATCH (p:Page)-[:IN_SEGMENT]->(s)
CREATE (v)-[:DERIVED_FROM {run_id: $run_id}]->(p)

// name: leave_extract
// mode: write
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
REMOVE s.to_summarize
