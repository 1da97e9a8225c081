// name: user_due
// mode: schema
CREATE RANGE INDEX user_due IF NOT EXISTS FOR (n:User) ON (n.due_at)

// name: user_parked
// mode: schema
CREATE RANGE INDEX user_parked IF NOT EXISTS FOR (n:User) ON (n.parked)

// name: conversation_user
// mode: schema
CREATE RANGE INDEX conversation_user IF NOT EXISTS FOR (n:Conversation) ON (n.user_id)

// name: assistant_user
// mode: schema
CREATE RANGE INDEX assistant_user IF NOT EXISTS FOR (n:Assistant) ON (n.user_id)

// name: session_user
// mode: schema
CREATE RANGE INDEX session_user IF NOT EXISTS FOR (n:Session) ON (n.user_id)

// name: page_user
// mode: schema
CREATE RANGE INDEX page_user IF NOT EXISTS FOR (n:Page) ON (n.user_id)

// name: page_seq
// mode: schema
CREATE RANGE INDEX page_seq IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.seq)

// name: page_conversation_seq
// mode: schema
CREATE RANGE INDEX page_conversation_seq IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.conversation_id, n.seq)

// name: page_tier_seq
// mode: schema
CREATE RANGE INDEX page_tier_seq IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.tier, n.seq)

// name: page_time
// mode: schema
CREATE RANGE INDEX page_time IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.event_time)

// name: page_state
// mode: schema
CREATE RANGE INDEX page_state IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.state, n.seq)

// name: page_late
// mode: schema
CREATE RANGE INDEX page_late IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.late)

// name: page_request
// mode: schema
CREATE RANGE INDEX page_request IF NOT EXISTS FOR (n:Page) ON (n.user_id, n.request_key)

// name: passage_user
// mode: schema
CREATE RANGE INDEX passage_user IF NOT EXISTS FOR (n:Passage) ON (n.user_id)

// name: chain_user
// mode: schema
CREATE RANGE INDEX chain_user IF NOT EXISTS FOR (n:Chain) ON (n.user_id)

// name: segment_user
// mode: schema
CREATE RANGE INDEX segment_user IF NOT EXISTS FOR (n:Segment) ON (n.user_id)

// name: segment_heat
// mode: schema
CREATE RANGE INDEX segment_heat IF NOT EXISTS FOR (n:Segment) ON (n.user_id, n.archived, n.heat)

// name: segment_version_user
// mode: schema
CREATE RANGE INDEX segment_version_user IF NOT EXISTS FOR (n:SegmentVersion) ON (n.user_id)

// name: fact_user
// mode: schema
CREATE RANGE INDEX fact_user IF NOT EXISTS FOR (n:Fact) ON (n.user_id)

// name: fact_status
// mode: schema
CREATE RANGE INDEX fact_status IF NOT EXISTS FOR (n:Fact) ON (n.user_id, n.status, n.kind)

// name: answer_user
// mode: schema
CREATE RANGE INDEX answer_user IF NOT EXISTS FOR (n:Answer) ON (n.user_id)

// name: profile_version_user
// mode: schema
CREATE RANGE INDEX profile_version_user IF NOT EXISTS FOR (n:ProfileVersion) ON (n.user_id)

// name: run_user
// mode: schema
CREATE RANGE INDEX run_user IF NOT EXISTS FOR (n:Run) ON (n.user_id)

// name: run_state
// mode: schema
CREATE RANGE INDEX run_state IF NOT EXISTS FOR (n:Run) ON (n.user_id, n.state)

// name: segment_to_summarize
// mode: schema
CREATE RANGE INDEX segment_to_summarize IF NOT EXISTS FOR (n:Segment) ON (n.user_id, n.to_summarize)

// name: event_user
// mode: schema
CREATE RANGE INDEX event_user IF NOT EXISTS FOR (n:Event) ON (n.user_id)

// name: request_user
// mode: schema
CREATE RANGE INDEX request_user IF NOT EXISTS FOR (n:Request) ON (n.user_id)

// name: receipt_user
// mode: schema
CREATE RANGE INDEX receipt_user IF NOT EXISTS FOR (n:Receipt) ON (n.user_id)

// name: receipt_left
// mode: schema
CREATE RANGE INDEX receipt_left IF NOT EXISTS FOR (n:Receipt) ON (n.user_key)

// name: tombstone_user
// mode: schema
CREATE RANGE INDEX tombstone_user IF NOT EXISTS FOR (n:Tombstone) ON (n.user_id)

// name: tombstone_left
// mode: schema
CREATE RANGE INDEX tombstone_left IF NOT EXISTS FOR (n:Tombstone) ON (n.user_key)

// name: tombstone_page
// mode: schema
CREATE RANGE INDEX tombstone_page IF NOT EXISTS FOR (n:Tombstone) ON (n.user_id, n.page_id)

// name: tombstone_turn
// mode: schema
CREATE RANGE INDEX tombstone_turn IF NOT EXISTS FOR (n:Tombstone) ON (n.user_id, n.id_key)

// name: tombstone_content
// mode: schema
CREATE RANGE INDEX tombstone_content IF NOT EXISTS FOR (n:Tombstone) ON (n.user_id, n.content_key)

// name: tombstone_request
// mode: schema
CREATE RANGE INDEX tombstone_request IF NOT EXISTS FOR (n:Tombstone) ON (n.user_id, n.request_key)

// name: event_left
// mode: schema
CREATE RANGE INDEX event_left IF NOT EXISTS FOR (n:Event) ON (n.user_key)

// name: page_text
// mode: schema
CREATE FULLTEXT INDEX page_text IF NOT EXISTS FOR (n:Page) ON EACH [n.user_key, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}

// name: session_text
// mode: schema
CREATE FULLTEXT INDEX session_text IF NOT EXISTS FOR (n:Session) ON EACH [n.user_key, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}

// name: fact_text
// mode: schema
CREATE FULLTEXT INDEX fact_text IF NOT EXISTS FOR (n:Fact) ON EACH [n.user_key, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
