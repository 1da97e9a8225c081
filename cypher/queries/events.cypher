// name: events_listed
// mode: read
MATCH (e:Event {user_id: $user_id})
WHERE e.seq < $below AND ($kind IS NULL OR e.kind = $kind)
RETURN e {.*} AS event ORDER BY e.seq DESC LIMIT $limit

// name: event_head
// mode: read
MATCH (u:User {user_id: $user_id})
OPTIONAL MATCH (e:Event {user_id: $user_id, seq: u.event_seq})
RETURN u.event_seq AS seq, u.event_head AS hash, e.at AS at

// name: events_after
// mode: read
// The next events of the chain.
MATCH (e:Event {user_id: $user_id})
WHERE e.seq > $after
RETURN e {.*} AS event ORDER BY e.seq LIMIT $limit

// name: events_unplaced
// mode: read
// Events without a place in a chain that begins with 1.
MATCH (e:Event {user_id: $user_id})
WHERE coalesce(e.seq >= 1, false) = false
RETURN count(e) AS events

// name: events_following
// mode: read
// Those that claim to follow an event of that hash, wherever they stand.
MATCH (e:Event {user_id: $user_id})
WHERE e.prev_hash = $hash
RETURN e {.*} AS event LIMIT $limit

// name: events_of_another_key
// mode: read
// Up to which event the chain came with an import from a database with another secret key.
MATCH (u:User {user_id: $user_id})
RETURN coalesce(u.other_key, 0) AS seq

// name: exports_taken
// mode: read
MATCH (e:Event {user_id: $user_id})
WHERE e.kind = 'export'
RETURN count(e) AS exports, max(e.at) AS last_at
