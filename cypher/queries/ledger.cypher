// name: facts_stated
// mode: read
// Facts of some predicates, or all, with the statements that carry them; retired ones too, so that what was read
// before is known.
MATCH (f:Fact {user_id: $user_id})
WHERE ($predicates IS NULL OR f.predicate IN $predicates) AND f.hidden = false
OPTIONAL MATCH (f)-[d:DERIVED_FROM]->(p:Page)
WITH f, collect(d {.*, page_id: p.page_id, event_time: p.event_time}) AS sources
RETURN f {.*, embedding: null, embedding_b: null, text: null} AS fact, sources

// name: heard_waiting
// mode: read
// Ends that were read before what they end, and what was only heard of and fits nothing yet.
MATCH (:User {user_id: $user_id})-[h:HEARD]->(p:Page)
WHERE ($predicates IS NULL OR h.predicate IN $predicates) AND p.hidden = false
RETURN h {.*, page_id: p.page_id, event_time: p.event_time} AS heard

// name: write_facts
// mode: write
UNWIND $facts AS row
CREATE (f:Fact {user_id: $user_id, fact_id: row.fact_id})
SET f += row.properties, f.user_key = $user_key
WITH f, row
CALL db.create.setNodeVectorProperty(f, 'embedding', row.vector)
WITH f
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
CREATE (r)-[:MADE]->(f)

// name: copy_facts
// mode: write
// Newer versions of facts: the words and vector of the older one, the times and sources of their own.
UNWIND $rows AS row
MATCH (o:Fact {user_id: $user_id, fact_id: row.of})
CREATE (f:Fact)
SET f = o {.*, fact_id: row.fact_id}
SET f += row.properties
WITH f
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
CREATE (r)-[:MADE]->(f)

// name: change_facts
// mode: write
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
SET f += row.properties

// name: write_sources
// mode: write
// What is said once more is not stale.
UNWIND $rows AS row
MATCH (f:Fact {user_id: $user_id, fact_id: row.fact_id})
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
MERGE (f)-[d:DERIVED_FROM {side: row.side, start: row.start, end: row.end, ends: row.ends}]->(p)
ON CREATE SET d += row.properties, f.stale = false

// name: write_heard
// mode: write
UNWIND $rows AS row
MATCH (u:User {user_id: $user_id})
MATCH (p:Page {user_id: $user_id, page_id: row.page_id})
MERGE (u)-[h:HEARD {predicate: row.predicate, object: row.object, side: row.side, start: row.start, end: row.end}]->(p)
ON CREATE SET h += row.properties

// name: drop_heard
// mode: write
UNWIND $rows AS row
MATCH (:User {user_id: $user_id})-[h:HEARD {predicate: row.predicate, object: row.object, side: row.side, start: row.start, end: row.end}]->(:Page {page_id: row.page_id})
DELETE h

// name: write_supersedes
// mode: write
UNWIND $rows AS row
MATCH (a:Fact {user_id: $user_id, fact_id: row.newer})
MATCH (b:Fact {user_id: $user_id, fact_id: row.older})
MERGE (a)-[s:SUPERSEDES]->(b)
ON CREATE SET s.kind = row.kind, s.actor = $actor, s.at = $now

// name: write_conflicts
// mode: write
UNWIND $rows AS row
MATCH (a:Fact {user_id: $user_id, fact_id: row.a})
MATCH (b:Fact {user_id: $user_id, fact_id: row.b})
MERGE (a)-[c:CONFLICTS_WITH]->(b)
ON CREATE SET c.at = $now, c.detector = $detector
SET c.until = $never

// name: resolve_conflicts
// mode: write
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})-[c:CONFLICTS_WITH]-(:Fact)
WHERE c.until = $never
SET c.until = $now
