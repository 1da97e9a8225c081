// name: fill_log
// mode: write
// a text that is written over and over, so that the transaction log begins a new file
MATCH (m:Meta {key: 'database'})
SET m.log_filler = $text

// name: set_residue_erased
// mode: write
MATCH (m:Meta {key: 'database'})
SET m.residue_erased_at = $at

// name: residue_erased_at
// mode: read
MATCH (m:Meta {key: 'database'})
RETURN m.residue_erased_at AS at

// name: count_nodes
// mode: read
RETURN COUNT { (n) } AS nodes, COUNT { (:Page) } + COUNT { (:Passage) } + COUNT { (:Fact) } AS vectors
