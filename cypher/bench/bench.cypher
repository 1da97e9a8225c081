// name: create_bare
// mode: write
// The least that a write can be: what acknowledging a turn is held against.
CREATE (:Bench {text: $text})

// name: delete_bare
// mode: write
MATCH (n:Bench) DELETE n

// name: hold_lock
// mode: write
// What a writer of this user does first, from outside of the store.
MATCH (u:User {user_id: $user_id})
SET u.lock = 'bench'
