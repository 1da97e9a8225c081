// name: doctor_sources
// mode: read
// What does not rest on what it should, in one user's graph: the check that found it, and an id. At most so many of each.
MATCH (f:Fact {user_id: $user_id})
WHERE NOT EXISTS { (f)-[:DERIVED_FROM]->(:Page) }
RETURN 'fact_without_page' AS check, f.fact_id AS id LIMIT $limit
UNION ALL
MATCH (v:SegmentVersion {user_id: $user_id})
WHERE NOT EXISTS { (v)-[:DERIVED_FROM]->(:Page) }
RETURN 'version_without_page' AS check, v.version_id AS id LIMIT $limit
UNION ALL
MATCH (c:Chain {user_id: $user_id})
WHERE NOT EXISTS { (c)-[:DERIVED_FROM]->(:Page) }
RETURN 'chain_without_page' AS check, c.chain_id AS id LIMIT $limit
UNION ALL
MATCH (a:Answer {user_id: $user_id})
WHERE NOT EXISTS { (a)-[:DERIVED_FROM]->(:Page) }
RETURN 'answer_without_page' AS check, a.answer_id AS id LIMIT $limit
UNION ALL
MATCH (n:Fact {user_id: $user_id})-[s:SUPERSEDES]->(o:Fact)
WHERE n.retired_at = $never AND o.retired_at = $never AND (s.kind = 'correction' OR s.kind = 'change' AND o.closed_at = $never)
RETURN 'replaced_but_open' AS check, o.fact_id AS id LIMIT $limit
UNION ALL
MATCH (f:Fact {user_id: $user_id})
WHERE f.status = 'current' AND f.retired_at <> $never
RETURN 'status_against_times' AS check, f.fact_id AS id LIMIT $limit
UNION ALL
MATCH (f:Fact {user_id: $user_id})-[d:DERIVED_FROM]->(p:Page)
WITH f, d, CASE d.side WHEN 'user' THEN p.user_input WHEN 'assistant' THEN p.assistant_response WHEN 'tool' THEN p.tool_text
                       WHEN 'system' THEN p.system_text END AS text
WHERE d.quote IS NULL OR text IS NULL OR substring(text, d.start, d.end - d.start) <> d.quote
RETURN 'quote_not_in_page' AS check, f.fact_id AS id LIMIT $limit
UNION ALL
MATCH (a:Answer {user_id: $user_id})-[d:DERIVED_FROM]->(p:Page)
WHERE d.quote IS NOT NULL
WITH a, d, CASE d.side WHEN 'user' THEN p.user_input WHEN 'assistant' THEN p.assistant_response WHEN 'tool' THEN p.tool_text
                       WHEN 'system' THEN p.system_text END AS text
WHERE text IS NULL OR substring(text, d.start, d.end - d.start) <> d.quote
RETURN 'quote_not_in_page' AS check, a.answer_id AS id LIMIT $limit

// name: doctor_order
// mode: read
// Pages that are not where they should be, and what leaves the user.
MATCH (u:User {user_id: $user_id})
MATCH (p:Page {user_id: $user_id})
WITH u, count(p) AS pages, count(DISTINCT p.seq) AS seqs, max(p.seq) AS newest
WHERE pages <> seqs OR newest > u.page_seq OR u.forget_epoch = 0 AND pages <> u.page_seq
RETURN 'page_lost_or_double' AS check, toString(pages) AS id
UNION ALL
MATCH (x:Page|Fact|Segment|SegmentVersion|Chain|Session|Passage|Answer|Run|ProfileVersion|Conversation|Assistant|User {user_id: $user_id})-[r]-(y)
WHERE y.user_id <> $user_id OR y.user_id IS NULL
RETURN 'two_users_joined' AS check, type(r) AS id LIMIT $limit
UNION ALL
MATCH (p:Page {user_id: $user_id})
WHERE COUNT { (p)-[:NEXT]->() } > 1 OR COUNT { (p)<-[:NEXT]-() } > 1
RETURN 'two_nexts' AS check, p.page_id AS id LIMIT $limit
UNION ALL
MATCH (p:Page {user_id: $user_id})
WHERE COUNT { (p)-[:IN_SESSION]->() } <> 1
RETURN 'not_one_session' AS check, p.page_id AS id LIMIT $limit
UNION ALL
MATCH (p:Page {user_id: $user_id, tier: 'mtm'})
WHERE COUNT { (p)-[:IN_CHAIN]->() } <> 1
RETURN 'not_one_chain' AS check, p.page_id AS id LIMIT $limit
UNION ALL
MATCH (p:Page {user_id: $user_id, tier: 'mtm'})
WHERE NOT EXISTS { (p)-[:IN_SEGMENT]->() }
RETURN 'no_segment' AS check, p.page_id AS id LIMIT $limit

