// name: search_near @2026
// mode: read
// What is near the question's vector or lies in the times it names, and how the newest pages begin (who speaks).
// A fact comes with the pages behind it, its own (true) and those of the facts that it replaced (false).
// `short` says that fewer were found than there are; in-index filters never are.
CYPHER 25
CALL () {
  MATCH (p:Page)
    SEARCH p IN (VECTOR INDEX page_embedding FOR $vector
      WHERE p.user_id = $user_id AND p.archived = false AND p.hidden = false LIMIT $limit) SCORE AS score
  RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS pages
}
CALL () {
  MATCH (f:Fact)
    SEARCH f IN (VECTOR INDEX fact_embedding FOR $vector
      WHERE f.user_id = $user_id AND f.status = 'current' AND f.hidden = false LIMIT $limit) SCORE AS score
  RETURN collect([f.fact_id, score, COLLECT {
    MATCH (f)-[:SUPERSEDES*0..20]->(said:Fact)-[:DERIVED_FROM]->(p:Page) WHERE p.archived = false AND p.hidden = false
    RETURN DISTINCT [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, said = f] }]) AS facts
}
CALL () {
  UNWIND $spans AS span
  MATCH (p:Page {user_id: $user_id})
  WHERE p.event_time >= span.start AND p.event_time < span.end AND p.archived = false AND p.hidden = false
  WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS dated
}
CALL () {
  MATCH (p:Page {user_id: $user_id})
  WHERE p.seq > 0 AND p.hidden = false
  WITH p ORDER BY p.seq DESC LIMIT $newest
  UNWIND [p.user_input, p.assistant_response] AS side
  RETURN collect(left(side, 60)) AS openings
}
RETURN pages, facts, dated, openings, false AS short,
       COLLECT { MATCH (m:Meta {key: 'database'}) RETURN m {.embedding_model, .embedding_dimension, .reembed} }[0] AS vectors

