// name: memory_size
// mode: read
// What a user's memory is made of. Bytes are those of texts, and 4 for each number of a vector. It reads all nodes of the
// database, so that no label is forgotten; for measuring only.
MATCH (n)
WHERE n.user_id = $user_id
RETURN labels(n)[0] AS label, count(n) AS nodes, sum(COUNT { (n)-->() }) AS relationships,
       sum(reduce(bytes = 0, name IN keys(n) | bytes + CASE
         WHEN name STARTS WITH 'embedding' THEN 4 * size(n[name])
         ELSE size(coalesce(toStringOrNull(n[name]), '')) END)) AS bytes
ORDER BY label
