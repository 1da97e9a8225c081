// name: select_pages
// mode: read
// Those of the given pages that are there.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false
RETURN p.page_id AS page_id

// name: select_conversation
// mode: read
MATCH (p:Page {user_id: $user_id, conversation_id: $conversation_id})
WHERE p.hidden = false
RETURN p.page_id AS page_id

// name: select_assistant
// mode: read
MATCH (p:Page {user_id: $user_id})
WHERE p.assistant_id = $assistant_id AND p.hidden = false
RETURN p.page_id AS page_id

// name: select_times
// mode: read
MATCH (p:Page {user_id: $user_id})
WHERE p.event_time >= $since AND p.event_time < $until AND p.hidden = false
RETURN p.page_id AS page_id

// name: select_everything
// mode: read
MATCH (p:Page {user_id: $user_id})
WHERE p.hidden = false
RETURN p.page_id AS page_id

// name: select_words
// mode: read
// Pages with all the words, whatever the order; who asks looks at them once more.
CALL db.index.fulltext.queryNodes('page_text', $lucene) YIELD node AS p
WHERE p.user_id = $user_id AND p.hidden = false
RETURN p.page_id AS page_id, p.user_input AS user, p.assistant_response AS assistant, p.tool_text AS tool

// name: select_facts
// mode: read
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
WHERE f.hidden = false
RETURN f.fact_id AS fact_id

// name: sides_from
// mode: read
// Answering sides that were made from what goes.
CALL () {
  UNWIND $page_ids AS page_id
  MATCH (q:Page)-[:DERIVED_FROM]->(:Page {user_id: $user_id, page_id: page_id})
  RETURN q
  UNION
  UNWIND $fact_ids AS fact_id
  MATCH (q:Page)-[:DERIVED_FROM]->(:Fact {user_id: $user_id, fact_id: fact_id})
  RETURN q
}
WITH DISTINCT q
WHERE q.hidden = false
RETURN q.page_id AS page_id, q.user_input AS user, size(q.assistant_response) AS length

// name: forget_reach
// mode: read
// What else holds words of pages that go or change, and of facts that go.
CALL () {
  UNWIND $page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  RETURN collect(p) AS pages
}
CALL (pages) {
  CALL (pages) {
    UNWIND pages AS p
    MATCH (p)-[:IN_SEGMENT]->(s:Segment)
    RETURN s
    UNION
    UNWIND pages AS p
    MATCH (p)<-[:DERIVED_FROM]-(:SegmentVersion)-[:VERSION_OF]->(s:Segment)
    RETURN s
  }
  RETURN collect({id: s.segment_id, left: COUNT { MATCH (s)<-[:IN_SEGMENT]-(o:Page) WHERE NOT o.page_id IN $gone }}) AS segments
}
CALL (pages) {
  UNWIND pages AS p
  MATCH (p)-[:IN_CHAIN]->(c:Chain)
  RETURN collect(DISTINCT c.chain_id) AS chains
}
CALL (pages) {
  UNWIND pages AS p
  MATCH (p)-[:IN_SESSION]->(s:Session)
  RETURN collect(DISTINCT s.session_id) AS sessions
}
CALL (pages) {
  UNWIND pages AS p
  MATCH (p)-[:NEXT]->(n:Page)
  WHERE n.hidden = false AND NOT n.page_id IN $gone
  RETURN collect(DISTINCT n.page_id) AS followers
}
CALL (pages) {
  CALL (pages) {
    UNWIND pages AS p
    MATCH (a:Answer)-[:DERIVED_FROM]->(p)
    RETURN a
    UNION
    UNWIND $fact_ids AS fact_id
    MATCH (a:Answer)-[:DERIVED_FROM]->(:Fact {user_id: $user_id, fact_id: fact_id})
    RETURN a
  }
  RETURN collect(DISTINCT a.answer_id) AS answers
}
RETURN segments, chains, sessions, followers, answers

