// name: export_begin
// mode: read
// The user as an export shows it. What is left out changes while nothing is told: locks, leases, when to look again.
MATCH (u:User {user_id: $user_id})
RETURN u {.*, lock: null, leased_by: null, leased_until: null, due_at: null, imported: null} AS user,
       EXISTS { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'forget' } AS forgetting

// name: export_mark
// mode: read
// Changes with each write of the user, since each takes the lock.
MATCH (u:User {user_id: $user_id})
RETURN u.lock AS lock

// name: export_nodes
// mode: read
// The next nodes of one label by their keys, with their vectors: this is the only query that gives those out.
CALL () {
  WITH 1 AS one WHERE $label = 'Assistant'
  MATCH (n:Assistant {user_id: $user_id})
  WHERE n.assistant_id > $after
  RETURN n, n.assistant_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Conversation'
  MATCH (n:Conversation {user_id: $user_id})
  WHERE n.conversation_id > $after
  RETURN n, n.conversation_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Session'
  MATCH (n:Session {user_id: $user_id})
  WHERE n.session_id > $after
  RETURN n, n.session_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Page'
  MATCH (n:Page {user_id: $user_id})
  WHERE n.page_id > $after AND n.hidden = false
  RETURN n, n.page_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Passage'
  MATCH (n:Passage {user_id: $user_id})
  WHERE n.passage_id > $after AND n.hidden = false
  RETURN n, n.passage_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Chain'
  MATCH (n:Chain {user_id: $user_id})
  WHERE n.chain_id > $after
  RETURN n, n.chain_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Segment'
  MATCH (n:Segment {user_id: $user_id})
  WHERE n.segment_id > $after AND n.hidden = false
  RETURN n, n.segment_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'SegmentVersion'
  MATCH (n:SegmentVersion {user_id: $user_id})
  WHERE n.version_id > $after
  RETURN n, n.version_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Fact'
  MATCH (n:Fact {user_id: $user_id})
  WHERE n.fact_id > $after AND n.hidden = false
  RETURN n, n.fact_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Answer'
  MATCH (n:Answer {user_id: $user_id})
  WHERE n.answer_id > $after AND n.hidden = false
  RETURN n, n.answer_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Run'
  MATCH (n:Run {user_id: $user_id})
  WHERE n.run_id > $after AND n.state <> 'planned'
  RETURN n, n.run_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Receipt'
  MATCH (n:Receipt {user_id: $user_id})
  WHERE n.receipt_id > $after
  RETURN n, n.receipt_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Tombstone'
  MATCH (n:Tombstone {user_id: $user_id})
  WHERE n.tombstone_id > $after
  RETURN n, n.tombstone_id AS key ORDER BY key LIMIT $limit
}
RETURN key, n {.*, embedding: null, embedding_b: null} AS properties, n.embedding AS vector

// name: export_numbered
// mode: read
// The same for those that have a number instead of an id; apart, since a plan is made for one kind of $after.
CALL () {
  WITH 1 AS one WHERE $label = 'ProfileVersion'
  MATCH (n:ProfileVersion {user_id: $user_id})
  WHERE n.version > $after
  RETURN n, n.version AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Event'
  MATCH (n:Event {user_id: $user_id})
  WHERE n.seq > $after AND n.seq <= $until
  RETURN n, n.seq AS key ORDER BY key LIMIT $limit
}
RETURN key, n {.*, embedding: null, embedding_b: null} AS properties, null AS vector

// name: export_relationships
// mode: read
// The next nodes of one label by their keys, with the relationships that leave them.
CALL () {
  WITH 1 AS one WHERE $label = 'User'
  MATCH (n:User {user_id: $user_id})
  WHERE $after = ''
  RETURN n, n.user_id AS key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Page'
  MATCH (n:Page {user_id: $user_id})
  WHERE n.page_id > $after AND n.hidden = false
  RETURN n, n.page_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Chain'
  MATCH (n:Chain {user_id: $user_id})
  WHERE n.chain_id > $after
  RETURN n, n.chain_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Segment'
  MATCH (n:Segment {user_id: $user_id})
  WHERE n.segment_id > $after AND n.hidden = false
  RETURN n, n.segment_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'SegmentVersion'
  MATCH (n:SegmentVersion {user_id: $user_id})
  WHERE n.version_id > $after
  RETURN n, n.version_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Fact'
  MATCH (n:Fact {user_id: $user_id})
  WHERE n.fact_id > $after AND n.hidden = false
  RETURN n, n.fact_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Answer'
  MATCH (n:Answer {user_id: $user_id})
  WHERE n.answer_id > $after AND n.hidden = false
  RETURN n, n.answer_id AS key ORDER BY key LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Run'
  MATCH (n:Run {user_id: $user_id})
  WHERE n.run_id > $after AND n.state <> 'planned'
  RETURN n, n.run_id AS key ORDER BY key LIMIT $limit
}
RETURN key, COLLECT {
         MATCH (n)-[r]->(o)
         WHERE coalesce(o.hidden, false) = false
         RETURN {type: type(r), label: labels(o)[0], properties: properties(r),
                 key: CASE labels(o)[0] WHEN 'Page' THEN o.page_id WHEN 'Fact' THEN o.fact_id WHEN 'Session' THEN o.session_id
                       WHEN 'Passage' THEN o.passage_id WHEN 'Chain' THEN o.chain_id WHEN 'Segment' THEN o.segment_id
                       WHEN 'SegmentVersion' THEN o.version_id WHEN 'ProfileVersion' THEN o.version END}
       } AS relationships
