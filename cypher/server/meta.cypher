// name: read_meta
// mode: read
MATCH (m:Meta {key: 'database'})
RETURN m.schema_version AS schema_version, m.embedding_model AS embedding_model, m.embedding_dimension AS embedding_dimension,
       m.key_check AS key_check, coalesce(m.embedding_property, 'embedding') AS embedding_property

// name: create_meta
// mode: write
MERGE (m:Meta {key: 'database'})
ON CREATE SET m.schema_version = $schema_version, m.embedding_model = $embedding_model,
              m.embedding_dimension = $embedding_dimension, m.key_check = $key_check, m.created_at = $now
RETURN m.schema_version AS schema_version, m.embedding_model AS embedding_model, m.embedding_dimension AS embedding_dimension,
       m.key_check AS key_check, coalesce(m.embedding_property, 'embedding') AS embedding_property