// name: texts_of_pages
// mode: read
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
RETURN p {.page_id, .user_input, .assistant_response, .tool_text, .tool_calls, .system_text, .metadata, .tags, .event_time} AS page

// name: system_texts_of_pages
// mode: read
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.system_text <> ''
RETURN DISTINCT p.system_text AS text

// name: texts_of_facts
// mode: read
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
RETURN f.fact_id AS fact_id, f.text AS text, coalesce(f.reason, '') AS reason, f.status AS status

// name: said_alike
// mode: read
// For each phrase a few pages that may hold it.
UNWIND $phrases AS phrase
CALL (phrase) {
  CALL db.index.fulltext.queryNodes('page_text', phrase.lucene, {limit: $limit}) YIELD node AS p
  WHERE p.user_id = $user_id AND p.hidden = false AND NOT p.page_id IN $besides
  RETURN p
}
RETURN phrase.n AS n, p.page_id AS page_id, p.user_input AS user, p.assistant_response AS assistant, p.tool_text AS tool

// name: write_plan
// mode: write
// A plan instead of those that nobody confirmed in time. The user is locked.
CALL () {
  MATCH (old:Run {user_id: $user_id, state: 'planned'})
  WHERE old.expires_at <= $now
  DELETE old
}
CREATE (r:Run)
SET r = $run

// name: plan_by_id
// mode: read
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
WHERE r.kind = 'forget'
RETURN r {.*} AS run

// name: begin_forget
// mode: write
// From here on the plan runs, and what others computed before is not written (I15).
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
SET r.state = 'running', r.started_at = $now, r.counts = $counts, r.item_ids = $item_ids, r.system_keys = $system_keys,
    r.items = null, r.chosen_pages = null, r.chosen_facts = null
WITH r
MATCH (u:User {user_id: $user_id})
SET u.forget_epoch = u.forget_epoch + 1, u.due_at = $now, u.tombstone_key = $tombstone_key

// name: drop_vectors
// mode: write
// Pages as they were before they were indexed: whole, found by their words, and indexed again if they stay.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false AND p.state = 'indexed'
SET p.state = 'stored'
REMOVE p.embedding, p.embedding_b
WITH p
OPTIONAL MATCH (p)-[:HAS_PASSAGE]->(x:Passage)
DETACH DELETE x

// name: hide_pages
// mode: write
// What a reader is shown stays until the page is deleted: a commit is not applied in one moment, and who read `hidden` just
// before it may read another property just after it. The vector goes first: `hidden` is a property that its index filters
// by, so the server would read the vector, and index it anew, for each page.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
REMOVE p.embedding, p.embedding_b, p.text, p.user_key, p.late, p.next_try_at
SET p.hidden = true, p.state = 'forgotten', p.tier = 'none', p.forget_run = $run_id
WITH p
OPTIONAL MATCH (p)-[:HAS_PASSAGE]->(x:Passage)
DETACH DELETE x

// name: change_pages
// mode: write
// Pages that lose words: as they are now, to be indexed anew.
UNWIND $rows AS row
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
SET p += row.properties, p.state = 'stored'
REMOVE p.text, p.user_key, p.embedding, p.embedding_b, p.keywords, p.asked_hash, p.answer_id, p.next_try_at, p.request_key
WITH p
OPTIONAL MATCH (p)-[:HAS_PASSAGE]->(x:Passage)
DETACH DELETE x

// name: cut_sources
// mode: write
// A page that lost its answering side is made from nothing any more.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})-[d:DERIVED_FROM]->()
DELETE d

// name: refresh_followers
// mode: write
// Their vectors carry words of the page before them.
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false
SET p.state = 'stored'
REMOVE p.embedding, p.embedding_b

