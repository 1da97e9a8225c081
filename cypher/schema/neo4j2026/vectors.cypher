// name: page_embedding
// mode: schema
CYPHER 25 CREATE VECTOR INDEX page_embedding IF NOT EXISTS FOR (n:Page) ON n.embedding
WITH [n.user_id, n.archived, n.hidden, n.conversation_id, n.assistant_id, n.event_time, n.recorded_at]
OPTIONS {indexConfig: {`vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: passage_embedding
// mode: schema
CYPHER 25 CREATE VECTOR INDEX passage_embedding IF NOT EXISTS FOR (n:Passage) ON n.embedding
WITH [n.user_id, n.archived, n.hidden, n.conversation_id, n.assistant_id, n.event_time, n.recorded_at]
OPTIONS {indexConfig: {`vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: fact_embedding
// mode: schema
CYPHER 25 CREATE VECTOR INDEX fact_embedding IF NOT EXISTS FOR (n:Fact) ON n.embedding
WITH [n.user_id, n.status, n.hidden, n.valid_to]
OPTIONS {indexConfig: {`vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}
