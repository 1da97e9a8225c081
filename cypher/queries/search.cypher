// name: search_near @2026
// mode: read
// What is near the question's vector or lies in the times it names, and how the newest pages begin (who speaks).
// Without filters, which is the usual search: kept apart, since a server plans a query of many filters for a second.
CYPHER 25
CALL () {
  MATCH (p:Page)
    SEARCH p IN (VECTOR INDEX page_embedding FOR $vector
      WHERE p.user_id = $user_id AND p.archived = false AND p.hidden = false LIMIT $limit) SCORE AS score
  RETURN collect({{page_row}}) AS pages
}
CALL () {
  MATCH (x:Passage)
    SEARCH x IN (VECTOR INDEX passage_embedding FOR $vector
      WHERE x.user_id = $user_id AND x.archived = false AND x.hidden = false LIMIT $limit) SCORE AS score
  MATCH (p:Page)-[:HAS_PASSAGE]->(x)
  RETURN collect({{passage_row}}) AS passages
}
CALL () {
  MATCH (f:Fact)
    SEARCH f IN (VECTOR INDEX fact_embedding FOR $vector
      WHERE f.user_id = $user_id AND f.status = 'current' AND f.hidden = false AND f.valid_to > $now
      LIMIT $limit) SCORE AS score
  RETURN collect([f.fact_id, score, null, f.status, {{pages_behind_now}}]) AS facts
}
CALL () {
  UNWIND $spans AS span
  MATCH (p:Page {user_id: $user_id})
  WHERE p.event_time >= span.start AND p.event_time < span.end AND p.hidden = false AND p.archived = false
  WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS dated
}
{{openings}}
RETURN pages, passages, facts, dated, openings, [] AS segments, [] AS segments_left_out, false AS short,
       {{vectors_now}} AS vectors

