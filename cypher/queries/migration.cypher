// name: stm_oldest
// mode: read
// The oldest pages of short-term memory but the parked ones and those of this session only, each with the page before it in its conversation.
MATCH (p:Page {user_id: $user_id, tier: 'stm'})
USING INDEX p:Page(user_id, tier, seq)
WHERE p.seq > 0 AND p.hidden = false AND p.state <> 'failed' AND p.remember <> 'session_only'
WITH p ORDER BY p.seq LIMIT $limit
OPTIONAL CALL (p) {
  MATCH (b:Page {user_id: $user_id, conversation_id: p.conversation_id})
  WHERE b.seq < p.seq AND b.hidden = false AND b.remember <> 'session_only'
  WITH b ORDER BY b.seq DESC LIMIT 1
  OPTIONAL MATCH (b)-[:IN_CHAIN]->(c:Chain)
  RETURN b {.*, vector: b.embedding, embedding: null, embedding_b: null} AS before, c.chain_id AS chain_id
}
RETURN p {.*, vector: p.embedding, embedding: null, embedding_b: null} AS page, before, chain_id
ORDER BY p.seq

// name: late_oldest
// mode: read
// Pages told late, from before short-term memory: they go first, whatever its size.
MATCH (p:Page {user_id: $user_id, late: true})
WHERE p.hidden = false AND p.state <> 'failed' AND p.remember <> 'session_only'
WITH p ORDER BY p.seq LIMIT $limit
OPTIONAL CALL (p) {
  MATCH (b:Page {user_id: $user_id, conversation_id: p.conversation_id})
  WHERE b.seq < p.seq AND b.hidden = false AND b.remember <> 'session_only'
  WITH b ORDER BY b.seq DESC LIMIT 1
  OPTIONAL MATCH (b)-[:IN_CHAIN]->(c:Chain)
  RETURN b {.*, vector: b.embedding, embedding: null, embedding_b: null} AS before, c.chain_id AS chain_id
}
RETURN p {.*, vector: p.embedding, embedding: null, embedding_b: null} AS page, before, chain_id
ORDER BY p.seq

// name: stm_size
// mode: read
// Neither parked pages count nor those of this session only: they stay where they are, and must not push others out.
MATCH (p:Page {user_id: $user_id, tier: 'stm'})
USING INDEX p:Page(user_id, tier, seq)
WHERE p.seq > 0 AND p.state <> 'failed' AND p.remember <> 'session_only'
WITH p LIMIT $limit
RETURN count(p) AS pages

// name: migration_due
// mode: read
// When pages told late, and the oldest batch of short-term memory beyond its capacity, may be tried; null where there is none.
CALL () {
  MATCH (p:Page {user_id: $user_id, late: true})
  WHERE p.hidden = false AND p.state <> 'failed' AND p.remember <> 'session_only'
  WITH p ORDER BY p.seq LIMIT $batch
  WITH max(coalesce(p.next_try_at, $now)) AS at, collect(p.state) AS states
  RETURN CASE WHEN NOT 'stored' IN states THEN at END AS late_at
}
CALL () {
  MATCH (p:Page {user_id: $user_id, tier: 'stm'})
  USING INDEX p:Page(user_id, tier, seq)
  WHERE p.seq > 0 AND p.state <> 'failed' AND p.remember <> 'session_only'
  WITH p ORDER BY p.seq LIMIT $limit
  WITH collect(p {.state, .hidden, .next_try_at}) AS held
  WITH CASE WHEN size(held) < $limit THEN [] ELSE held END AS held
  UNWIND [p IN held WHERE p.hidden = false][..$batch] AS p
  WITH max(coalesce(p.next_try_at, $now)) AS at, collect(p.state) AS states
  RETURN CASE WHEN NOT 'stored' IN states THEN at END AS oldest_at
}
RETURN late_at, oldest_at

// name: segments_near
// mode: read
// For each topic vector the nearest open segments, and the nearest full one that nothing goes on with, with all that a join decision and its write need.
UNWIND range(0, size($vectors) - 1) AS i
CALL (i) {
  MATCH (s:Segment {user_id: $user_id})
  WHERE s.archived = false AND s.hidden = false
    AND (s.n_pages < $max_pages OR NOT EXISTS { (s)-[:CONTINUES]->(:Segment) })
  WITH s, vector.similarity.cosine(s.embedding, $vectors[i]) AS similarity, s.n_pages >= $max_pages AS full
  ORDER BY similarity DESC
  WITH full, collect(s)[..$limit] AS nearest
  UNWIND CASE WHEN full THEN nearest[..1] ELSE nearest END AS s
  RETURN collect(s {.segment_id, .version, .summary, .keywords, .n_pages, vector: s.embedding}) AS segments
}
RETURN i, segments

