// name: user_key
// mode: schema
CREATE CONSTRAINT user_key IF NOT EXISTS FOR (n:User) REQUIRE (n.user_id) IS UNIQUE

// name: conversation_key
// mode: schema
CREATE CONSTRAINT conversation_key IF NOT EXISTS FOR (n:Conversation) REQUIRE (n.user_id, n.conversation_id) IS UNIQUE

// name: assistant_key
// mode: schema
CREATE CONSTRAINT assistant_key IF NOT EXISTS FOR (n:Assistant) REQUIRE (n.user_id, n.assistant_id) IS UNIQUE

// name: session_key
// mode: schema
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE (n.user_id, n.session_id) IS UNIQUE

// name: page_key
// mode: schema
CREATE CONSTRAINT page_key IF NOT EXISTS FOR (n:Page) REQUIRE (n.user_id, n.page_id) IS UNIQUE

// name: page_external_key
// mode: schema
CREATE CONSTRAINT page_external_key IF NOT EXISTS FOR (n:Page) REQUIRE (n.user_id, n.external_id) IS UNIQUE

// name: passage_key
// mode: schema
CREATE CONSTRAINT passage_key IF NOT EXISTS FOR (n:Passage) REQUIRE (n.user_id, n.passage_id) IS UNIQUE

// name: chain_key
// mode: schema
CREATE CONSTRAINT chain_key IF NOT EXISTS FOR (n:Chain) REQUIRE (n.user_id, n.chain_id) IS UNIQUE

// name: segment_key
// mode: schema
CREATE CONSTRAINT segment_key IF NOT EXISTS FOR (n:Segment) REQUIRE (n.user_id, n.segment_id) IS UNIQUE

// name: segment_version_key
// mode: schema
CREATE CONSTRAINT segment_version_key IF NOT EXISTS FOR (n:SegmentVersion) REQUIRE (n.user_id, n.version_id) IS UNIQUE

// name: fact_key
// mode: schema
CREATE CONSTRAINT fact_key IF NOT EXISTS FOR (n:Fact) REQUIRE (n.user_id, n.fact_id) IS UNIQUE

// name: answer_key
// mode: schema
CREATE CONSTRAINT answer_key IF NOT EXISTS FOR (n:Answer) REQUIRE (n.user_id, n.answer_id) IS UNIQUE

// name: profile_version_key
// mode: schema
CREATE CONSTRAINT profile_version_key IF NOT EXISTS FOR (n:ProfileVersion) REQUIRE (n.user_id, n.version) IS UNIQUE

// name: run_key
// mode: schema
CREATE CONSTRAINT run_key IF NOT EXISTS FOR (n:Run) REQUIRE (n.user_id, n.run_id) IS UNIQUE

// name: event_key
// mode: schema
CREATE CONSTRAINT event_key IF NOT EXISTS FOR (n:Event) REQUIRE (n.user_id, n.seq) IS UNIQUE

// name: receipt_key
// mode: schema
CREATE CONSTRAINT receipt_key IF NOT EXISTS FOR (n:Receipt) REQUIRE (n.user_id, n.receipt_id) IS UNIQUE

// name: tombstone_key
// mode: schema
CREATE CONSTRAINT tombstone_key IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.user_id, n.tombstone_id) IS UNIQUE

// name: request_key
// mode: schema
CREATE CONSTRAINT request_key IF NOT EXISTS FOR (n:Request) REQUIRE (n.user_id, n.request_key) IS UNIQUE

// name: job_key
// mode: schema
CREATE CONSTRAINT job_key IF NOT EXISTS FOR (n:JobLease) REQUIRE (n.job) IS UNIQUE

// name: meta_key
// mode: schema
CREATE CONSTRAINT meta_key IF NOT EXISTS FOR (n:Meta) REQUIRE (n.key) IS UNIQUE

// name: api_key_hash
// mode: schema
CREATE CONSTRAINT api_key_hash IF NOT EXISTS FOR (n:ApiKey) REQUIRE (n.key_hash) IS UNIQUE
