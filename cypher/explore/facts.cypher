// name: why
// mode: read
// Why is this believed: the words that say so, who said them, when, and who read them.
// $fact_id: the fact
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})-[d:DERIVED_FROM]->(p:Page {user_id: $user_id})
RETURN f.text AS fact, d.quote AS quote, d.origin AS said_by, p.event_time AS said_at, d.ends AS ends_it, d.act AS decision,
       f.extractor AS read_by, f.model AS model, f.prompt_hash AS prompt_hash, p.page_id AS page_id, d.side AS side, d.start AS start
ORDER BY said_at

// name: what_changed
// mode: read
// What changed between two moments: what was learnt, what ended, and what was taken back.
// $since: a time with an offset, such as 2026-03-01T00:00:00Z
// $until = null: the other time; now without it
WITH datetime($since) AS since, coalesce(datetime($until), datetime()) AS until
MATCH (f:Fact {user_id: $user_id})
WHERE coalesce(f.proposed, false) = false
UNWIND [{what: 'learnt', at: f.recorded_at}, {what: 'ended', at: f.closed_at}, {what: 'taken back', at: f.retired_at}] AS change
WITH f, change, since, until
WHERE since <= change.at < until
RETURN change.at AS at, change.what AS what, f.text AS fact, f.valid_from AS true_from, f.valid_to AS true_until, f.fact_id AS fact_id
ORDER BY at, fact_id, what

// name: what_superseded_what
// mode: read
// What took the place of what, how, and why.
MATCH (newer:Fact {user_id: $user_id})-[s:SUPERSEDES]->(older:Fact {user_id: $user_id})
RETURN s.at AS at, older.text AS before, s.kind AS kind, newer.text AS now, s.actor AS by, s.reason AS reason,
       older.fact_id AS before_id, newer.fact_id AS now_id
ORDER BY at, now_id

// name: corrections
// mode: read
// What callers decided: corrections, changes, retractions and confirmations, with the reason.
MATCH (f:Fact {user_id: $user_id})-[d:DERIVED_FROM]->(p:Page {user_id: $user_id})
WHERE d.act IS NOT NULL
OPTIONAL MATCH (f)-[s:SUPERSEDES]->(older:Fact {user_id: $user_id})
RETURN p.recorded_at AS at, d.act AS decision, f.text AS fact, older.text AS in_place_of, coalesce(s.reason, d.reason) AS reason,
       f.fact_id AS fact_id
ORDER BY at, fact_id

// name: contradictions
// mode: read
// What contradicts what, and is not settled.
MATCH (a:Fact {user_id: $user_id})-[c:CONFLICTS_WITH]->(b:Fact {user_id: $user_id})
WHERE c.until = datetime('9999-12-31T00:00:00Z')
RETURN c.at AS noticed_at, a.text AS one, b.text AS other, c.detector AS noticed_by, a.fact_id AS one_id, b.fact_id AS other_id
ORDER BY noticed_at, one_id

// name: facts_on_one_page
// mode: read
// Which current facts rest on one page only: if that page goes, they go.
MATCH (f:Fact {user_id: $user_id, status: 'current'})-[d:DERIVED_FROM]->(p:Page {user_id: $user_id})
WITH f, collect(DISTINCT p) AS pages, collect(d.quote) AS quotes
WHERE size(pages) = 1
RETURN f.text AS fact, quotes[0] AS quote, head(pages).event_time AS said_at, f.fact_id AS fact_id, head(pages).page_id AS page_id
ORDER BY said_at, fact_id

// name: unused_facts
// mode: read
// Which current facts no answer was ever shown.
MATCH (f:Fact {user_id: $user_id, status: 'current'})
WHERE NOT EXISTS { (f)<-[:USED]-(:Answer {user_id: $user_id}) }
RETURN f.text AS fact, f.recorded_at AS known_since, f.fact_id AS fact_id
ORDER BY known_since, fact_id

// name: true_at
// mode: read
// What was true at a moment, as it is believed now.
// $at: a time with an offset
WITH datetime($at) AS at
MATCH (f:Fact {user_id: $user_id})
WHERE f.valid_from <= at < f.valid_to AND f.retired_at > datetime() AND coalesce(f.proposed, false) = false
RETURN f.text AS fact, f.valid_from AS true_from, f.valid_to AS true_until, f.status AS status, f.fact_id AS fact_id
ORDER BY true_from, fact_id

// name: profile_history
// mode: read
// How the profile came about: what each version added and removed.
MATCH (v:ProfileVersion {user_id: $user_id})
RETURN v.version AS version, v.at AS at,
       COLLECT { MATCH (f:Fact {user_id: $user_id}) WHERE f.fact_id IN v.added RETURN f.text ORDER BY f.text } AS added,
       COLLECT { MATCH (f:Fact {user_id: $user_id}) WHERE f.fact_id IN v.removed RETURN f.text ORDER BY f.text } AS removed
ORDER BY version
