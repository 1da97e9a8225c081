// name: facts_listed
// mode: read
// Newest first, from below an id (ids sort by time); each with its sources and what it replaced. Older versions of
// the same fact are left to its history.
MATCH (f:Fact {user_id: $user_id})
WHERE f.fact_id < $below AND f.hidden = false AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge'] AND ($status IS NULL OR f.status = $status) AND ($kind IS NULL OR f.kind = $kind)
WITH f ORDER BY f.fact_id DESC LIMIT $limit
RETURN f {.*, embedding: null} AS fact,
       [(f)-[d:DERIVED_FROM]->(p:Page) | {page_id: p.page_id, side: d.side, quote: d.quote, start: d.start, end: d.end, event_time: p.event_time}] AS sources,
       [(f)-[:SUPERSEDES]->(o:Fact) | o.fact_id] AS supersedes,
       [(n:Fact)-[:SUPERSEDES]->(f) | n.fact_id] AS superseded_by
ORDER BY f.fact_id DESC

// name: facts_by_ids
// mode: read
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
WHERE f.hidden = false
RETURN f {.*, embedding: null} AS fact,
       [(f)-[d:DERIVED_FROM]->(p:Page) | {page_id: p.page_id, side: d.side, quote: d.quote, start: d.start, end: d.end, event_time: p.event_time}] AS sources,
       [(f)-[:SUPERSEDES]->(o:Fact) | o.fact_id] AS supersedes,
       [(n:Fact)-[:SUPERSEDES]->(f) | n.fact_id] AS superseded_by

// name: fact_tree
// mode: read
// All pages below a fact, and every fact it replaced, directly or through others.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
RETURN [(f)-[d:DERIVED_FROM]->(p:Page) | {page_id: p.page_id, side: d.side, quote: d.quote, start: d.start, end: d.end,
        event_time: p.event_time, conversation_id: p.conversation_id, user_input: p.user_input,
        assistant_response: p.assistant_response, speaker: d.origin, run_id: d.run_id}] AS pages,
       [(f)-[:SUPERSEDES*1..20]->(o:Fact) | o.fact_id] AS replaced

// name: derived_from_page
// mode: read
MATCH (p:Page {user_id: $user_id, page_id: $page_id})
WHERE p.hidden = false
RETURN [(f:Fact)-[:DERIVED_FROM]->(p) WHERE f.hidden = false | f.fact_id] AS fact_ids,
       [(p)-[m:IN_SEGMENT]->(s:Segment) | {segment_id: s.segment_id, score: m.score, cosine: m.cosine, jaccard: m.jaccard,
        threshold: m.threshold}] AS segments,
       [(p)-[:IN_CHAIN]->(c:Chain) | c.chain_id] AS chains