// name: hide_derived
// mode: write
// Nobody reads what was made from words that go, until it is made anew.
CALL () {
  UNWIND $segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  REMOVE s.embedding, s.embedding_b
  SET s.hidden = true, s.forget_run = $run_id
  WITH s
  OPTIONAL MATCH (v:SegmentVersion)-[:VERSION_OF]->(s)
  DETACH DELETE v
}
CALL () {
  UNWIND $chain_ids AS chain_id
  MATCH (c:Chain {user_id: $user_id, chain_id: chain_id})
  SET c.summary = '', c.forget_run = $run_id
  REMOVE c.embedding, c.embedding_b
}
CALL () {
  UNWIND $session_ids AS session_id
  MATCH (s:Session {user_id: $user_id, session_id: session_id})
  SET s.forget_run = $run_id
  REMOVE s.text
}
CALL () {
  UNWIND $answer_ids AS answer_id
  MATCH (a:Answer {user_id: $user_id, answer_id: answer_id})
  SET a.hidden = true
}
CALL () {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
  REMOVE f.embedding, f.embedding_b, f.user_key
  SET f.hidden = true
}

// name: forget_requests
// mode: write
// What a repeat of a request is compared with was made from its words.
MATCH (r:Request {user_id: $user_id})
WHERE any(id IN r.ids WHERE id IN $ids)
REMOVE r.request_hash

// name: write_tombstones
// mode: write
UNWIND $rows AS row
CREATE (t:Tombstone {user_id: $user_id, at: $now})
SET t += row

// name: drop_sources
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})-[d:DERIVED_FROM {side: row.side, start: row.start, end: row.end, ends: row.ends}]->(:Page {page_id: row.page_id})
DELETE d

// name: restate_sources
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})-[d:DERIVED_FROM {side: row.side, start: row.start, end: row.end, ends: row.ends}]->(:Page {page_id: row.page_id})
SET d.holds_from = row.holds_from

// name: links_between
// mode: read
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
MATCH (n:Fact)-[s:SUPERSEDES]->(f)
WHERE s.kind IN ['change', 'correction']
RETURN n.fact_id AS newer, f.fact_id AS older

// name: drop_links
// mode: write
UNWIND $rows AS row
MATCH (n:Fact {user_id: $user_id, fact_id: row.newer})-[s:SUPERSEDES]->(:Fact {fact_id: row.older})
WHERE s.kind IN ['change', 'correction']
DELETE s

// name: restate_facts
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
SET f += row.properties
FOREACH (_ IN CASE WHEN row.reworded THEN [1] ELSE [] END | REMOVE f.embedding, f.embedding_b)

// name: tombstones_of
// mode: read
UNWIND $page_ids AS page_id
MATCH (t:Tombstone {user_id: $user_id, page_id: page_id})
RETURN t {.*} AS tombstone

// name: tombstones_met
// mode: read
// Turns that were forgotten: told again under their id, with their time, or by a repeat of the same request. A page that
// waits to be deleted has no tombstone yet; by its id and its request it is known as any page is.
CALL () {
  UNWIND $id_keys AS key
  MATCH (t:Tombstone {user_id: $user_id, id_key: key})
  RETURN key, t.page_id AS page_id
  UNION
  UNWIND $content_keys AS key
  MATCH (t:Tombstone {user_id: $user_id, content_key: key})
  RETURN key, t.page_id AS page_id
  UNION
  UNWIND $request_keys AS key
  MATCH (t:Tombstone {user_id: $user_id, request_key: key})
  RETURN key, t.page_id AS page_id
  UNION
  WITH 1 AS one WHERE size($content_hashes) > 0
  MATCH (p:Page {user_id: $user_id, state: 'forgotten'})
  WHERE p.seq > 0 AND coalesce(p.asked_hash, p.content_hash) IN $content_hashes
  RETURN coalesce(p.asked_hash, p.content_hash) AS key, p.page_id AS page_id
}
RETURN key, page_id

// name: forgets_running
// mode: read
MATCH (r:Run {user_id: $user_id, state: 'running'})
WHERE r.kind = 'forget'
RETURN r {.run_id, .selector} AS run ORDER BY r.run_id