// name: search_near @5
// mode: read
// As on 2026, where the index can filter. Here: an exact scan of up to 1,200 pages; above it the nearest pages of everyone,
// as many as should hold twice the limit of this user's, unless that costs more than the scan.
{{how_to_fetch}}
CALL (overfetch) {
  WITH overfetch WHERE NOT overfetch
  MATCH (p:Page {user_id: $user_id})
  WHERE p.hidden = false AND p.archived = false AND p.embedding IS NOT NULL
  WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS scanned
}
CALL (overfetch, fetch) {
  WITH overfetch, fetch WHERE overfetch
  CALL db.index.vector.queryNodes('page_embedding', fetch, $vector) YIELD node AS p, score
  WHERE p.user_id = $user_id AND p.hidden = false AND p.archived = false
  WITH p, score LIMIT $limit
  RETURN collect({{page_row}}) AS fetched
}
CALL () {
  MATCH (p:Page)-[:HAS_PASSAGE]->(x:Passage {user_id: $user_id})
  USING INDEX x:Passage(user_id)
  WHERE p.hidden = false AND p.archived = false
  WITH p, x, vector.similarity.cosine(x.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{passage_row}}) AS passages
}
CALL () {
  MATCH (f:Fact {user_id: $user_id, status: 'current'})
  WHERE f.hidden = false AND f.valid_to > $now AND f.embedding IS NOT NULL
  WITH f, vector.similarity.cosine(f.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect([f.fact_id, score, null, f.status, {{pages_behind_now}}]) AS facts
}
CALL () {
  UNWIND $spans AS span
  MATCH (p:Page {user_id: $user_id})
  WHERE p.event_time >= span.start AND p.event_time < span.end AND p.hidden = false AND p.archived = false
  WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS dated
}
{{openings}}
RETURN scanned + fetched AS pages, passages, facts, dated, openings, [] AS segments, [] AS segments_left_out,
       overfetch AND size(fetched) < $limit AS short,
       {{vectors_now}} AS vectors

// name: search_near_scoped @2026
// mode: read
// The same with filters, another moment, or segments. Filters of pages stand inside the index; only tags are looked at
// behind it: `short` says that this may have cost results.
CYPHER 25
CALL () {
  WITH $scope AS scope WHERE scope.pages
  MATCH (p:Page)
    SEARCH p IN (VECTOR INDEX page_embedding FOR $vector
      WHERE p.user_id = $user_id AND p.hidden = false AND p.archived <= $scope.set_aside
        AND p.conversation_id >= $scope.conversations_from AND p.conversation_id <= $scope.conversations_to
        AND p.assistant_id >= $scope.assistants_from AND p.assistant_id <= $scope.assistants_to
        AND p.event_time >= $scope.since AND p.event_time < $scope.before AND p.recorded_at <= $scope.known_at
      LIMIT $limit) SCORE AS score
  RETURN count(p) AS n_pages, collect(CASE WHEN {{page_left_out}} IS NULL THEN {{page_row}} END) AS pages
}
CALL () {
  MATCH (x:Passage)
    SEARCH x IN (VECTOR INDEX passage_embedding FOR $vector
      WHERE x.user_id = $user_id AND x.hidden = false AND x.archived <= $scope.set_aside
        AND x.conversation_id >= $scope.conversations_from AND x.conversation_id <= $scope.conversations_to
        AND x.assistant_id >= $scope.assistants_from AND x.assistant_id <= $scope.assistants_to
        AND x.event_time >= $scope.since AND x.event_time < $scope.before AND x.recorded_at <= $scope.known_at
      LIMIT $limit) SCORE AS score
  MATCH (p:Page)-[:HAS_PASSAGE]->(x)
  RETURN count(x) AS n_passages, collect(CASE WHEN {{page_left_out}} IS NULL THEN {{passage_row}} END) AS passages
}
{{scoped_facts}}
{{near_segments}}
{{dated_pages}}
{{openings}}
RETURN pages, passages, facts, dated, openings, segments, segments_left_out,
       n_pages = $limit AND size(pages) < n_pages OR n_passages = $limit AND size(passages) < n_passages AS short,
       {{vectors_now}} AS vectors

// name: search_near_scoped @5
// mode: read
{{how_to_fetch}}
CALL (overfetch) {
  WITH overfetch WHERE $scope.pages AND NOT overfetch
  MATCH (p:Page {user_id: $user_id})
  WHERE p.hidden = false AND {{page_left_out}} IS NULL AND p.embedding IS NOT NULL
  WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS scanned
}
CALL (overfetch, fetch) {
  WITH overfetch, fetch WHERE $scope.pages AND overfetch
  CALL db.index.vector.queryNodes('page_embedding', fetch, $vector) YIELD node AS p, score
  WHERE p.user_id = $user_id AND p.hidden = false AND {{page_left_out}} IS NULL
  WITH p, score LIMIT $limit
  RETURN collect({{page_row}}) AS fetched
}
CALL () {
  MATCH (p:Page)-[:HAS_PASSAGE]->(x:Passage {user_id: $user_id})
  USING INDEX x:Passage(user_id)
  WHERE p.hidden = false AND {{page_left_out}} IS NULL
  WITH p, x, vector.similarity.cosine(x.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{passage_row}}) AS passages
}
{{scoped_facts}}
{{near_segments}}
{{dated_pages}}
{{openings}}
RETURN scanned + fetched AS pages, passages, facts, dated, openings, segments, segments_left_out,
       overfetch AND $scope.pages AND size(fetched) < $limit AS short,
       {{vectors_now}} AS vectors

// name: search_near_exact
// mode: read
// The scan of all pages of the user and their passages, for when an index gave too few.
CALL () {
  MATCH (p:Page {user_id: $user_id})
  WHERE p.hidden = false AND {{page_left_out}} IS NULL AND p.embedding IS NOT NULL
  WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS pages
}
CALL () {
  MATCH (p:Page)-[:HAS_PASSAGE]->(x:Passage {user_id: $user_id})
  USING INDEX x:Passage(user_id)
  WHERE p.hidden = false AND {{page_left_out}} IS NULL
  WITH p, x, vector.similarity.cosine(x.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{passage_row}}) AS passages
}
RETURN pages, passages