// name: pages_unmoved
// mode: read
// Those of the given pages that are still as they were read: in short-term memory, with the same content.
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
WHERE p.content_hash = row.content_hash AND p.tier = 'stm' AND p.hidden = false
RETURN count(p) AS unmoved

// name: segments_unmoved
// mode: read
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
WHERE s.version = row.version AND s.archived = false AND s.hidden = false
RETURN count(s) AS unmoved

// name: write_chains
// mode: write
UNWIND $chains AS row
MERGE (c:Chain {user_id: $user_id, chain_id: row.chain_id})
ON CREATE SET c.first_seq = row.first_seq, c.created_at = $now
SET c.summary = row.summary, c.last_seq = row.last_seq
WITH c, row
UNWIND row.page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
MERGE (p)-[:IN_CHAIN]->(c)
MERGE (c)-[d:DERIVED_FROM]->(p)
SET d.run_id = $run_id

// name: write_continuity
// mode: write
UNWIND $rows AS row
MATCH (a:Page {user_id: $user_id, page_id: row.before})
MATCH (b:Page {user_id: $user_id, page_id: row.after})
MERGE (a)-[c:CONTINUES]->(b)
SET c.verdict = 'continues', c.score = row.score, c.at = $now

// name: write_segment_continuity
// mode: write
// What goes on with a full segment.
UNWIND $rows AS row
MATCH (a:Segment {user_id: $user_id, segment_id: row.full})
MATCH (b:Segment {user_id: $user_id, segment_id: row.next})
MERGE (a)-[c:CONTINUES]->(b)
SET c.verdict = row.verdict, c.score = row.score, c.at = $now

// name: write_segments
// mode: write
UNWIND $segments AS row
MERGE (s:Segment {user_id: $user_id, segment_id: row.segment_id})
ON CREATE SET s.user_key = $user_key, s.n_visit = 0, s.l_interaction = 0, s.n_pages = 0, s.n_unread = 0,
              s.archived = false, s.hidden = false, s.parked = false, s.attempts = 0, s.created_at = $now, s.made_by = $run_id,
              s.heat = 0.0, s.heat_at = $now,
              s.newest_event_at = row.newest_event_at
SET s.summary = row.summary, s.keywords = row.keywords, s.version = row.version,
    s.newest_event_at = CASE WHEN s.newest_event_at < row.newest_event_at THEN row.newest_event_at ELSE s.newest_event_at END
REMOVE s.embedding_b
WITH s, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
WITH s, row
CREATE (v:SegmentVersion {user_id: $user_id, version_id: row.version_id, version: row.version, summary: row.summary,
                          keywords: row.keywords, at: $now, model: $model, prompt_hash: $prompt_hash})
CREATE (v)-[:VERSION_OF]->(s)
WITH s, v, row
OPTIONAL MATCH (old:SegmentVersion {user_id: $user_id, version_id: row.old_version_id})
FOREACH (o IN CASE WHEN old IS NULL THEN [] ELSE [old] END |
  CREATE (v)-[:SUPERSEDES {kind: 'refresh', actor: 'system', at: $now}]->(o))

// name: write_memberships
// mode: write
// A page joins a segment once; only a new membership counts.
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
MERGE (p)-[m:IN_SEGMENT]->(s)
ON CREATE SET m.fresh = true
SET m.score = row.score, m.cosine = row.cosine, m.jaccard = row.jaccard, m.threshold = row.threshold, m.run_id = $run_id
WITH p, m, s, row
MATCH (v:SegmentVersion {user_id: $user_id, version_id: row.version_id})
MERGE (v)-[d:DERIVED_FROM]->(p)
SET d.run_id = $run_id
WITH s, m WHERE m.fresh
REMOVE m.fresh
WITH s, count(m) AS joined
SET s.n_pages = s.n_pages + joined, s.l_interaction = s.l_interaction + joined,
    s.unread_since = CASE WHEN s.n_unread = 0 THEN $now ELSE s.unread_since END,
    s.n_unread = s.n_unread + joined

// name: versions_of_segments
// mode: read
UNWIND $rows AS row
MATCH (v:SegmentVersion)-[:VERSION_OF]->(:Segment {user_id: $user_id, segment_id: row.segment_id})
WHERE v.version = row.version
RETURN row.segment_id AS segment_id, v.version_id AS version_id

// name: set_tier_mtm
// mode: write
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
SET p.tier = 'mtm'
REMOVE p.late
WITH DISTINCT p
MATCH (p)-[:IN_SESSION]->(s:Session)
WITH DISTINCT s
MATCH (m:Page)-[:IN_SESSION]->(s)
WHERE m.tier = 'mtm' AND m.hidden = false
WITH s, m ORDER BY m.seq
WITH s, collect(m.text) AS texts
SET s.text = reduce(whole = '', text IN texts | whole + text + '\n')