// name: doctor_rest
// mode: read
// Counts, what is left of nothing, and keys of searches.
MATCH (s:Segment {user_id: $user_id})
WHERE s.n_pages <> COUNT { (s)<-[:IN_SEGMENT]-(:Page) }
   OR s.n_unread <> COUNT { MATCH (s)<-[m:IN_SEGMENT]-(:Page) WHERE m.analysed_run IS NULL }
RETURN 'segment_counts' AS check, s.segment_id AS id LIMIT $limit
UNION ALL
MATCH (x:Passage {user_id: $user_id})
WHERE NOT EXISTS { (x)<-[:HAS_PASSAGE]-(:Page) }
RETURN 'orphan_passage' AS check, x.passage_id AS id LIMIT $limit
UNION ALL
MATCH (v:SegmentVersion {user_id: $user_id})
WHERE NOT EXISTS { (v)-[:VERSION_OF]->(:Segment) }
RETURN 'orphan_version' AS check, v.version_id AS id LIMIT $limit
UNION ALL
MATCH (u:User {user_id: $user_id})
MATCH (p:Page {user_id: $user_id})
WHERE p.user_key <> u.user_key
RETURN 'foreign_user_key' AS check, p.page_id AS id LIMIT $limit
UNION ALL
MATCH (u:User {user_id: $user_id})
MATCH (f:Fact {user_id: $user_id})
WHERE coalesce(f.user_key, '') <> u.user_key AND f.hidden = false
RETURN 'foreign_user_key' AS check, f.fact_id AS id LIMIT $limit

// name: doctor_vectors
// mode: read
// Vectors that are missing, or that no index would compare rightly. At most so many of each kind.
MATCH (m:Meta {key: 'database'})
MATCH (n:Page {user_id: $user_id, state: 'indexed'})
WHERE n.hidden = false
  AND {{bad_vector}}
RETURN 'page_vector' AS check, n.page_id AS id LIMIT $limit
UNION ALL
MATCH (m:Meta {key: 'database'})
MATCH (n:Passage {user_id: $user_id})<-[:HAS_PASSAGE]-(p:Page)
WHERE n.hidden = false AND p.state = 'indexed'
  AND {{bad_vector}}
RETURN DISTINCT 'passage_vector' AS check, p.page_id AS id LIMIT $limit
UNION ALL
MATCH (m:Meta {key: 'database'})
MATCH (n:Fact {user_id: $user_id})
WHERE n.hidden = false
  AND {{bad_vector}}
RETURN 'fact_vector' AS check, n.fact_id AS id LIMIT $limit
UNION ALL
MATCH (m:Meta {key: 'database'})
MATCH (n:Segment {user_id: $user_id})
WHERE n.hidden = false
  AND {{bad_vector}}
RETURN 'segment_vector' AS check, n.segment_id AS id LIMIT $limit

// part: bad_vector
coalesce(size(n.embedding) <> m.embedding_dimension OR abs(reduce(norm = 0.0, x IN n.embedding | norm + x * x) - 1) > $tolerance, true)

// name: doctor_work
// mode: read
// Work that stands still. What another process is at is none of it: it holds the lease.
MATCH (u:User {user_id: $user_id})
RETURN u.user_key AS user_key, u.due_at AS due_at, u.importing IS NOT NULL AS importing,
       coalesce(u.leased_until >= datetime(), false) AS leased,
       EXISTS { MATCH (j:JobLease {job: 'reembed'}) WHERE j.leased_until >= datetime() } AS reembedding,
       COUNT { MATCH (p:Page {user_id: $user_id, tier: 'stm'}) WHERE p.seq > 0 AND p.state <> 'failed' AND p.hidden = false
                AND p.remember <> 'session_only' } AS stm,
       EXISTS { MATCH (p:Page {user_id: $user_id, state: 'stored'}) WHERE p.hidden = false } AS unindexed,
       COLLECT { MATCH (r:Run {user_id: $user_id, state: 'running'})
                 RETURN r {.run_id, .kind, .attempts, .started_at} LIMIT $limit } AS running

