# ruff: noqa: E501 (a query to a line reads best)
"""What the owner of a memory may ask, with what it gives."""

from __future__ import annotations

import pytest

from .conftest import Pair, Rows

pytestmark = pytest.mark.engine
A = "{user_id: $user_id}"
F = f"MATCH (f:Fact {A}) "
P = f"MATCH (p:Page {A}) "
NOW = ["Ana", "Bergen", "cat", "dog", "hazelnuts", "playing the cello"]

USEFUL: dict[str, tuple[str, object]] = {
    "index_on_status": ("MATCH (f:Fact {user_id: $user_id, status: 'current'}) RETURN f.object AS x ORDER BY x", NOW),
    "user_in_where": ("MATCH (f:Fact) WHERE f.user_id = $user_id AND f.predicate = 'name' RETURN f.object AS x", ["Ana"]),
    "or_in_the_rest": (F + "WHERE f.object = 'dog' OR f.object = 'cat' RETURN f.object AS x ORDER BY x", ["cat", "dog"]),
    "with_quote": (
        F + "MATCH (f)-[d:DERIVED_FROM]->(:Page) WHERE f.object = 'Bergen' RETURN d.quote AS x",
        ["I moved to Bergen"],
    ),
    "backwards": (P + "MATCH (p)<-[:DERIVED_FROM]-(f:Fact {object: 'cat'}) RETURN p.external_id AS x", ["t4"]),
    "superseded": (F + "MATCH (f)-[s:SUPERSEDES]->(o) RETURN s.kind + ' ' + o.object AS x", ["change Hamburg"]),
    "anchored_at_the_end": (
        f"MATCH (a:Fact)-[:SUPERSEDES]->(b:Fact {A}) RETURN a.object AS x",
        ["Bergen"],
    ),
    "counted": (F + "RETURN f.status AS s, count(*) AS x ORDER BY s", [6, 1]),
    "grouped_by_day": (
        P + "WHERE p.event_time < datetime('2025-05-01T00:00:00Z') RETURN date(p.event_time) AS x ORDER BY x",
        ["2025-02-10", "2025-03-10", "2025-04-10"],
    ),
    "truncated_month": (P + "RETURN DISTINCT date.truncate('year', date(p.event_time)) AS x ORDER BY x LIMIT 1", ["2025-01-01"]),
    "between": (
        P + "WHERE datetime('2025-03-01T00:00:00Z') <= p.event_time < datetime('2025-04-01T00:00:00Z') "
        "RETURN p.user_input AS x",
        ["I moved to Bergen."],
    ),
    "contains": (P + "WHERE toLower(p.user_input) CONTAINS 'cello' RETURN p.seq AS x", [4]),
    "starts_with_id": (F + "WHERE f.fact_id STARTS WITH '0' RETURN count(f) AS x", [7]),
    "in_list": (F + "WHERE f.object IN ['dog', 'cat'] RETURN count(*) AS x", [2]),
    "exists": (F + "WHERE EXISTS { (f)-[:SUPERSEDES]->() } RETURN f.object AS x", ["Bergen"]),
    "not_exists": (F + "WHERE NOT EXISTS { (f)<-[:SUPERSEDES]-() } RETURN count(f) AS x", [6]),
    "count_subquery": (P + "WHERE COUNT { (p)<-[:DERIVED_FROM]-(:Fact) } > 1 RETURN p.external_id AS x ORDER BY x", ["t0", "t3"]),
    "collect_subquery": (
        P + "WHERE p.seq = 1 RETURN COLLECT { MATCH (p)<-[:DERIVED_FROM]-(f:Fact) RETURN f.object ORDER BY f.object } AS x",
        [["Hamburg", "dog"]],
    ),
    "pattern_comprehension": (P + "WHERE p.seq = 5 RETURN [(p)<-[:DERIVED_FROM]-(f:Fact) | f.object] AS x", [["cat"]]),
    "call": (P + "CALL (p) { MATCH (p)<-[:DERIVED_FROM]-(f:Fact) RETURN count(f) AS n } RETURN sum(n) AS x", [7]),
    "call_with": (P + "CALL { WITH p MATCH (p)-[:IN_SESSION]->(s) RETURN count(s) AS n } RETURN max(n) AS x", [1]),
    "union": (
        F + "WHERE f.object = 'dog' RETURN f.object AS x UNION " + P + "WHERE p.seq = 5 RETURN p.user_input AS x",
        ["dog", "I have a cat."],
    ),
    "two_labels": (f"MATCH (n:Fact|Segment {A}) RETURN labels(n)[0] AS l, count(*) AS x ORDER BY l", [7, 1]),
    "optional": (F + "WHERE f.object = 'Ana' OPTIONAL MATCH (f)-[:SUPERSEDES]->(o) RETURN o AS x", [None]),
    "path": (
        f"MATCH p = (a:Fact {A})-[:DERIVED_FROM]->(:Page) WHERE a.object = 'dog' RETURN [n IN nodes(p) | labels(n)[0]] AS x",
        [["Fact", "Page"]],
    ),
    "shortest": (
        f"MATCH (a:Fact {{user_id: $user_id}}), (b:Session {A}) WHERE a.object = 'cat' "
        "MATCH p = shortestPath((a)-[*..4]->(b)) RETURN length(p) AS x",
        [2],
    ),
    "quantified": (
        "MATCH (a:Page {user_id: $user_id, seq: 1})((x)-[:IN_SEGMENT|IN_SEGMENT]-(y)){1,2}(b:Page) RETURN count(b) AS x",
        [4],
    ),
    "variable_length": ("MATCH (a:Page {user_id: $user_id, seq: 1})-[:IN_SEGMENT*2]-(b:Page) RETURN count(b) AS x", [4]),
    "two_starts": (f"MATCH (s:Segment {A}), (v:ProfileVersion {A}) RETURN s.n_pages - size(v.added) AS x", [-1]),
    "list_of_matched": (F + "WITH collect(f) AS l RETURN size([x IN l WHERE x.status = 'current' | x.text]) AS x", [6]),
    "any": (P + "WHERE any(k IN p.keywords WHERE k = 'cello') RETURN p.external_id AS x", ["t3"]),
    "case": (F + "WHERE f.predicate = 'lives_in' RETURN CASE f.status WHEN 'current' THEN 'now' ELSE 'before' END AS x ORDER BY x", ["before", "now"]),
    "unwind": (F + "UNWIND labels(f) AS x RETURN DISTINCT x", ["Fact"]),
    "range": ("UNWIND range(1, 3) AS n RETURN n * n AS x", [1, 4, 9]),
    "nothing_of_the_graph": ("RETURN 1 + 1 AS x", [2]),
    "comment_and_semicolon": (F + "/* of Ana */ RETURN count(f) AS x; // all of them", [7]),
    "string_that_looks_hostile": ("RETURN 'MATCH (n) DETACH DELETE n // `x` $y' AS x", ["MATCH (n) DETACH DELETE n // `x` $y"]),
    "average_heat": (f"MATCH (s:Segment {A}) RETURN s.heat > 5 AS x", [True]),
    "events": (f"MATCH (e:Event {A}) RETURN e.kind AS x ORDER BY e.seq LIMIT 2", ["remember", "index"]),
    "not_a_number": ("RETURN 0.0 / 0.0 AS x", [None]),
    "durations": ("RETURN duration.between(date('2025-01-01'), date('2025-03-01')) AS x", ["P2M"]),
}  # fmt: skip


