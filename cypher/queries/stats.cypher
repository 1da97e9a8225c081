// name: user_counts
// mode: read
MATCH (u:User {user_id: $user_id})
RETURN u.due_at <= $now AS due,
       COUNT { MATCH (:Conversation {user_id: $user_id}) } AS conversations,
       COUNT { MATCH (:Session {user_id: $user_id}) } AS sessions,
       COUNT { MATCH (:Chain {user_id: $user_id}) } AS chains,
       COUNT { MATCH (:Segment {user_id: $user_id}) } AS segments,
       COUNT { MATCH (:Run {user_id: $user_id, state: 'failed'}) } AS failed_runs

// name: page_counts
// mode: read
MATCH (p:Page {user_id: $user_id})
WHERE p.hidden = false
RETURN p.tier AS tier, p.state AS state, count(p) AS pages

// name: fact_counts
// mode: read
MATCH (f:Fact {user_id: $user_id})
WHERE f.hidden = false AND NOT coalesce(f.retired_by, '') IN ['refresh', 'merge']
RETURN CASE WHEN f.status = 'current' AND f.valid_to <= $now THEN 'superseded' ELSE f.status END AS status, count(f) AS facts

// name: heat_inputs
// mode: read
MATCH (s:Segment {user_id: $user_id})
WHERE s.archived = false AND s.hidden = false
RETURN s.n_visit AS n_visit, s.l_interaction AS l_interaction, s.last_visit_at AS last_visit_at, s.newest_event_at AS newest_event_at
