// name: forget_state
// mode: read
// Whether something of a user is being forgotten, and how often that was.
MATCH (u:User {user_id: $user_id})
RETURN u.forget_epoch AS epoch,
       EXISTS { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'forget' } AS forgetting

// name: keys_of_ends
// mode: read
// Labels and keys of nodes that a result names only as ends of relationships.
UNWIND $element_ids AS element_id
MATCH (n)
WHERE elementId(n) = element_id AND n.user_id = $user_id
RETURN element_id, labels(n) AS labels, n {.user_id, .conversation_id, .assistant_id, .session_id, .page_id, .passage_id, .chain_id,
       .segment_id, .version_id, .fact_id, .version, .answer_id, .run_id, .receipt_id, .tombstone_id, .seq} AS properties
