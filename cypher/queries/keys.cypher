// name: create_key
// mode: write
CREATE (k:ApiKey)
SET k = $key

// name: keys_listed
// mode: read
// All keys, also revoked ones; few, and global.
MATCH (k:ApiKey)
RETURN k {.*} AS key ORDER BY k.key_id

// name: revoke_key
// mode: write
// Gives the key as it is then; the first revocation counts.
MATCH (k:ApiKey {key_id: $key_id})
SET k.revoked_at = coalesce(k.revoked_at, $now)
RETURN k {.*} AS key
