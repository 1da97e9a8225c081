// name: fact_to_decide
// mode: read
// A fact before something is decided about it, and where it was first said: there the decision belongs, too.
MATCH (u:User {user_id: $user_id})
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
OPTIONAL MATCH (f)-[:DERIVED_FROM {ends: false}]->(p:Page)
WITH u, f, p ORDER BY p.event_time, p.page_id
WITH u, f, collect(p {.conversation_id, .assistant_id}) AS told
RETURN u.forget_epoch AS forget_epoch, f {.kind, .subject, .predicate, .object, .text, .sensitivity, .reason, .pinned} AS fact,
       told[0] AS told

// name: note_reason_of_change
// mode: write
// Why one fact took the place of another, in the caller's words; they stand nowhere else.
UNWIND $rows AS row
MATCH (a:Fact {user_id: $user_id, fact_id: row.newer})-[s:SUPERSEDES]->(b:Fact {user_id: $user_id, fact_id: row.older})
SET s.reason = $reason

// name: note_reason_of_decision
// mode: write
// Why a fact was retracted, restored or confirmed where nothing took its place.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})-[d:DERIVED_FROM]->(:Page {page_id: $page_id})
SET d.reason = $reason

// name: pin_fact
// mode: write
// `done` is false, and nothing is changed, when the fact is not of the version that the caller saw.
MATCH (f:Fact {user_id: $user_id, fact_id: $fact_id})
WHERE f.hidden = false
WITH f, $version IS NULL OR f.version = $version AS done
SET f.pinned = CASE WHEN done THEN $pinned ELSE f.pinned END,
    f.version = CASE WHEN done THEN f.version + 1 ELSE f.version END
RETURN done, f.version AS version
