// name: write_profile_version
// mode: write
// Which facts about the user became current and which are so no longer; no text.
MATCH (u:User {user_id: $user_id})
SET u.profile_version = coalesce(u.profile_version, 0) + 1
CREATE (v:ProfileVersion {user_id: $user_id, version: u.profile_version})
SET v += $properties
WITH v
OPTIONAL MATCH (r:Run {user_id: $user_id, run_id: v.run_id})
FOREACH (run IN CASE WHEN r IS NULL THEN [] ELSE [r] END | CREATE (run)-[:MADE]->(v))
RETURN v.version AS version

// name: profile_versions
// mode: read
// Versions from the first one on, up to a version and a time.
MATCH (v:ProfileVersion {user_id: $user_id})
WHERE v.version <= $upto AND v.at <= $known_at
RETURN v.version AS version, v.at AS at, v.added AS added, v.removed AS removed, v.run_id AS run_id
ORDER BY version