// name: forgotten_pages
// mode: read
// Pages that wait to be deleted, with what a turn is known again by.
MATCH (p:Page {user_id: $user_id, state: 'forgotten'})
WHERE p.seq > 0
RETURN p {.page_id, .forget_run, .external_id, .request_key, content_hash: coalesce(p.asked_hash, p.content_hash)} AS page
LIMIT $limit

// name: delete_pages
// mode: write
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
DETACH DELETE p

// name: delete_hidden
// mode: write
CALL () {
  MATCH (f:Fact {user_id: $user_id})
  WHERE f.hidden
  WITH f LIMIT $limit
  DETACH DELETE f
  RETURN count(*) AS facts
}
CALL () {
  MATCH (a:Answer {user_id: $user_id})
  WHERE a.hidden
  WITH a LIMIT $limit
  DETACH DELETE a
  RETURN count(*) AS answers
}
RETURN facts + answers AS deleted

// name: mend_sessions
// mode: write
// Sessions that lost pages: gone with their last one, else told anew, with what is left in a row.
MATCH (s:Session {user_id: $user_id})
WHERE s.forget_run = $run_id
WITH s LIMIT $limit
CALL (s) {
  OPTIONAL MATCH (p:Page)-[:IN_SESSION]->(s)
  WITH p ORDER BY p.seq
  RETURN collect(p) AS pages
}
CALL (pages) {
  UNWIND range(0, size(pages) - 2) AS i
  WITH pages[i] AS a, pages[i + 1] AS b
  MERGE (a)-[:NEXT]->(b)
}
CALL (s, pages) {
  WITH s, pages WHERE size(pages) > 0
  WITH s, pages, [p IN pages WHERE p.tier = 'mtm' | coalesce(p.text, '')] AS texts
  SET s.n_pages = size(pages), s.last_at = pages[-1].event_time,
      s.text = CASE WHEN size(texts) > 0 THEN reduce(whole = '', text IN texts | whole + text + '\n') END
  REMOVE s.forget_run
}
WITH s.conversation_id AS conversation_id, s, pages
CALL (s, pages) {
  WITH s, pages WHERE size(pages) = 0
  DETACH DELETE s
}
RETURN DISTINCT conversation_id

// name: mend_conversations
// mode: write
UNWIND $conversation_ids AS conversation_id
MATCH (c:Conversation {user_id: $user_id, conversation_id: conversation_id})
OPTIONAL CALL (c) {
  MATCH (p:Page {user_id: $user_id, conversation_id: c.conversation_id})
  WHERE p.seq > 0
  RETURN p ORDER BY p.seq DESC LIMIT 1
}
SET c.last_page_id = p.page_id, c.last_session_id = p.session_id
WITH c WHERE c.last_page_id IS NULL
DETACH DELETE c

// name: mend_assistants
// mode: write
MATCH (a:Assistant {user_id: $user_id})
SET a.system_keys = [key IN coalesce(a.system_keys, []) WHERE NOT key IN $system_keys]
WITH a
WHERE NOT EXISTS { MATCH (p:Page {user_id: $user_id}) WHERE p.assistant_id = a.assistant_id }
DETACH DELETE a

// name: chains_left
// mode: read
MATCH (c:Chain {user_id: $user_id})
WHERE c.forget_run = $run_id
WITH c LIMIT $limit
RETURN c.chain_id AS chain_id, [(p:Page)-[:IN_CHAIN]->(c) | p {.*, embedding: null, embedding_b: null}] AS pages

// name: mend_chains
// mode: write
UNWIND $rows AS row
MATCH (c:Chain {user_id: $user_id, chain_id: row.chain_id})
FOREACH (_ IN CASE WHEN row.empty THEN [1] ELSE [] END | DETACH DELETE c)
FOREACH (_ IN CASE WHEN row.empty THEN [] ELSE [1] END |
  SET c.summary = row.summary, c.first_seq = row.first_seq, c.last_seq = row.last_seq REMOVE c.forget_run)

