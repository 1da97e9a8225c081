"""Door to Neo4j: the connection, the schema, and one function per named query."""
