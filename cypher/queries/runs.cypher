// name: write_run
// mode: write
CREATE (r:Run)
SET r = $run

// name: runs_listed
// mode: read
MATCH (r:Run {user_id: $user_id})
WHERE r.run_id < $below AND ($state IS NULL OR r.state = $state)
RETURN r {.*} AS run ORDER BY r.run_id DESC LIMIT $limit

// name: finish_run
// mode: write
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
SET r = $run
