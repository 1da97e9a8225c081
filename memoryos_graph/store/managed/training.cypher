// Statements like those of the store, run once on a throw-away server so that their classes are in the archive.
CREATE CONSTRAINT trained IF NOT EXISTS FOR (t:Trained) REQUIRE (t.owner, t.name) IS UNIQUE;
CREATE INDEX trained_owner IF NOT EXISTS FOR (t:Trained) ON (t.owner);
CREATE FULLTEXT INDEX trained_text IF NOT EXISTS FOR (t:Trained) ON EACH [t.text];
CREATE VECTOR INDEX trained_vector IF NOT EXISTS FOR (t:Trained) ON t.vector
    OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}};
CALL db.awaitIndexes(60);
UNWIND range(1, 20) AS i
    MERGE (t:Trained {owner: 'o', name: toString(i)})
    SET t.text = 'some words ' + i, t.vector = [1.0, 0.5, i / 20.0, 0.1], t.at = datetime();
MATCH (a:Trained {owner: 'o', name: '1'}), (b:Trained {owner: 'o', name: '2'})
    MERGE (a)-[:NEXT {at: datetime()}]->(b);
MATCH (a:Trained {owner: 'o'}) OPTIONAL MATCH (a)-[n:NEXT]->(b)
    WITH a, collect(b {.name, at: n.at}) AS next RETURN a.name, next ORDER BY a.at DESC LIMIT 5;
CALL db.index.fulltext.queryNodes('trained_text', 'words') YIELD node, score RETURN node.name, score;
CALL db.index.vector.queryNodes('trained_vector', 5, [1.0, 0.5, 0.2, 0.1]) YIELD node, score RETURN node.name, score;
SHOW INDEXES YIELD name, options RETURN name, options;
MATCH (t:Trained) DETACH DELETE t;
