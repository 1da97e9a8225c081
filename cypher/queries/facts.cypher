// name: facts_listed
// mode: read
// Ids, newest first, from below one (ids sort by time). Older versions of the same fact are left to its history.
MATCH (f:Fact {user_id: $user_id})
WHERE f.fact_id < $below AND f.hidden = false AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge']
  AND ($status IS NULL OR CASE WHEN f.status = 'current' AND f.valid_to <= $now THEN 'superseded' ELSE f.status END = $status)
  AND ($kind IS NULL OR f.kind = $kind) AND ($stale IS NULL OR f.stale = $stale)
  AND ($origin IS NULL OR EXISTS { (f)-[d:DERIVED_FROM {ends: false, origin: $origin}]->(:Page) })
RETURN f.fact_id AS fact_id ORDER BY fact_id DESC LIMIT $limit

// name: facts_at
// mode: read
// The rule of the two axes (domain.validity): what was true at $as_of as believed at $known_at. A fact began, as known
// then, with the earliest of the statements known then.
MATCH (f:Fact {user_id: $user_id})
WHERE f.fact_id < $below AND f.hidden = false AND coalesce(f.proposed, false) = false
  AND f.recorded_at <= $known_at AND $known_at < f.retired_at
  AND $as_of < CASE WHEN f.closed_at <= $known_at THEN f.valid_to ELSE $never END
  AND ($kinds IS NULL OR CASE WHEN f.profiled_at > $known_at THEN 'knowledge' ELSE f.kind END IN $kinds)
CALL (f) {
  MATCH (f)-[d:DERIVED_FROM]->(:Page)
  WHERE d.ends = false AND d.at <= $known_at
  RETURN min(d.holds_from) AS begins, collect(DISTINCT d.origin) AS origins
}
WITH f, begins, origins
WHERE begins <= $as_of AND ($origin IS NULL OR $origin IN origins)
RETURN f.fact_id AS fact_id,
       EXISTS { (f)-[c:CONFLICTS_WITH]-(:Fact) WHERE c.at <= $known_at AND $known_at < c.until } AS conflicted
ORDER BY fact_id DESC LIMIT $limit

// name: facts_by_ids
// mode: read
// Facts with what was known of them at $known_at: sources, what they replaced, what took their place, what disagrees.
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
WHERE f.hidden = false AND f.recorded_at <= $known_at
RETURN f {.*, embedding: null, embedding_b: null, status: CASE WHEN f.status = 'current' AND f.valid_to <= $now THEN 'superseded' ELSE f.status END} AS fact,
       [(f)-[d:DERIVED_FROM]->(p:Page) WHERE d.at <= $known_at | d {.*, page_id: p.page_id, event_time: p.event_time}] AS sources,
       [(f)-[s:SUPERSEDES]->(o:Fact) WHERE s.at <= $known_at AND NOT s.kind IN ['refresh', 'merge']
         AND NOT (coalesce(o.retired_by, '') IN ['refresh', 'merge'] AND o.retired_at <= $known_at) | o.fact_id] AS supersedes,
       [(n:Fact)-[s:SUPERSEDES]->(f) WHERE s.at <= $known_at | n.fact_id] AS superseded_by,
       [(f)-[c:CONFLICTS_WITH]-(o:Fact) WHERE c.at <= $known_at AND $known_at < c.until | o.fact_id] AS conflicts_with,
       COLLECT { MATCH (o:Fact {user_id: $user_id, status: CASE f.status WHEN 'proposed' THEN 'current' ELSE '' END, kind: f.kind})
                 WHERE o.predicate = f.predicate AND o.subject = f.subject AND o.object <> f.object AND o.hidden = false
                 RETURN o.fact_id } AS would_replace

// name: fact_tree
// mode: read
// All pages below a fact, and every fact it replaced, directly or through others.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
RETURN [(a:Answer)-[u:USED]->(f) WHERE coalesce(a.hidden, false) = false | {answer_id: a.answer_id, at: a.at, cited: u.cited}] AS answers,
       [(f)-[d:DERIVED_FROM]->(p:Page) | d {.quote, .side, .start, .end, .ends, .run_id, .reason, .origin, page_id: p.page_id,
        event_time: p.event_time, conversation_id: p.conversation_id, user_input: p.user_input,
        assistant_response: p.assistant_response}] AS pages,
       COLLECT { MATCH (f)-[:SUPERSEDES*1..20]->(o:Fact) WHERE NOT coalesce(o.retired_by, '') IN ['refresh', 'merge']
                 RETURN DISTINCT o.fact_id } AS replaced

// name: fact_history
// mode: read
// A fact and all that it replaced, that replaced it or disagrees with it, through others too.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
MATCH (f)-[:SUPERSEDES|CONFLICTS_WITH*0..100]-(o:Fact)
WHERE o.hidden = false
WITH DISTINCT o
RETURN o.fact_id AS fact_id,
       [(o)-[s:SUPERSEDES]->(x:Fact) WHERE x.hidden = false | {newer: o.fact_id, older: x.fact_id, kind: s.kind, at: s.at, actor: s.actor,
        reason: s.reason}] AS supersessions,
       [(o)-[c:CONFLICTS_WITH]->(x:Fact) WHERE x.hidden = false | {fact_ids: [o.fact_id, x.fact_id], at: c.at, until: c.until,
        detector: c.detector}] AS conflicts

// name: derived_from_page
// mode: read
MATCH (p:Page {user_id: $user_id, page_id: $page_id})
WHERE p.hidden = false
RETURN COLLECT { MATCH (f:Fact)-[:DERIVED_FROM]->(p) WHERE f.hidden = false AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge']
                 RETURN DISTINCT f.fact_id } AS fact_ids,
       [(p)-[m:IN_SEGMENT]->(s:Segment) | {segment_id: s.segment_id, score: m.score, cosine: m.cosine, jaccard: m.jaccard,
        threshold: m.threshold}] AS segments,
       [(p)-[:IN_CHAIN]->(c:Chain) | c.chain_id] AS chains
