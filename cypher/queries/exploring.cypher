// name: settled_state
// mode: read
// Whether a forget or an import is half-done, and which were done.
MATCH (u:User {user_id: $user_id})
RETURN [toString(u.forget_epoch), u.imported] AS done,
       u.importing IS NOT NULL OR EXISTS { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'forget' } AS half_done

// name: keys_of_ends
// mode: read
// Labels and keys of nodes that a result names only as ends of relationships.
UNWIND $element_ids AS element_id
MATCH (n)
WHERE elementId(n) = element_id AND n.user_id = $user_id
RETURN element_id, labels(n) AS labels, n {.user_id, .conversation_id, .assistant_id, .session_id, .page_id, .passage_id, .chain_id,
       .segment_id, .version_id, .fact_id, .version, .answer_id, .run_id, .receipt_id, .tombstone_id, .seq} AS properties
