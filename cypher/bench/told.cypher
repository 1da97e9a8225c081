// name: told_pages
// mode: read
// A user's pages by the caller's ids: where each stands, and with what.
MATCH (p:Page {user_id: $user_id})
OPTIONAL MATCH (p)-[:IN_CHAIN]->(c:Chain)
OPTIONAL MATCH (first:Page {user_id: $user_id, seq: c.first_seq})
RETURN p.external_id AS id, p.tier AS tier, p.state AS state, p.archived AS archived, first.external_id AS chain,
       COLLECT { MATCH (p)-[m:IN_SEGMENT]->(s:Segment)
                 RETURN [s.summary, m.analysed_run IS NOT NULL] ORDER BY s.summary } AS segments,
       COLLECT { MATCH (p)-[:CONTINUES]->(n:Page) RETURN n.external_id } AS goes_on,
       COLLECT { MATCH (p)-[:NEXT]->(n:Page) RETURN n.external_id } AS next
ORDER BY p.seq

// name: told_segments
// mode: read
MATCH (s:Segment {user_id: $user_id})
RETURN s.summary AS summary, s.keywords AS keywords, s.n_pages AS pages, s.n_unread AS unread, s.n_visit AS visits,
       s.l_interaction AS l, s.version AS version, s.archived AS archived,
       COUNT { (:SegmentVersion)-[:VERSION_OF]->(s) } AS versions
ORDER BY s.summary

// name: told_facts
// mode: read
// By their words, with the words they come from, what they replaced and what disagrees.
MATCH (f:Fact {user_id: $user_id})
RETURN f.kind AS kind, f.predicate AS predicate, f.object AS object, f.text AS text, f.status AS status,
       f.support AS support, toString(date(f.valid_from)) AS valid_from, toString(date(f.valid_to)) AS valid_to,
       f.retired_at < datetime('9000-01-01T00:00Z') AS retired,
       COLLECT { MATCH (f)-[d:DERIVED_FROM]->(p:Page)
                 RETURN [p.external_id, d.side, d.quote] + CASE WHEN d.ends THEN ['ends'] ELSE [] END
                 ORDER BY p.seq, d.start } AS sources,
       COLLECT { MATCH (f)-[s:SUPERSEDES]->(o:Fact) RETURN [s.kind, o.text] ORDER BY o.text } AS supersedes,
       COLLECT { MATCH (f)-[:CONFLICTS_WITH]-(o:Fact) RETURN o.object ORDER BY o.object } AS conflicts
ORDER BY predicate, f.valid_from, object, status

// name: told_profile
// mode: read
MATCH (v:ProfileVersion {user_id: $user_id})
RETURN v.version AS version, toString(date(v.at)) AS at,
       COLLECT { MATCH (f:Fact {user_id: $user_id})
                 WHERE f.fact_id IN v.added RETURN f.text AS text ORDER BY text } AS added,
       COLLECT { MATCH (f:Fact {user_id: $user_id})
                 WHERE f.fact_id IN v.removed RETURN f.text AS text ORDER BY text } AS removed
ORDER BY version

// name: told_events
// mode: read
MATCH (e:Event {user_id: $user_id})
RETURN e.kind AS kind, count(*) AS count
ORDER BY kind

// name: told_runs
// mode: read
MATCH (r:Run {user_id: $user_id})
RETURN r.kind AS kind, r.state AS state, r.rejected AS rejected
