// name: heat
// mode: read
// How hot each topic was when that was last worked out, and what its heat is made of.
MATCH (s:Segment {user_id: $user_id})
RETURN s.summary AS topic, s.heat AS heat, s.heat_at AS at, s.n_visit AS visits, s.l_interaction AS length, s.n_pages AS pages,
       s.archived AS archived, s.segment_id AS segment_id
ORDER BY heat DESC, segment_id

// name: promotions
// mode: read
// Which facts each reading of hot topics made.
MATCH (r:Run {user_id: $user_id})
WHERE r.kind = 'promote'
OPTIONAL MATCH (r)-[:MADE]->(f:Fact {user_id: $user_id})
WITH r, collect(f.text) AS facts
RETURN r.started_at AS at, r.state AS state, facts, r.counts AS counts, r.rejected AS rejected, r.model AS model, r.run_id AS run_id
ORDER BY at

// name: segment_timeline
// mode: read
// The pages of a topic in order, with the reason why each joined, and whether it was read for facts.
// $segment_id: the topic
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})<-[m:IN_SEGMENT]-(p:Page {user_id: $user_id})
RETURN p.event_time AS at, p.user_input AS user, m.score AS score, m.cosine AS cosine, m.jaccard AS jaccard,
       m.threshold AS threshold, m.analysed_run IS NOT NULL AS was_read, p.page_id AS page_id
ORDER BY at, page_id

// name: segment_versions
// mode: read
// How the summary of a topic changed, and from how many pages each was made.
// $segment_id: the topic
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})<-[:VERSION_OF]-(v:SegmentVersion {user_id: $user_id})
RETURN v.version AS version, v.at AS at, v.summary AS summary, COUNT { (v)-[:DERIVED_FROM]->(:Page {user_id: $user_id}) } AS pages, v.model AS model
ORDER BY version

// name: costs
// mode: read
// What background work was done, and what the models cost, by kind.
MATCH (r:Run {user_id: $user_id})
RETURN r.kind AS kind, r.state AS state, count(*) AS runs, sum(r.model_calls) AS calls, sum(r.tokens_in) AS tokens_in,
       sum(r.tokens_out) AS tokens_out, max(r.started_at) AS newest
ORDER BY kind, state
