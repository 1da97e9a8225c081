// name: begin_run
// mode: write
// A step begins: its run, and one more attempt for each thing that it works for. The user is locked.
MATCH (u:User {user_id: $user_id})
CREATE (r:Run)
SET r = $run, r.page_ids = $page_ids, r.segment_ids = $segment_ids
WITH u, r
CALL (u) {
  UNWIND $page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  SET p.attempts = p.attempts + 1
  RETURN coalesce(max(p.attempts), 0) AS of_pages
}
CALL (u) {
  UNWIND $segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  SET s.attempts = coalesce(s.attempts, 0) + 1
  RETURN coalesce(max(s.attempts), 0) AS of_segments
}
SET r.attempts = CASE WHEN of_segments > 0 THEN of_segments WHEN of_pages > 0 THEN of_pages ELSE 1 END
RETURN r.attempts AS attempts

// name: finish_run
// mode: write
// A step ends well: attempts count anew, what its calls cost is the user's. No row when the run was given up meanwhile.
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
WHERE r.state = 'running'
MATCH (u:User {user_id: $user_id})
WITH r, u, coalesce(u.spent_day, '') = $day AS today
SET u.spent_calls = CASE WHEN today THEN u.spent_calls ELSE 0 END + $calls,
    u.spent_tokens = CASE WHEN today THEN u.spent_tokens ELSE 0 END + $tokens, u.spent_day = $day
SET r += $end
WITH r
CALL (r) {
  UNWIND r.page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  SET p.attempts = 0
  REMOVE p.next_try_at
}
CALL (r) {
  UNWIND r.segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  SET s.attempts = 0
  REMOVE s.next_try_at
}
RETURN r {.*} AS run

// name: fail_run
// mode: write
// A step ends without a result: what it worked for waits, or is parked. No row when the run has ended already.
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
WHERE r.state = 'running'
MATCH (u:User {user_id: $user_id})
WITH r, u, coalesce(u.spent_day, '') = $day AS today
SET u.spent_calls = CASE WHEN today THEN u.spent_calls ELSE 0 END + $calls,
    u.spent_tokens = CASE WHEN today THEN u.spent_tokens ELSE 0 END + $tokens, u.spent_day = $day
SET r += $end
FOREACH (_ IN CASE WHEN $parked THEN [1] ELSE [] END | SET u.parked = coalesce(u.parked, 0) + 1, u.retry_at = $retry_at)
WITH r
CALL (r) {
  UNWIND r.page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  SET p.attempts = p.attempts - $undone, p.next_try_at = $next_try_at,
      p.state = CASE WHEN $parked THEN 'failed' ELSE p.state END
}
CALL (r) {
  UNWIND r.segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  SET s.attempts = s.attempts - $undone, s.next_try_at = $next_try_at, s.parked = $parked
}
RETURN r {.*} AS run

// name: defer_work
// mode: write
// The budget of the day is spent: one run of the day says so. The user is locked.
MATCH (u:User {user_id: $user_id})
WHERE coalesce(u.deferred_day, '') <> $day
SET u.deferred_day = $day
CREATE (r:Run)
SET r = $run, r.page_ids = [], r.segment_ids = []

// name: parked_runs
// mode: read
MATCH (r:Run {user_id: $user_id, state: 'parked'})
RETURN r.run_id AS run_id

// name: retry_runs
// mode: write
// What these runs worked for is due again with all its attempts. The user is locked.
UNWIND $run_ids AS run_id
MATCH (r:Run {user_id: $user_id, run_id: run_id})
WHERE r.state IN ['failed', 'parked']
SET r.state = 'failed'
WITH r
CALL (r) {
  UNWIND r.segment_ids AS segment_id
  MATCH (s:Segment {user_id: $user_id, segment_id: segment_id})
  SET s.attempts = 0, s.parked = false
  REMOVE s.next_try_at
}
CALL (r) {
  UNWIND r.page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  SET p.attempts = 0
  REMOVE p.next_try_at
  WITH p
  WHERE p.state = 'failed' AND NOT EXISTS { (p)-[m:IN_SEGMENT]->(s:Segment) WHERE s.parked AND m.analysed_run IS NULL }
  SET p.state = CASE WHEN p.embedding IS NULL THEN 'stored' ELSE 'indexed' END
}
WITH count(r) AS retried
MATCH (u:User {user_id: $user_id})
WITH u, retried, COUNT { MATCH (:Run {user_id: $user_id, state: 'parked'}) } AS parked
SET u.due_at = $now, u.parked = CASE WHEN parked > 0 THEN parked END,
    u.retry_at = CASE WHEN parked > 0 THEN u.retry_at END
RETURN retried

// name: runs_listed
// mode: read
MATCH (r:Run {user_id: $user_id})
WHERE r.run_id < $below AND ($state IS NULL OR r.state = $state)
RETURN r {.*} AS run ORDER BY r.run_id DESC LIMIT $limit

// name: run_by_id
// mode: read
MATCH (r:Run {user_id: $user_id, run_id: $run_id})
RETURN r {.*} AS run