// name: search_gate
// mode: read
// The second stage of the published gate: the nearest pages of the chosen segments.
UNWIND $segment_ids AS segment_id
MATCH (p:Page)-[:IN_SEGMENT]->(:Segment {user_id: $user_id, segment_id: segment_id})
WHERE p.hidden = false AND {{page_left_out}} IS NULL AND p.embedding IS NOT NULL
WITH DISTINCT p
WITH p, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC LIMIT $limit
RETURN collect({{page_row}}) AS pages

// name: search_words
// mode: read
// What holds the question's words, and the neighbours of the best pages. Without words the lists of queries are empty.
// What is left out comes with its reason, to be counted; n_pages and n_facts are what the indexes gave of this user.
CALL () {
  UNWIND $queries AS words
  CALL db.index.fulltext.queryNodes('page_text', words, {limit: $limit}) YIELD node AS p, score
  WHERE score > 0 AND p.user_id = $user_id
  WITH p, score, {{page_left_out}} AS left_out ORDER BY score DESC
  RETURN count(p) AS n_pages, collect(CASE WHEN p.hidden = false AND left_out IS NULL THEN {{page_row}} END) AS pages,
         collect(CASE WHEN p.hidden = false AND left_out IS NOT NULL THEN [p.page_id, left_out] END) AS pages_left_out
}
CALL () {
  UNWIND $queries AS words
  CALL db.index.fulltext.queryNodes('fact_text', words, {limit: $limit}) YIELD node AS f, score
  WHERE score > 0 AND f.user_id = $user_id
  WITH f, score, CASE WHEN f.status = 'current' AND f.valid_to <= $scope.now THEN 'superseded' ELSE f.status END AS state
  RETURN count(f) AS n_facts, collect(CASE WHEN f.hidden = false AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge']
      OR $scope.scoped
    THEN [f.fact_id, score, CASE WHEN state <> 'current' THEN state END, state,
          CASE WHEN state = 'current' AND NOT $scope.scoped THEN {{pages_behind_now}} ELSE [] END] END) AS facts
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
  MATCH (:Page {user_id: $user_id, page_id: page_id})-[beside:NEXT|CONTINUES]-(p:Page)
  WHERE p.hidden = false AND {{page_left_out}} IS NULL
  WITH page_id, p, type(beside) AS beside, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score
  RETURN collect({{page_row}} + [page_id, beside]) AS neighbours
}
RETURN pages, pages_left_out, n_pages, facts, n_facts, sessions, neighbours

// name: search_hits
// mode: read
// What is read and shown of the best pages, facts and segments, with what stands beside the pages and their segments.
CALL () {
  UNWIND $page_ids AS page_id
  MATCH (hit:Page {user_id: $user_id, page_id: page_id})
  WHERE hit.hidden = false
  RETURN collect(hit {.page_id, .user_input, .assistant_response, .tool_text, .quarantined, .event_time, .tier,
    before: COLLECT { MATCH (p:Page)-[:NEXT]->(hit) WHERE p.hidden = false AND {{page_left_out}} IS NULL
      RETURN p {.user_input, .assistant_response, .quarantined} },
    after: COLLECT { MATCH (hit)-[:NEXT]->(p:Page) WHERE p.hidden = false AND {{page_left_out}} IS NULL
      RETURN p {.user_input, .assistant_response, .quarantined} },
    segment_ids: [(hit)-[:IN_SEGMENT]->(s:Segment) | s.segment_id]}) AS pages
}
CALL () {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
  WHERE f.hidden = false
  RETURN collect(f {.fact_id, .text, .valid_from,
    sources: [(f)-[d:DERIVED_FROM {ends: false}]->(p:Page)
      WHERE p.hidden = false AND d.at <= $scope.known_at AND NOT {{page_elsewhere}} |
      {page_id: p.page_id, side: d.side, quote: d.quote, start: d.start, end: d.end, event_time: p.event_time, speaker: d.origin}],
    replaced: COLLECT { MATCH (f)-[:SUPERSEDES*1..20]->(o:Fact)
      WHERE o.hidden = false AND NOT coalesce(o.retired_by, '') IN ['refresh', 'merge']
      RETURN DISTINCT [o.fact_id, CASE WHEN o.status = 'current' THEN 'superseded' ELSE o.status END] }}) AS facts
}
CALL () {
  UNWIND $segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  WHERE s.hidden = false
  RETURN collect(s {.segment_id, .summary, .keywords, .n_visit, .l_interaction, .last_visit_at, .newest_event_at,
    pages: COLLECT { MATCH (p:Page)-[:IN_SEGMENT]->(s) WHERE p.hidden = false
      WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score
      RETURN p {.page_id, .user_input, .assistant_response, .tool_text, .quarantined, .event_time}
      ORDER BY score DESC, p.page_id LIMIT 3 }}) AS segments
}
RETURN pages, facts, segments

