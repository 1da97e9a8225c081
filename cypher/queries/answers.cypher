// name: recent_pages
// mode: read
// The newest pages of short-term memory: of a conversation, or else of an assistant; newest first.
MATCH (p:Page {user_id: $user_id, tier: 'stm'})
USING INDEX p:Page(user_id, tier, seq)
WHERE p.seq > 0 AND p.hidden = false AND p.archived = false AND p.page_id <> $without
  AND CASE WHEN $conversation_id IS NULL THEN p.assistant_id = $assistant_id ELSE p.conversation_id = $conversation_id END
  AND p.recorded_at <= $recorded_until AND ($happened_until IS NULL OR p.event_time <= $happened_until)
RETURN p {.*, embedding: null, embedding_b: null} AS page ORDER BY p.seq DESC LIMIT $limit

// name: context_pages
// mode: read
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false
RETURN p {.*, embedding: null, embedding_b: null} AS page

// name: persona_facts
// mode: read
// What is known of the user and how the assistant is, whatever is asked, and all that is in conflict: what is not settled
// first, then what was pinned, then the newest.
MATCH (f:Fact {user_id: $user_id})
WHERE f.status IN ['current', 'conflicted'] AND f.hidden = false AND (f.status = 'conflicted' OR f.valid_to > $now)
  AND (f.status = 'conflicted' OR f.kind IN $kinds)
RETURN f.fact_id AS fact_id ORDER BY f.status = 'conflicted' DESC, f.pinned DESC, fact_id DESC LIMIT $limit

// name: answer_begins
// mode: read
// What must be known before a model is asked: whether a forget comes between, what the day has cost, and whether the page that asks
// was answered before.
MATCH (u:User {user_id: $user_id})
OPTIONAL MATCH (p:Page {user_id: $user_id, page_id: $page_id})
RETURN u.forget_epoch AS forget_epoch, u.policy AS policy, coalesce(u.spent_day, '') AS spent_day, coalesce(u.spent_calls, 0) AS spent_calls,
       coalesce(u.spent_tokens, 0) AS spent_tokens, p.answer_id AS answer_id

// name: answer_inputs
// mode: read
// How many of the shown items are still as they were shown, and how the page that asks stands.
MATCH (q:Page {user_id: $user_id, page_id: $page_id})
WHERE q.hidden = false
RETURN q {.*, embedding: null, embedding_b: null} AS page,
       COUNT {
         UNWIND $pages AS row
         MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
         WHERE p.content_hash = row.content_hash AND p.hidden = false
       } + COUNT {
         UNWIND $facts AS row
         MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
         WHERE f.hidden = false AND f.status = row.status AND f.text = row.text
       } AS unchanged

// name: write_answer
// mode: write
// The answer, its side of the page that asked, and what the day cost. The page is to be indexed anew, with both sides.
MATCH (u:User {user_id: $user_id})
MATCH (q:Page {user_id: $user_id, page_id: $page_id})
CREATE (a:Answer)-[:DERIVED_FROM {role: 'question', at: $now}]->(q)
SET a = $answer
SET q += $filled
REMOVE q.next_try_at
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END,
    u.spent_calls = $calls + CASE WHEN u.spent_day = $day THEN coalesce(u.spent_calls, 0) ELSE 0 END,
    u.spent_tokens = $tokens + CASE WHEN u.spent_day = $day THEN coalesce(u.spent_tokens, 0) ELSE 0 END,
    u.spent_day = $day

// name: write_answer_links
// mode: write
// What the answer was shown and what it cites, down to the words; and what the answering side of the page rests on. A cited fact was used.
// Gives the segments of the pages that were cited.
MATCH (a:Answer {user_id: $user_id, answer_id: $answer_id})
MATCH (q:Page {user_id: $user_id, page_id: $page_id})
CALL (a) {
  UNWIND $used_pages AS row
  MATCH (p:Page {user_id: $user_id, page_id: row.id})
  CREATE (a)-[u:USED]->(p)
  SET u = row.properties
}
CALL (a) {
  UNWIND $used_facts AS row
  MATCH (f:Fact {user_id: $user_id, fact_id: row.id})
  CREATE (a)-[u:USED]->(f)
  SET u = row.properties, f.used_at = CASE WHEN row.properties.cited THEN $now ELSE f.used_at END
}
CALL (a) {
  UNWIND $citations AS row
  MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
  CREATE (a)-[d:DERIVED_FROM]->(p)
  SET d = row.properties
}
CALL (a) {
  UNWIND $cited_facts AS row
  MATCH (f:Fact {user_id: $user_id, fact_id: row.id})
  CREATE (a)-[d:DERIVED_FROM]->(f)
  SET d = row.properties
}
CALL (q) {
  UNWIND $source_pages AS row
  MATCH (p:Page {user_id: $user_id, page_id: row.id})
  CREATE (q)-[d:DERIVED_FROM]->(p)
  SET d = row.properties
}
CALL (q) {
  UNWIND $source_facts AS row
  MATCH (f:Fact {user_id: $user_id, fact_id: row.id})
  CREATE (q)-[d:DERIVED_FROM]->(f)
  SET d = row.properties
}
RETURN COLLECT {
  UNWIND $citations AS row
  MATCH (:Page {user_id: $user_id, page_id: row.page_id})-[:IN_SEGMENT]->(s:Segment)
  RETURN DISTINCT s.segment_id
} AS segment_ids

// name: give_up_answer
// mode: write
// The question stays as a turn of the user alone, and is indexed now.
MATCH (u:User {user_id: $user_id})
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END,
    u.spent_calls = $calls + CASE WHEN u.spent_day = $day THEN coalesce(u.spent_calls, 0) ELSE 0 END,
    u.spent_tokens = $tokens + CASE WHEN u.spent_day = $day THEN coalesce(u.spent_tokens, 0) ELSE 0 END,
    u.spent_day = $day
WITH u
MATCH (q:Page {user_id: $user_id, page_id: $page_id})
WHERE q.answer_id IS NULL
REMOVE q.next_try_at

// name: answer_by_id
// mode: read
MATCH (a:Answer {user_id: $user_id, answer_id: $answer_id})
WHERE a.hidden = false
RETURN a {.*} AS answer,
       [(a)-[u:USED]->(p:Page) WHERE p.hidden = false | u {.*, kind: 'page', id: p.page_id}] +
       [(a)-[u:USED]->(f:Fact) WHERE f.hidden = false | u {.*, kind: 'fact', id: f.fact_id}] AS used,
       [(a)-[d:DERIVED_FROM {role: 'cited'}]->(p:Page) WHERE p.hidden = false |
        d {.*, page_id: p.page_id, event_time: p.event_time}] AS citations
