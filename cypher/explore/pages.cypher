// name: said_between
// mode: read
// What was said in a stretch of time.
// $since: a time with an offset
// $until: the other time
MATCH (p:Page {user_id: $user_id})
WHERE datetime($since) <= p.event_time < datetime($until)
RETURN p.event_time AS at, p.user_input AS user, p.assistant_response AS assistant, p.conversation_id AS conversation_id,
       p.page_id AS page_id
ORDER BY at, page_id

// name: said_with
// mode: read
// Where a word was said, by either side, large or small letters alike.
// $words: the word, or some words in a row
MATCH (p:Page {user_id: $user_id})
WHERE toLower(p.user_input) CONTAINS toLower($words) OR toLower(p.assistant_response) CONTAINS toLower($words)
RETURN p.event_time AS at, p.user_input AS user, p.assistant_response AS assistant, p.page_id AS page_id
ORDER BY at, page_id

// name: from_conversation
// mode: read
// What came from a conversation: the facts that rest on its pages, with the words.
// $conversation_id: the conversation
MATCH (p:Page {user_id: $user_id, conversation_id: $conversation_id})<-[d:DERIVED_FROM]-(f:Fact {user_id: $user_id})
RETURN p.event_time AS said_at, d.quote AS quote, f.text AS fact, f.status AS status, f.fact_id AS fact_id, p.page_id AS page_id
ORDER BY said_at, fact_id

// name: from_page
// mode: read
// All that was made of one page: sessions, topics, chains, facts and answers, as a graph.
// $page_id: the page
MATCH (p:Page {user_id: $user_id, page_id: $page_id})
OPTIONAL MATCH (p)-[r]-(x)
RETURN p, r, x

// name: dialogue
// mode: read
// The session a page belongs to, in order.
// $page_id: the page
MATCH (:Page {user_id: $user_id, page_id: $page_id})-[:IN_SESSION]->(s:Session {user_id: $user_id})
MATCH (s)<-[:IN_SESSION]-(p:Page {user_id: $user_id})
RETURN p.seq AS seq, p.event_time AS at, p.user_input AS user, p.assistant_response AS assistant, p.page_id AS page_id
ORDER BY at, seq

// name: what_an_answer_used
// mode: read
// What an answer was shown, and what of it it cites.
// $answer_id: the answer
MATCH (a:Answer {user_id: $user_id, answer_id: $answer_id})-[u:USED]->(x)
RETURN u.marker AS marker, u.part AS part, u.tier AS tier, u.rank AS rank, u.cited AS cited, labels(x)[0] AS kind,
       coalesce(x.user_input, x.text) AS shown, u.score_parts AS score_parts
ORDER BY part, rank

// name: answers_with
// mode: read
// Which answers were shown a fact.
// $fact_id: the fact
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})<-[u:USED]-(a:Answer {user_id: $user_id})
RETURN a.at AS at, a.question AS asked, a.text AS said, u.cited AS cited, a.answer_id AS answer_id
ORDER BY at

// name: what_was_forgotten
// mode: read
// What was forgotten, when and why, in numbers: nothing of the words is left.
MATCH (r:Receipt {user_id: $user_id})
RETURN r.at AS at, r.selector AS chosen_by, r.reason_code AS reason, r.reference AS reference, r.counts AS counts,
       r.receipt_id AS receipt_id
ORDER BY at