// part: vectors_now
COLLECT { MATCH (m:Meta {key: 'database'}) RETURN m {.embedding_model, .embedding_dimension, .reembed} }[0]

// part: page_row
[p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, score]

// part: passage_row
{{page_row}} + [x.side, x.start, x.end]

// part: page_elsewhere
// What the caller's filters leave out; what is not given is null, and null leaves out nothing.
coalesce(p.conversation_id <> $scope.conversation_id OR p.assistant_id <> $scope.assistant_id
    OR p.event_time < $scope.since OR p.event_time >= $scope.until
    OR any(tag IN $scope.tags WHERE NOT tag IN p.tags), false)

// part: page_later
// What had not been stored or said at the moment asked for.
coalesce(p.recorded_at > $scope.known_at OR p.event_time > $scope.as_of, false)

// part: page_held
// All of it reads like orders to a language model: set aside when it was stored.
(p.tier = 'none' AND p.quarantined IS NOT NULL)

// part: page_left_out
// Why a page is left out, null when it is not. Hidden pages are no candidates and are counted nowhere.
CASE WHEN p.archived AND {{page_held}} AND NOT $scope.quarantined THEN 'quarantined'
     WHEN p.archived AND NOT {{page_held}} AND NOT $scope.archived THEN 'archived'
     WHEN {{page_later}} THEN 'by_time'
     WHEN {{page_elsewhere}} THEN 'by_filter' END

// part: how_to_fetch
OPTIONAL MATCH (u:User {user_id: $user_id})
WITH coalesce(u.page_seq, 0) AS own
CALL () {
  MATCH (p:Page)
  RETURN count(p) AS everyone
}
WITH own, 2 * $limit * everyone / CASE WHEN own = 0 THEN 1 ELSE own END AS fetch
WITH fetch, own > 1200 AND fetch < own / 2 AS overfetch

// part: pages_behind_now
COLLECT { MATCH (f)-[:SUPERSEDES*0..20]->(said:Fact)-[:DERIVED_FROM]->(p:Page) WHERE p.archived = false AND p.hidden = false
      RETURN DISTINCT [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, said = f] }

// part: pages_behind
// The pages behind a fact, its own (true) and those of the facts that it replaced (false).
COLLECT { MATCH (f)-[:SUPERSEDES*0..20]->(said:Fact)-[d:DERIVED_FROM]->(p:Page)
      WHERE p.hidden = false AND d.at <= $scope.known_at AND {{page_left_out}} IS NULL
      RETURN DISTINCT [p.page_id, p.session_id, p.event_time.epochSeconds, p.time_words, said = f] }