@pytest.mark.parametrize(("query", "wanted"), [pytest.param(*case, id=name) for name, case in USEFUL.items()])
async def test_a_useful_query_gives_its_rows(rows: Rows, query: str, wanted: object) -> None:
    assert [row["x"] for row in await rows(query)] == wanted


async def test_parameters_are_values(rows: Rows) -> None:
    found = await rows(F + "WHERE f.object IN $objects RETURN f.object AS x ORDER BY x", objects=["dog", "cat", "'"])
    assert [row["x"] for row in found] == ["cat", "dog"]


async def test_nodes_relationships_and_paths_have_our_ids_and_no_secrets(pair: Pair, rows: Rows) -> None:
    query = f"MATCH p = (f:Fact {A})-[d:DERIVED_FROM]->(g:Page) WHERE f.object = 'cat' RETURN f, d, p"
    (row,) = await rows(query)
    fact, edge, path = row["f"], row["d"], row["p"]
    assert fact["id"] == f"Fact:{fact['properties']['fact_id']}"
    assert (edge["type"], edge["start"], edge["properties"]["quote"]) == ("DERIVED_FROM", fact["id"], "I have a cat")
    assert [node["id"] for node in path["nodes"]] == [edge["start"], edge["end"]]
    assert not {"embedding", "user_key", "content_hash"} & (path["nodes"][1]["properties"].keys() | fact["properties"])
    (user,) = await rows(f"MATCH (u:User {A}) RETURN u")
    assert "tombstone_key" not in user["u"]["properties"]
    drawn = await pair.ana.cypher(query, form="graph")
    assert drawn.rows == []
    assert [edge.model_dump() for edge in drawn.edges] == [edge]
    assert {node.label for node in drawn.nodes} == {"Fact", "Page"}