// name: doctor_strays
// mode: read
// Users who have nodes but are none: ids of users only. Between neighbours in the order of ids nobody may be.
UNWIND $gaps AS gap
CALL (gap) {
  MATCH (n:Page) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Passage) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Fact) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Segment) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:SegmentVersion) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Chain) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Session) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
  UNION MATCH (n:Answer) WHERE n.user_id > gap.after AND n.user_id < gap.before RETURN DISTINCT n.user_id AS user_id LIMIT $limit
}
WITH DISTINCT user_id
WHERE NOT EXISTS { MATCH (:User {user_id: user_id}) }
RETURN user_id LIMIT $limit

// name: mend_counts
// mode: write
UNWIND $ids AS id
MATCH (s:Segment {user_id: $user_id, segment_id: id})
SET s.n_pages = COUNT { (s)<-[:IN_SEGMENT]-(:Page) },
    s.n_unread = COUNT { MATCH (s)<-[m:IN_SEGMENT]-(:Page) WHERE m.analysed_run IS NULL },
    s.unread_since = coalesce(s.unread_since, $now)

// name: mend_pages
// mode: write
// These pages are indexed anew, with their passages.
UNWIND $ids AS id
MATCH (p:Page {user_id: $user_id, page_id: id})
WHERE p.hidden = false
SET p.state = 'stored', p.attempts = 0
REMOVE p.next_try_at

// name: mend_due
// mode: write
MATCH (u:User {user_id: $user_id})
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END

// name: mend_orphans
// mode: write
// Windows without a page, versions without a topic, chains of nothing: they tell of nothing that is there.
CALL () {
  MATCH (x:Passage {user_id: $user_id})
  WHERE NOT EXISTS { (x)<-[:HAS_PASSAGE]-(:Page) }
  WITH x LIMIT $limit
  DETACH DELETE x
  RETURN count(*) AS passages
}
CALL () {
  MATCH (v:SegmentVersion {user_id: $user_id})
  WHERE NOT EXISTS { (v)-[:VERSION_OF]->(:Segment) }
  WITH v LIMIT $limit
  DETACH DELETE v
  RETURN count(*) AS versions
}
CALL () {
  MATCH (c:Chain {user_id: $user_id})
  WHERE NOT EXISTS { (c)<-[:IN_CHAIN]-(:Page) } AND NOT EXISTS { (c)-[:DERIVED_FROM]->(:Page) }
  WITH c LIMIT $limit
  DETACH DELETE c
  RETURN count(*) AS chains
}
RETURN passages + versions + chains AS removed

// name: texts_to_embed
// mode: read
// What facts and topics are embedded from.
CALL () {
  UNWIND $fact_ids AS id
  MATCH (f:Fact {user_id: $user_id, fact_id: id})
  RETURN collect({id: id, mark: f.text, text: f.text}) AS facts
}
CALL () {
  UNWIND $segment_ids AS id
  MATCH (s:Segment {user_id: $user_id, segment_id: id})
  RETURN collect({id: id, mark: s.version, summary: s.summary, keywords: s.keywords}) AS segments
}
RETURN facts, segments

// name: mend_vectors
// mode: write
// Vectors of facts and topics whose text is unchanged since it was embedded. The user is locked.
CALL () {
  UNWIND $facts AS row
  MATCH (f:Fact {user_id: $user_id, fact_id: row.id})
  WHERE f.text = row.mark AND f.hidden = false
  CALL db.create.setNodeVectorProperty(f, 'embedding', row.vector)
  RETURN count(f) AS facts
}
CALL () {
  UNWIND $segments AS row
  MATCH (s:Segment {user_id: $user_id, segment_id: row.id})
  WHERE s.version = row.mark AND s.hidden = false
  CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
  RETURN count(s) AS segments
}
RETURN facts + segments AS mended
