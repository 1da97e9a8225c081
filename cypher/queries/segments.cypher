// name: segments_listed
// mode: read
MATCH (s:Segment {user_id: $user_id})
WHERE s.segment_id < $below AND s.hidden = false
RETURN s {.*, embedding: null, embedding_b: null} AS segment ORDER BY s.segment_id DESC LIMIT $limit

// name: segment_by_id
// mode: read
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
WHERE s.hidden = false
RETURN s {.*, embedding: null, embedding_b: null} AS segment

// name: segment_pages
// mode: read
MATCH (s:Segment {user_id: $user_id, segment_id: $segment_id})
MATCH (p:Page)-[m:IN_SEGMENT]->(s)
WHERE p.hidden = false
RETURN p.page_id AS page_id, p.event_time AS event_time, p.text AS text, m.score AS score, m.cosine AS cosine,
       m.jaccard AS jaccard, m.threshold AS threshold
ORDER BY p.event_time, p.seq