// name: segments_left
// mode: read
MATCH (s:Segment {user_id: $user_id})
WHERE s.forget_run = $run_id
WITH s LIMIT $limit
RETURN s.segment_id AS segment_id, s.version AS version,
       [(p:Page)-[m:IN_SEGMENT]->(s) | p {.*, embedding: null, embedding_b: null, unread: m.analysed_run IS NULL}] AS pages

// name: mend_segments
// mode: write
// With a first version of its own again: the old ones may have told what goes.
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
WHERE s.forget_run = $run_id
SET s += row.properties, s.hidden = false, s.archived = row.archived, s.to_summarize = CASE WHEN $by_model THEN true END
REMOVE s.forget_run
WITH s, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
CREATE (v:SegmentVersion {user_id: $user_id, version_id: row.version_id, version: s.version, summary: s.summary,
                          keywords: s.keywords, at: $now, model: 'extractive', prompt_hash: ''})
CREATE (v)-[:VERSION_OF]->(s)
WITH s, v
CALL (s, v) {
  MATCH (p:Page)-[:IN_SEGMENT]->(s)
  CREATE (v)-[:DERIVED_FROM {run_id: $run_id}]->(p)
}
WITH DISTINCT $by_model AS by_model
WHERE by_model
MATCH (u:User {user_id: $user_id})
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END

// name: delete_segments
// mode: write
UNWIND $segment_ids AS segment_id
MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
WHERE s.forget_run = $run_id
DETACH DELETE s

// name: facts_without_vector
// mode: read
MATCH (f:Fact {user_id: $user_id})
WHERE f.hidden = false AND f.embedding IS NULL
RETURN f.fact_id AS fact_id, f.text AS text LIMIT $limit

// name: write_fact_vectors
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
WHERE f.text = row.text
CALL db.create.setNodeVectorProperty(f, 'embedding', row.vector)

// name: write_receipt
// mode: write
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
WHERE r.state = 'running'
SET r.state = 'done', r.ended_at = $now, r.item_ids = null, r.system_keys = null
CREATE (x:Receipt)
SET x = $receipt

// name: delete_rest
// mode: write
// All else of a user of whom everything is forgotten, some at a time.
CALL () {
  MATCH (n:Conversation|Session|Assistant|Passage|Chain|Segment|SegmentVersion|Fact|Answer|ProfileVersion|Request {user_id: $user_id})
  WITH n LIMIT $limit
  DETACH DELETE n
  RETURN count(*) AS nodes
}
CALL () {
  MATCH (r:Run {user_id: $user_id})
  WHERE r.run_id <> $run_id
  WITH r LIMIT $limit
  DETACH DELETE r
  RETURN count(*) AS runs
}
CALL () {
  MATCH (u:User {user_id: $user_id})
  MATCH (e:Event {user_id: $user_id})
  WHERE e.seq < u.event_seq
  WITH e LIMIT $limit
  DELETE e
  RETURN count(*) AS events
}
CALL () {
  MATCH (t:Tombstone {user_id: $user_id})
  WITH t LIMIT $limit
  SET t.user_key = $user_key
  REMOVE t.user_id
  RETURN count(*) AS tombstones
}
RETURN nodes + runs + events + tombstones AS done

// name: leave_user
// mode: write
// What stays of a user of whom everything is forgotten: receipts and the last event, under the keyed hash of the id.
CALL () {
  MATCH (u:User {user_id: $user_id})
  MATCH (e:Event {user_id: $user_id})
  WHERE e.seq < u.event_seq
  DELETE e
}
CALL () {
  MATCH (n:Receipt|Event {user_id: $user_id})
  SET n.user_key = $user_key
  REMOVE n.user_id
}
CALL () {
  MATCH (r:Run {user_id: $user_id})
  DETACH DELETE r
}
MATCH (u:User {user_id: $user_id})
DETACH DELETE u

