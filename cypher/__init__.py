"""All Cypher text of memoryos-graph.

A file holds named statements. Each opens with comment lines: `// name: page_by_id` (with ` @5` or ` @2026` where the
server lines differ), `// mode: read|write|schema`, and a sentence where the name is not enough. Values come as
parameters only; every statement on data of users binds `$user_id`.
"""
