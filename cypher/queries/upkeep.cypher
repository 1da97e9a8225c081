// name: segments_over
// mode: read
// All unarchived segments with what their heat is made of, when there are more than the capacity; else nothing.
MATCH (s:Segment {user_id: $user_id, archived: false})
WHERE s.hidden = false
WITH count(s) AS held
WHERE held > $capacity
MATCH (s:Segment {user_id: $user_id, archived: false})
WHERE s.hidden = false
RETURN s {.segment_id, .n_visit, .l_interaction, .last_visit_at, .newest_event_at, .made_by} AS segment

// name: facts_over
// mode: read
// The current facts of each kind that has more of them than the capacity.
MATCH (f:Fact {user_id: $user_id, status: 'current'})
WHERE f.hidden = false
WITH f.kind AS kind, collect(f {.fact_id, .support, .used_at, .pinned}) AS facts
WHERE size(facts) > $capacity
RETURN kind, facts

// name: archive_segments
// mode: write
// The segments, and the pages that are in no other segment; how many pages.
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
SET s.archived = true, s.archived_at = $now, s.heat = row.heat, s.heat_at = $now
WITH collect(s) AS gone
UNWIND gone AS s
MATCH (p:Page)-[:IN_SEGMENT]->(s)
WHERE p.archived = false AND NOT EXISTS { (p)-[:IN_SEGMENT]->(o:Segment) WHERE o.archived = false }
WITH DISTINCT p
SET p.archived = true
FOREACH (x IN [(p)-[:HAS_PASSAGE]->(x:Passage) | x] | SET x.archived = true)
RETURN count(p) AS pages

// name: archive_facts
// mode: write
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {user_id: $user_id, fact_id: fact_id})
SET f.status = 'archived', f.archived_at = $now

// name: heat_stored
// mode: read
MATCH (s:Segment {user_id: $user_id, archived: false})
WHERE s.hidden = false
RETURN s {.segment_id, .n_visit, .l_interaction, .last_visit_at, .newest_event_at, .heat} AS segment

// name: store_heat
// mode: write
UNWIND $rows AS row
MATCH (s:Segment {user_id: $user_id, segment_id: row.segment_id})
SET s.heat = row.heat, s.heat_at = $now

// name: delete_runs
// mode: write
// Runs that ended long ago; a failed one stays while what it worked for still fails.
MATCH (r:Run {user_id: $user_id})
WHERE r.started_at < $before AND (r.state = 'done' OR r.state = 'failed' AND NOT EXISTS {
  UNWIND r.page_ids AS page_id
  MATCH (p:Page {user_id: $user_id, page_id: page_id})
  WHERE p.attempts > 0
})
WITH r LIMIT $limit
DETACH DELETE r
RETURN count(*) AS deleted

// name: delete_requests
// mode: write
MATCH (r:Request {user_id: $user_id})
WHERE r.at <= $before
WITH r LIMIT $limit
DELETE r
RETURN count(*) AS deleted

// name: delete_versions
// mode: write
MATCH (s:Segment {user_id: $user_id})
WHERE s.version > $kept
MATCH (v:SegmentVersion)-[:VERSION_OF]->(s)
WHERE v.version <= s.version - $kept AND NOT EXISTS { (v)<-[:DERIVED_FROM|USED]-() }
WITH v LIMIT $limit
DETACH DELETE v
RETURN count(*) AS deleted

// name: expired_pages
// mode: read
// Pages that have lived their time: of a session that is over, or stored before what their tier keeps. Pages that carry a
// decision stay, since it would be undone without them.
CALL () {
  MATCH (p:Page {user_id: $user_id, tier: 'stm'})
  USING INDEX p:Page(user_id, tier, seq)
  WHERE p.seq > 0 AND p.remember = 'session_only' AND p.hidden = false
  MATCH (p)-[:IN_SESSION]->(s:Session)
  WHERE s.last_at <= $times.session_over
  RETURN p.page_id AS id
  UNION
  MATCH (p:Page {user_id: $user_id, tier: 'mtm'})
  USING INDEX p:Page(user_id, tier, seq)
  WHERE p.seq > 0 AND p.hidden = false
    AND p.recorded_at < CASE WHEN p.archived THEN $times.archived ELSE $times.mtm END
  RETURN p.page_id AS id
  UNION
  MATCH (p:Page {user_id: $user_id, tier: 'none'})
  USING INDEX p:Page(user_id, tier, seq)
  WHERE p.seq > 0 AND p.quarantined IS NOT NULL AND p.hidden = false
    AND (p.recorded_at < $times.archived OR p.remember = 'session_only' AND p.event_time <= $times.session_over)
  RETURN p.page_id AS id
}
RETURN DISTINCT id ORDER BY id LIMIT $limit

// name: expired_facts
// mode: read
// Facts that hold no longer, known for longer than they are kept; older versions go with the newest one of them.
MATCH (f:Fact {user_id: $user_id})
WHERE f.hidden = false AND f.status IN ['superseded', 'retracted', 'archived']
  AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge']
  AND CASE f.status WHEN 'retracted' THEN f.retired_at WHEN 'archived' THEN f.archived_at ELSE f.closed_at END < $times.past_facts
RETURN f.fact_id AS id ORDER BY id LIMIT $limit

// name: delete_answers
// mode: write
MATCH (a:Answer {user_id: $user_id})
WHERE a.at < $before AND a.hidden = false
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS deleted

// name: mark_stale
// mode: write
// Facts about the user that nobody said, confirmed or used for long.
MATCH (f:Fact {user_id: $user_id, status: 'current'})
WHERE f.hidden = false AND f.kind IN ['profile', 'knowledge', 'trait'] AND f.pinned = false AND f.stale = false
  AND f.valid_to > $now AND f.recorded_at < $before AND coalesce(f.used_at, f.recorded_at) < $before
  AND NOT EXISTS { MATCH (f)-[d:DERIVED_FROM]->(:Page) WHERE d.at >= $before }
SET f.stale = true
RETURN collect(f.fact_id) AS fact_ids

// name: walk_users
// mode: read
// All users in the order of their ids, a batch after the one before; ids only.
MATCH (u:User)
WHERE u.user_id > $after
RETURN u.user_id AS user_id ORDER BY u.user_id LIMIT $limit

// name: make_due
// mode: write
// The limits have changed: each of these users is looked at. Named by their ids, one statement for a batch.
UNWIND $user_ids AS user_id
MATCH (u:User {user_id: user_id})
SET u.due_at = CASE WHEN u.due_at > $now THEN $now ELSE u.due_at END

// name: claim_job
// mode: write
// The right to do a job for all users, by the database's clock, unless it was done lately; its holder takes it again to
// keep it.
MERGE (j:JobLease {job: $job})
SET j.lock = $owner
WITH j
WHERE (j.leased_by IS NULL OR j.leased_by = $owner OR j.leased_until < datetime())
  AND (j.done_at IS NULL OR j.done_at <= $done_before)
SET j.leased_by = $owner, j.leased_until = datetime() + duration({seconds: $lease_s})
RETURN j.value AS value

// name: finish_job
// mode: write
// The job is done; `value` is what it wants to remember.
MATCH (j:JobLease {job: $job})
SET j.lock = $owner
WITH j
WHERE j.leased_by = $owner
SET j.leased_by = null, j.leased_until = null, j.done_at = $now, j.value = $value