// name: adopt_left
// mode: write
// A user who comes back after all was forgotten: what is forgotten stays so, and the chain of events goes on.
MATCH (u:User {user_id: $user_id})
CALL () {
  MATCH (t:Tombstone {user_key: $user_key})
  SET t.user_id = $user_id
  REMOVE t.user_key
}
CALL (u) {
  MATCH (e:Event {user_key: $user_key})
  SET e.user_id = $user_id, u.event_seq = e.seq, u.event_head = e.hash
  REMOVE e.user_key
}
CALL (u) {
  MATCH (x:Receipt {user_key: $user_key})
  SET x.user_id = $user_id, u.tombstone_key = coalesce(u.tombstone_key, x.tombstone_key)
  REMOVE x.user_key
}
RETURN u.event_seq AS event_seq, u.event_head AS event_head, u.tombstone_key AS tombstone_key

// name: receipts_of
// mode: read
// Receipts of a user, or those left under the keyed hash of the id once everything was forgotten.
CALL () {
  MATCH (x:Receipt {user_id: $user_id})
  RETURN x
  UNION
  MATCH (x:Receipt {user_key: $user_key})
  RETURN x
}
RETURN x {.*} AS receipt ORDER BY x.receipt_id DESC

// name: came_back
// mode: read
// Which of the forgotten things are there again: by their id, or as a fact at words that are forgotten.
CALL () {
  UNWIND $item_ids AS id
  MATCH (p:Page {user_id: $user_id, page_id: id})
  RETURN id
  UNION
  UNWIND $item_ids AS id
  MATCH (f:Fact {user_id: $user_id, fact_id: id})
  RETURN id
  UNION
  MATCH (t:Tombstone {user_id: $user_id, run_id: $run_id, kind: 'span'})
  MATCH (p:Page {user_id: $user_id, page_id: t.page_id})
  MATCH (f:Fact)-[d:DERIVED_FROM]->(p)
  WHERE f.hidden = false AND d.side = t.side AND d.start < t.end AND d.end > t.start
  RETURN f.fact_id AS id
}
RETURN id

// name: tombstones_of_run
// mode: read
CALL () {
  MATCH (t:Tombstone {user_id: $user_id})
  RETURN t
  UNION
  MATCH (t:Tombstone {user_key: $user_key})
  RETURN t
}
WITH t WHERE t.run_id = $run_id
RETURN t.content_key AS content_key

// name: pages_hashed
// mode: read
// Pages with what a tombstone is compared with, some at a time.
MATCH (p:Page {user_id: $user_id})
WHERE p.seq > $after AND p.hidden = false
RETURN p.seq AS seq, p.page_id AS page_id, p.recorded_at AS recorded_at,
       coalesce(p.asked_hash, p.content_hash) AS content_hash, p.user_input AS user, p.assistant_response AS assistant,
       p.tool_text AS tool, p.system_text AS system, p.metadata AS metadata
ORDER BY p.seq LIMIT $limit

// name: texts_derived
// mode: read
// All texts that were made from pages.
CALL () {
  MATCH (f:Fact {user_id: $user_id})
  WHERE f.hidden = false
  RETURN f.fact_id AS id, f.text + '\n' + f.object + '\n' + coalesce(f.reason, '') AS text
  UNION ALL
  MATCH (s:Segment {user_id: $user_id})
  WHERE s.hidden = false
  RETURN s.segment_id AS id, s.summary + '\n' + reduce(all = '', word IN s.keywords | all + word + '\n') AS text
  UNION ALL
  MATCH (c:Chain {user_id: $user_id})
  RETURN c.chain_id AS id, coalesce(c.summary, '') AS text
  UNION ALL
  MATCH (a:Answer {user_id: $user_id})
  WHERE a.hidden = false
  RETURN a.answer_id AS id, a.question + '\n' + a.text AS text
}
RETURN id, text
