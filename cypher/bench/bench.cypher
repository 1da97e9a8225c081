// name: create_bare
// mode: write
// The least that a write can be: what acknowledging a turn is held against.
CREATE (:Bench {text: $text})

// name: delete_bare
// mode: write
MATCH (n:Bench) DELETE n