ORDER BY key

// name: head_at
// mode: read
// The newest event of a moment, but not of later than a place in the chain.
MATCH (e:Event {user_id: $user_id})
WHERE e.seq <= $until AND e.at <= $at
RETURN e.seq AS seq, e.hash AS hash ORDER BY seq DESC LIMIT 1

// name: pages_in_evidence
// mode: read
UNWIND $page_ids AS page_id
MATCH (p:Page {user_id: $user_id, page_id: page_id})
WHERE p.hidden = false
RETURN p {.page_id, .conversation_id, .origin, .content_hash, .event_time, .recorded_at, .user_input, .assistant_response, .tool_text,
          .system_text} AS page

// name: import_lock
// mode: write
// The user's lock, whether there is such a user or not.
MERGE (u:User {user_id: $user_id})
ON CREATE SET u.user_key = $user_key, u.page_seq = 0, u.event_seq = 0, u.event_head = '', u.due_at = $never,
              u.forget_epoch = 0, u.failures = 0, u.created_at = $now, u.last_recorded_at = $now
SET u.lock = $lock
WITH u
OPTIONAL MATCH (m:Meta {key: 'database'})
RETURN u.importing AS importing, u.import_line AS line, u.imported AS imported, u.page_seq + u.event_seq = 0 AS empty,
       EXISTS { MATCH (x:Receipt {user_key: $user_key}) } AS left,
       m {.embedding_model, .embedding_dimension} AS vectors

// name: import_progress
// mode: write
// How far an import has come. While `importing` is there, the user takes no other writes.
MATCH (u:User {user_id: $user_id})
SET u.importing = $root, u.import_line = $line

// name: import_clear
// mode: write
// What an import that was given up has left. The user is locked, and has nothing else.
MATCH (n:Page|Passage|Session|Conversation|Assistant|Chain|Segment|SegmentVersion|Fact|ProfileVersion|Answer|Run|Receipt|Tombstone|Event
       {user_id: $user_id})
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS cleared

// name: import_leave
// mode: write
MATCH (u:User {user_id: $user_id})
DETACH DELETE u

