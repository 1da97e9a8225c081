// name: server_version
// mode: read
CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version

// name: show_indexes
// mode: schema
SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties, options, owningConstraint, failureMessage
WHERE type <> 'LOOKUP'
RETURN name, state, type, labelsOrTypes AS labels, properties, options, owningConstraint AS constraint, failureMessage

// name: await_indexes
// mode: schema
CALL db.awaitIndexes(600)

// name: drop_index
// mode: schema
DROP INDEX $name IF EXISTS

// name: drop_constraint
// mode: schema
DROP CONSTRAINT $name IF EXISTS

// name: server_clock
// mode: read
RETURN datetime() AS now

// name: show_settings
// mode: schema
SHOW SETTINGS YIELD name, value
WHERE name IN ['db.logs.query.enabled', 'db.logs.query.parameter_logging_enabled', 'db.tx_log.rotation.retention_policy']
RETURN name, value

// name: indexes_being_built
// mode: schema
SHOW INDEXES YIELD name, state, populationPercent
WHERE state <> 'ONLINE'
RETURN name, state, populationPercent AS percent