// part: scoped_facts
// All facts by exact scan, each with the reason why it is left out: as they are now, or by the rule of the two axes
// (facts_at; domain.validity) as they were at a moment. Filters hold when one of the pages that say so passes them.
CALL () {
  MATCH (f:Fact {user_id: $user_id})
  WHERE f.hidden = false AND NOT (coalesce(f.retired_by, '') IN ['refresh', 'merge'] AND f.retired_at <= $scope.known_at)
  CALL (f) {
    MATCH (f)-[d:DERIVED_FROM]->(p:Page)
    WHERE d.ends = false AND d.at <= $scope.known_at AND p.hidden = false
    RETURN min(d.holds_from) AS begins, sum(CASE WHEN {{page_elsewhere}} THEN 0 ELSE 1 END) AS within
  }
  WITH f, within, CASE
    WHEN f.status = 'proposed' OR coalesce(f.proposed, false) THEN 'proposed'
    WHEN NOT $scope.at_moment THEN CASE WHEN f.status = 'current' AND f.valid_to <= $scope.now THEN 'superseded' ELSE f.status END
    WHEN f.recorded_at > $scope.known_at OR coalesce(begins > $scope.true_at, true) THEN 'by_time'
    WHEN f.retired_at <= $scope.known_at THEN 'retracted'
    WHEN CASE WHEN f.closed_at <= $scope.known_at THEN f.valid_to ELSE $scope.never END <= $scope.true_at THEN 'superseded'
    ELSE 'current' END AS state
  WITH f, state, CASE
    WHEN NOT (state = 'current' OR state IN $scope.states) THEN state
    WHEN within = 0 THEN 'by_filter' END AS left_out
  RETURN collect([f.fact_id, CASE WHEN left_out IS NULL THEN coalesce(vector.similarity.cosine(f.embedding, $vector), 0.0) END,
    left_out, state, CASE WHEN left_out IS NULL THEN {{pages_behind}} ELSE [] END]) AS facts
}

// part: near_segments
// The nearest segments by vector and keywords. A summary tells of all pages of its segment: so all of them must be in scope.
CALL () {
  WITH $scope AS scope WHERE scope.n_segments > 0
  MATCH (s:Segment {user_id: $user_id})
  WHERE s.hidden = false AND s.embedding IS NOT NULL
  WITH s, toFloat(size([word IN s.keywords WHERE word IN $keywords])) AS shared,
    CASE WHEN s.archived AND NOT $scope.archived THEN 'archived'
         WHEN $scope.plain THEN null
         WHEN EXISTS { MATCH (p:Page)-[:IN_SEGMENT]->(s) WHERE p.hidden = false AND {{page_later}} } THEN 'by_time'
         WHEN EXISTS { MATCH (p:Page)-[:IN_SEGMENT]->(s) WHERE p.hidden = false AND {{page_elsewhere}} } THEN 'by_filter' END AS left_out
  WITH collect(CASE WHEN left_out IS NOT NULL AND shared > 0 THEN [s.segment_id, left_out] END) AS segments_left_out,
    collect(CASE WHEN left_out IS NULL THEN {node: s, shared: shared} END) AS within
  CALL (within) {
    UNWIND within AS one
    WITH one.node AS s, one.shared AS shared
    WITH s, vector.similarity.cosine(s.embedding, $vector) AS score,
      CASE WHEN shared = 0 THEN 0.0 ELSE shared / (size(s.keywords) + size($keywords) - shared) END AS jaccard
    ORDER BY 2 * score + jaccard DESC, s.segment_id LIMIT $scope.n_segments
    RETURN collect([s.segment_id, score, jaccard, [(p:Page)-[:IN_SEGMENT]->(s) | p.page_id]]) AS segments
  }
  RETURN segments, segments_left_out
}

// part: dated_pages
CALL () {
  UNWIND $spans AS span
  MATCH (p:Page {user_id: $user_id})
  WHERE p.event_time >= span.start AND p.event_time < span.end AND p.hidden = false AND {{page_left_out}} IS NULL
  WITH p, coalesce(vector.similarity.cosine(p.embedding, $vector), 0.0) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({{page_row}}) AS dated
}

// part: openings
CALL () {
  MATCH (p:Page {user_id: $user_id})
  WHERE p.seq > 0 AND p.hidden = false
  WITH p ORDER BY p.seq DESC LIMIT $newest
  UNWIND [p.user_input, p.assistant_response] AS side
  RETURN collect(left(side, 60)) AS openings
}