// name: import_nodes
// mode: write
// Nodes that reads show are hidden until the last of the file is written. The user is locked.
FOREACH (row IN [r IN $rows WHERE r.label = 'Assistant'] | CREATE (n:Assistant) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Conversation'] | CREATE (n:Conversation) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Session'] | CREATE (n:Session) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Page'] | CREATE (n:Page) SET n = row.properties, n.user_id = $user_id, n.hidden = true)
FOREACH (row IN [r IN $rows WHERE r.label = 'Passage'] | CREATE (n:Passage) SET n = row.properties, n.user_id = $user_id, n.hidden = true)
FOREACH (row IN [r IN $rows WHERE r.label = 'Chain'] | CREATE (n:Chain) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Segment'] | CREATE (n:Segment) SET n = row.properties, n.user_id = $user_id, n.hidden = true)
FOREACH (row IN [r IN $rows WHERE r.label = 'SegmentVersion'] | CREATE (n:SegmentVersion) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Fact'] | CREATE (n:Fact) SET n = row.properties, n.user_id = $user_id, n.hidden = true)
FOREACH (row IN [r IN $rows WHERE r.label = 'ProfileVersion'] | CREATE (n:ProfileVersion) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Answer'] | CREATE (n:Answer) SET n = row.properties, n.user_id = $user_id, n.hidden = true)
FOREACH (row IN [r IN $rows WHERE r.label = 'Run'] | CREATE (n:Run) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Receipt'] | CREATE (n:Receipt) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Tombstone'] | CREATE (n:Tombstone) SET n = row.properties, n.user_id = $user_id)
FOREACH (row IN [r IN $rows WHERE r.label = 'Event'] | CREATE (n:Event) SET n = row.properties, n.user_id = $user_id)

// name: import_vectors
// mode: write
CALL () {
  UNWIND [r IN $rows WHERE r.label = 'Page'] AS row
  MATCH (n:Page {user_id: $user_id, page_id: row.key})
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  RETURN count(n) AS pages
}
CALL () {
  UNWIND [r IN $rows WHERE r.label = 'Passage'] AS row
  MATCH (n:Passage {user_id: $user_id, passage_id: row.key})
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  RETURN count(n) AS passages
}
CALL () {
  UNWIND [r IN $rows WHERE r.label = 'Segment'] AS row
  MATCH (n:Segment {user_id: $user_id, segment_id: row.key})
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  RETURN count(n) AS segments
}
CALL () {
  UNWIND [r IN $rows WHERE r.label = 'Fact'] AS row
  MATCH (n:Fact {user_id: $user_id, fact_id: row.key})
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  RETURN count(n) AS facts
}
RETURN pages + passages + segments + facts AS vectors

// name: import_relationships
// mode: write
// How many were written: less than given, when one of the ends is not there. The user is locked.
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE row.start_label = 'User' MATCH (a:User {user_id: $user_id}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Page' MATCH (a:Page {user_id: $user_id, page_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Chain' MATCH (a:Chain {user_id: $user_id, chain_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Segment' MATCH (a:Segment {user_id: $user_id, segment_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'SegmentVersion' MATCH (a:SegmentVersion {user_id: $user_id, version_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Fact' MATCH (a:Fact {user_id: $user_id, fact_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Answer' MATCH (a:Answer {user_id: $user_id, answer_id: row.start}) RETURN a
  UNION ALL
  WITH row WHERE row.start_label = 'Run' MATCH (a:Run {user_id: $user_id, run_id: row.start}) RETURN a
}
CALL (row) {
  WITH row WHERE row.end_label = 'Page' MATCH (b:Page {user_id: $user_id, page_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'Fact' MATCH (b:Fact {user_id: $user_id, fact_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'Session' MATCH (b:Session {user_id: $user_id, session_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'Passage' MATCH (b:Passage {user_id: $user_id, passage_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'Chain' MATCH (b:Chain {user_id: $user_id, chain_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'Segment' MATCH (b:Segment {user_id: $user_id, segment_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'SegmentVersion' MATCH (b:SegmentVersion {user_id: $user_id, version_id: row.end}) RETURN b
  UNION ALL
  WITH row WHERE row.end_label = 'ProfileVersion' MATCH (b:ProfileVersion {user_id: $user_id, version: row.end}) RETURN b
}
FOREACH (_ IN CASE row.type WHEN 'NEXT' THEN [1] ELSE [] END | CREATE (a)-[r:NEXT]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CONTINUES' THEN [1] ELSE [] END | CREATE (a)-[r:CONTINUES]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'IN_SESSION' THEN [1] ELSE [] END | CREATE (a)-[r:IN_SESSION]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'HAS_PASSAGE' THEN [1] ELSE [] END | CREATE (a)-[r:HAS_PASSAGE]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'IN_CHAIN' THEN [1] ELSE [] END | CREATE (a)-[r:IN_CHAIN]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'IN_SEGMENT' THEN [1] ELSE [] END | CREATE (a)-[r:IN_SEGMENT]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'VERSION_OF' THEN [1] ELSE [] END | CREATE (a)-[r:VERSION_OF]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'DERIVED_FROM' THEN [1] ELSE [] END | CREATE (a)-[r:DERIVED_FROM]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'SUPERSEDES' THEN [1] ELSE [] END | CREATE (a)-[r:SUPERSEDES]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CONFLICTS_WITH' THEN [1] ELSE [] END | CREATE (a)-[r:CONFLICTS_WITH]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'HEARD' THEN [1] ELSE [] END | CREATE (a)-[r:HEARD]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'USED' THEN [1] ELSE [] END | CREATE (a)-[r:USED]->(b) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'MADE' THEN [1] ELSE [] END | CREATE (a)-[r:MADE]->(b) SET r = row.properties)
RETURN count(*) AS written

// name: import_show
// mode: write
// What was imported is there for reads; at most so many of each kind. The user is locked.
CALL () {
  MATCH (n:Page {user_id: $user_id})
  WHERE n.hidden = true
  WITH n LIMIT $limit
  SET n.hidden = false
  RETURN count(n) AS pages
}
CALL () {
  MATCH (n:Passage {user_id: $user_id})
  WHERE n.hidden = true
  WITH n LIMIT $limit
  SET n.hidden = false
  RETURN count(n) AS passages
}
CALL () {
  MATCH (n:Segment {user_id: $user_id})
  WHERE n.hidden = true
  WITH n LIMIT $limit
  SET n.hidden = false
  RETURN count(n) AS segments
}
CALL () {
  MATCH (n:Fact {user_id: $user_id})
  WHERE n.hidden = true
  WITH n LIMIT $limit
  SET n.hidden = false
  RETURN count(n) AS facts
}
CALL () {
  MATCH (n:Answer {user_id: $user_id})
  WHERE n.hidden = true
  WITH n LIMIT $limit
  SET n.hidden = false
  RETURN count(n) AS answers
}
RETURN pages + passages + segments + facts + answers AS shown

// name: import_end
// mode: write
MATCH (u:User {user_id: $user_id})
SET u = $user, u.user_id = $user_id, u.user_key = $user_key, u.lock = $lock, u.due_at = $now, u.imported = $root,
    u.other_key = coalesce($other_key, u.other_key)
