// name: lock_user
// mode: write
// Takes the write lock that every change of this user holds; no row when there is no such user, or an import of it is
// not finished.
MATCH (u:User {user_id: $user_id})
SET u.lock = $lock
WITH u
WHERE u.importing IS NULL
OPTIONAL MATCH (m:Meta {key: 'database'})
RETURN u.page_seq AS page_seq, u.event_seq AS event_seq, u.event_head AS event_head, u.last_recorded_at AS last_recorded_at,
       u.forget_epoch AS forget_epoch, u.user_key AS user_key, u.tombstone_key AS tombstone_key, u.policy AS policy,
       coalesce(u.spent_day, '') AS spent_day,
       coalesce(u.spent_calls, 0) AS spent_calls, coalesce(u.spent_tokens, 0) AS spent_tokens,
       m {.embedding_model, .embedding_dimension, .next_model, .next_dimension} AS vectors

// name: forget_epoch
// mode: read
MATCH (u:User {user_id: $user_id})
RETURN u.forget_epoch AS forget_epoch

// name: policy_of
// mode: read
MATCH (u:User {user_id: $user_id})
RETURN u.policy AS policy

// name: write_policy
// mode: write
MATCH (u:User {user_id: $user_id})
SET u.policy = $policy, u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END

// name: append_event
// mode: write
MATCH (u:User {user_id: $user_id})
SET u.event_seq = $event.seq, u.event_head = $event.hash
CREATE (e:Event)
SET e = $event

// name: claim_user
// mode: write
// Gives the lease on a user's background work; the database's clock decides. Runs that are still running were left by a
// process that died: who holds the lease runs one step at a time. A change of the embedding model has a lease of its own.
MATCH (u:User {user_id: $user_id})
SET u.lock = $owner
WITH u
WHERE u.leased_by IS NULL OR u.leased_by = $owner OR u.leased_until < datetime()
SET u.leased_by = $owner, u.leased_until = datetime() + duration({seconds: $lease_s})
WITH u
OPTIONAL MATCH (m:Meta {key: 'database'})
RETURN u.user_id AS user_id, u.page_seq AS page_seq, u.failures AS failures, u.retry_at <= $now AS retry,
       EXISTS { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'forget' } AS forgetting,
       {{session_ends_at}} AS session_ends_at,
       m {.embedding_model, .embedding_dimension} AS vectors,
       COLLECT { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE NOT r.kind IN ['reembed', 'forget']
                 RETURN r {.run_id, .kind, .attempts, .started_at} } AS left_running

// name: settle_user
// mode: write
// Gives the lease back and says when to look again: at once when turns came in meanwhile.
MATCH (u:User {user_id: $user_id})
SET u.lock = $owner
WITH u
WHERE u.leased_by = $owner
SET u.leased_by = null, u.leased_until = null, u.failures = $failures,
    u.due_at = CASE WHEN u.page_seq = $page_seq THEN $due_at ELSE $now END

// name: due_users
// mode: read
// The only question ever asked across users; it gives user ids only.
MATCH (u:User)
WHERE u.due_at <= $now AND (u.leased_until IS NULL OR u.leased_until < datetime())
RETURN u.user_id AS user_id ORDER BY u.due_at LIMIT $limit

// name: work_left
// mode: read
// How many users wait for work, and how many runs are parked: numbers over all users that name nobody.
CALL () {
  MATCH (u:User)
  WHERE u.due_at <= $now
  RETURN count(u) AS due
}
CALL () {
  MATCH (u:User)
  WHERE u.parked > 0
  RETURN sum(u.parked) AS parked
}
RETURN due, parked

// name: user_budget
// mode: read
MATCH (u:User {user_id: $user_id})
RETURN u.retry_at AS retry_at, {{session_ends_at}} AS session_ends_at, EXISTS { MATCH (r:Run {user_id: $user_id, state: 'running'}) WHERE r.kind = 'forget' } AS forgetting,
       coalesce(u.spent_day, '') AS spent_day, coalesce(u.spent_calls, 0) AS spent_calls,
       coalesce(u.spent_tokens, 0) AS spent_tokens

// name: user_due
// mode: read
MATCH (u:User {user_id: $user_id})
RETURN u.due_at AS due_at, u.due_at <= $now AS due

// part: session_ends_at
// When the last turn of the first session was said that holds turns which are remembered for their session only.
COLLECT { MATCH (p:Page {user_id: $user_id, tier: 'stm'})
          USING INDEX p:Page(user_id, tier, seq)
          WHERE p.seq > 0 AND p.remember = 'session_only' AND p.hidden = false
          MATCH (p)-[:IN_SESSION]->(s:Session)
          RETURN min(s.last_at) }[0]