async def test_ends_of_a_bare_relationship_are_named(pair: Pair, rows: Rows) -> None:
    query = f"MATCH (f:Fact {A})-[s:SUPERSEDES]->() RETURN s"
    (row,) = await rows(query)
    drawn = await pair.ana.cypher(query, form="graph")
    assert {node.id for node in drawn.nodes} == {row["s"]["start"], row["s"]["end"]}
    assert all(node.id.startswith("Fact:0") and not node.properties for node in drawn.nodes)


async def test_more_rows_than_the_limit_are_cut_and_said(pair: Pair) -> None:
    whole = await pair.ana.cypher(F + "RETURN f.text AS x", limit=7)
    cut = await pair.ana.cypher(F + "RETURN f.text AS x", limit=3)
    assert (len(whole.rows), whole.cut) == (7, None)
    assert (len(cut.rows), cut.cut) == (3, "rows")
    large = await pair.ana.cypher(
        f"WITH '{'x' * 3000}' AS s UNWIND range(1, 366) AS a RETURN [s, s, s, s, s, s, s, s] AS x", limit=1000
    )
    assert large.cut == "bytes"
    assert 0 < len(large.rows) < 366


REFUSALS = {
    "f": ("MATCH (f:Fact) RETURN f", "`f` is looked up without an index on user_id: write (f:Fact {user_id: $user_id})"),
    "g": (F + "WHERE EXISTS { MATCH (g:Page) WHERE g.text = f.text } RETURN f", "write (g:Page {user_id: $user_id})"),
    "label": (f"MATCH (n {A}) RETURN n", "`n` has no label: write (n:Fact {user_id: $user_id}), or another label"),
    "scan": ("MATCH ()-[r:SUPERSEDES]->() RETURN r", "the relationship [:SUPERSEDES] is looked up by itself"),
    "count": ("MATCH (n:Fact) RETURN count(n)", "a count over all users is not available"),
    "id": ("MATCH (n) WHERE elementId(n) = 'x' RETURN n", "elementid() is not available: use the ids of the memory"),
    "function": ("RETURN apoc.version()", "the function apoc.version() is not available"),
    "procedure": ("CALL db.labels()", "procedures are not available; CALL takes a subquery in { }"),
    "write": (F + "SET f.text = 'x'", "queries only read"),
    "back-tick": ("MATCH (`f`:Fact) RETURN 1", "line 1, column 8: back-ticks are not available"),
    "regex": ("RETURN\n 'a' =~ 'a'", "line 2, column 7: regular expressions are not available; use CONTAINS"),
    "syntax": (F + "\nRETUR f", "this is not valid Cypher at line 2"),
    "arithmetic": ("RETURN 1 / 0 AS x", "it can't be run (ArithmeticError)"),
    "closed": ("RETURN (1", "`(` is never closed"),
}  # fmt: skip


@pytest.mark.parametrize(("query", "said"), [pytest.param(*case, id=name) for name, case in REFUSALS.items()])
async def test_a_refusal_says_what_and_how(pair: Pair, query: str, said: str) -> None:
    assert said in await pair.refused(query)