// name: search_near @5
// mode: read
// As on 2026, where the index can filter. Here: an exact scan of up to 1,200 pages; above it the nearest pages of everyone,
// as many as should hold twice the limit of this user's, unless that costs more than the scan.
OPTIONAL MATCH (u:User {user_id: $user_id})
WITH coalesce(u.page_seq, 0) AS own
CALL () {
  MATCH (p:Page)
  RETURN count(p) AS everyone
}
WITH own, 2 * $limit * everyone / CASE WHEN own = 0 THEN 1 ELSE own END AS fetch
WITH fetch, own > 1200 AND fetch < own / 2 AS overfetch
CALL (overfetch) {
  UNWIND CASE WHEN overfetch THEN [] ELSE [1] END AS once
  MATCH (p:Page {user_id: $user_id})
  WHERE p.archived = false AND p.hidden = false AND p.embedding IS NOT NULL
  WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS scanned
}
CALL (overfetch, fetch) {
  UNWIND CASE WHEN overfetch THEN [1] ELSE [] END AS once
  CALL db.index.vector.queryNodes('page_embedding', fetch, $vector) YIELD node AS p, score
  WHERE p.user_id = $user_id AND p.archived = false AND p.hidden = false
  WITH p, score LIMIT $limit
  RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS fetched
}
CALL () {
  MATCH (f:Fact {user_id: $user_id, status: 'current'})
  WHERE f.hidden = false AND f.embedding IS NOT NULL
  WITH f, vector.similarity.cosine(f.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect([f.fact_id, score, COLLECT {
    MATCH (f)-[:SUPERSEDES*0..20]->(said:Fact)-[:DERIVED_FROM]->(p:Page) WHERE p.archived = false AND p.hidden = false
    RETURN DISTINCT [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, said = f] }]) AS facts
}
CALL () {
  UNWIND $spans AS span
  MATCH (p:Page {user_id: $user_id})
  WHERE p.event_time >= span.start AND p.event_time < span.end AND p.archived = false AND p.hidden = false
  WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS dated
}
CALL () {
  MATCH (p:Page {user_id: $user_id})
  WHERE p.seq > 0 AND p.hidden = false
  WITH p ORDER BY p.seq DESC LIMIT $newest
  UNWIND [p.user_input, p.assistant_response] AS side
  RETURN collect(left(side, 60)) AS openings
}
RETURN scanned + fetched AS pages, facts, dated, openings, overfetch AND size(fetched) < $limit AS short,
       COLLECT { MATCH (m:Meta {key: 'database'}) RETURN m {.embedding_model, .embedding_dimension, .reembed} }[0] AS vectors

// name: search_near_exact
// mode: read
// The scan of all pages of the user, for when over-fetching found too few.
MATCH (p:Page {user_id: $user_id})
WHERE p.archived = false AND p.hidden = false AND p.embedding IS NOT NULL
WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
RETURN collect([p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]) AS pages

// name: search_words
// mode: read
// What holds the question's words, and the neighbours of the best pages. Without words the lists of queries are empty.
// `full` says that an index gave as many rows as were asked for, before those that may not be read were dropped.
CALL () {
  UNWIND $queries AS words
  CALL db.index.fulltext.queryNodes('page_text', words, {limit: $limit}) YIELD node AS p, score
  WHERE score > 0 AND p.user_id = $user_id
  WITH p, score ORDER BY score DESC
  RETURN count(p) AS n_pages, collect(CASE WHEN p.archived = false AND p.hidden = false
    THEN [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score] END) AS pages
}
CALL () {
  UNWIND $queries AS words
  CALL db.index.fulltext.queryNodes('fact_text', words, {limit: $limit}) YIELD node AS f, score
  WHERE score > 0 AND f.user_id = $user_id
  RETURN count(f) AS n_facts, collect(CASE WHEN f.status = 'current' AND f.hidden = false THEN [f.fact_id, score, COLLECT {
    MATCH (f)-[:SUPERSEDES*0..20]->(said:Fact)-[:DERIVED_FROM]->(p:Page) WHERE p.archived = false AND p.hidden = false
    RETURN DISTINCT [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, said = f] }] END) AS facts
}
CALL () {
  UNWIND $queries AS words
  CALL db.index.fulltext.queryNodes('session_text', words, {limit: 50}) YIELD node AS s, score
  WHERE score > 0 AND s.user_id = $user_id
  RETURN collect([s.session_id, score]) AS sessions
}
CALL (pages) {
  UNWIND $seeds + [page IN pages[..$n_seeds] | page[0]] AS page_id
  WITH DISTINCT page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})-[:NEXT]-(n:Page)
  WHERE n.archived = false AND n.hidden = false
  RETURN collect([n.page_id, n.session_id, n.event_time.epochSeconds, n.time_words,
    coalesce(vector.similarity.cosine(n.embedding, $vector), 0.0), page_id]) AS neighbours
}
RETURN pages, facts, sessions, neighbours,
       n_pages = $limit AND size(pages) < n_pages OR n_facts = $limit AND size(facts) < n_facts AS full

// name: search_hits
// mode: read
// What is shown of the chosen pages and facts, and the segments that were visited.
CALL () {
  UNWIND $page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  WHERE p.hidden = false
  RETURN collect(p {.page_id, .user_input, .assistant_response, .tool_text, .event_time,
    segment_ids: [(p)-[:IN_SEGMENT]->(s:Segment) | s.segment_id]}) AS pages
}
CALL () {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
  WHERE f.hidden = false
  RETURN collect(f {.fact_id, .text, .valid_from, sources: [(f)-[d:DERIVED_FROM {ends: false}]->(p:Page) WHERE p.hidden = false |
    {page_id: p.page_id, side: d.side, quote: d.quote, start: d.start, end: d.end, event_time: p.event_time, speaker: d.origin}]}) AS facts
}
RETURN pages, facts
