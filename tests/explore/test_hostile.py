# ruff: noqa: E501 (a query to a line reads best)
"""What must not work: nothing of another user comes back, the server lives, and the next query is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.errors import MemoryosError, QueryRefused
from memoryos_graph.scheduler.worker import Worker

from .conftest import Pair

pytestmark = pytest.mark.engine
A = "{user_id: $user_id}"
F = f"MATCH (f:Fact {A}) "

FOREIGN = {
    "no_anchor": "MATCH (f:Fact) RETURN f.text",
    "no_label": "MATCH (n) RETURN n",
    "no_label_but_bound": f"MATCH (n {A}) RETURN n",
    "literal_user": "MATCH (f:Fact {user_id: 'BO'}) RETURN f",
    "other_parameter": "MATCH (f:Fact {user_id: $other}) RETURN f",
    "in_list": "MATCH (f:Fact) WHERE f.user_id IN [$user_id, 'BO'] RETURN f",
    "in_parameter": "MATCH (f:Fact) WHERE f.user_id IN $others RETURN f",
    "at_least": "MATCH (f:Fact) WHERE f.user_id >= $user_id RETURN f",
    "starts_with": "MATCH (f:Fact) WHERE f.user_id STARTS WITH 'b' RETURN f",
    "starts_with_nothing": "MATCH (f:Fact) WHERE f.user_id STARTS WITH '' RETURN f",
    "contains": "MATCH (f:Fact) WHERE f.user_id CONTAINS 'bo-' RETURN f",
    "not_me": "MATCH (f:Fact) WHERE f.user_id <> $user_id RETURN f",
    "or_true": "MATCH (f:Fact) WHERE f.user_id = $user_id OR true RETURN f",
    "or_other": "MATCH (f:Fact) WHERE f.user_id = $user_id OR f.status = 'current' RETURN f",
    "or_and": "MATCH (f:Fact) WHERE f.text = 'x' OR f.stale AND f.user_id = $user_id OR f.pinned = false RETURN f",
    "case": "MATCH (f:Fact) WHERE CASE WHEN true AND f.user_id = $user_id AND f.stale THEN 1 ELSE 2 END = 2 RETURN f",
    "xor": "MATCH (f:Fact) WHERE f.pinned XOR f.user_id <> $user_id AND f.user_id = $user_id AND f.stale RETURN f",
    "not_and": "MATCH (f:Fact) WHERE NOT (f.pinned AND f.user_id = $user_id AND f.stale) RETURN f",
    "concatenated": "MATCH (f:Fact) WHERE f.user_id = $user_id + '' RETURN f",
    "coalesce": "MATCH (f:Fact) WHERE f.user_id = coalesce($other, $user_id) RETURN f",
    "own_property": "MATCH (f:Fact) WHERE f.user_id = f.user_id RETURN f",
    "string_that_says_so": "MATCH (f:Fact) WHERE f.text <> ' AND f.user_id = $user_id AND ' RETURN f",
    "strings_that_say_so": "MATCH (f:Fact) WHERE NOT f.text IN ['a AND f.user_id = $user_id AND b', ''] RETURN f",
    "other_variable": f"MATCH (f:Fact {A}) MATCH (g:Fact) WHERE f.user_id = $user_id AND g.text <> '' RETURN g",
    "with_other_value": "WITH 'BO' AS who MATCH (f:Fact {user_id: who}) RETURN f",
    "with_user_id": "WITH 'BO' AS user_id MATCH (f:Fact {user_id: user_id}) RETURN f",
    "with_back_ticks": "WITH 'BO' AS `$user_id` MATCH (f:Fact {user_id: `$user_id`}) RETURN f",
    "back_ticked_label": "MATCH (f:`Fact` {user_id: 'BO'}) RETURN f",
    "unwind_users": "UNWIND [$user_id, 'BO'] AS who MATCH (f:Fact {user_id: who}) RETURN f",
    "from_text": f"MATCH (p:Page {A}) MATCH (q:Page {{user_id: p.text}}) RETURN q",
    "by_page_id": "MATCH (p:Page {page_id: $other}) RETURN p",
    "second_match": F + "MATCH (g:Fact) RETURN g",
    "comma": f"MATCH (f:Fact {A}), (g:Fact) RETURN g",
    "optional": F + "OPTIONAL MATCH (g:Fact {object: f.object}) RETURN g",
    "call": F + "CALL { MATCH (g:Fact) RETURN g } RETURN g",
    "call_import": F + "CALL { WITH f MATCH (g:Fact) WHERE g.object = f.object RETURN g } RETURN g",
    "call_scope": F + "CALL (f) { MATCH (g:Fact) WHERE g.object = f.object RETURN g } RETURN g",
    "call_scope_all": F + "CALL (*) { MATCH (g:Fact) RETURN g } RETURN g",
    "exists": F + "WHERE EXISTS { MATCH (g:Fact) WHERE g.text CONTAINS 'Canary' } RETURN f",
    "exists_user": F + "RETURN EXISTS { (:User {user_id: 'BO'}) } AS there",
    "count": F + "RETURN COUNT { MATCH (g:Fact) WHERE g.object STARTS WITH 'Canary' } AS n",
    "count_store": "MATCH (n) RETURN count(n)",
    "count_store_label": "MATCH (n:Fact) RETURN count(*)",
    "count_store_relationships": "MATCH ()-[r:DERIVED_FROM]->() RETURN count(r)",
    "count_store_in_subquery": F + "RETURN COUNT { (:User) } AS n",
    "collect": F + "RETURN COLLECT { MATCH (g:Fact) RETURN g.text } AS all",
    "collect_in_exists": F + "WHERE EXISTS { MATCH (f) WHERE size(COLLECT { MATCH (g:Page) RETURN g }) > 3 } RETURN f",
    "pattern_comprehension": F + "RETURN [(g:Fact) | g.text] AS all",
    "pattern_comprehension_2": F + "RETURN [(g:Fact)-[:DERIVED_FROM]->(p) | p.text] AS all",
    "pattern_predicate": F + "WHERE (:Page {user_id: 'BO'})-[:IN_SEGMENT]->() RETURN f",
    "union": F + "RETURN f UNION MATCH (g:Fact) RETURN g AS f",
    "union_all": "MATCH (g:Page) RETURN g UNION ALL MATCH (g:Page {user_id: $user_id}) RETURN g",
    "shortest_path": f"MATCH p = shortestPath((a:Fact {A})-[*..5]-(b:Page)) RETURN b",
    "shortest_path_free": "MATCH p = shortestPath((a:Fact)-[*..5]-(b:Page)) RETURN p",
    "any_shortest": "MATCH p = ANY SHORTEST (a:Fact)-->+(b:Page) RETURN p",
    "quantified": "MATCH p = (a:Fact)((x)-[:DERIVED_FROM]->(y)){1,2}(b) RETURN p",
    "variable_length": "MATCH (a:Page)-[*1..3]-(b) RETURN b",
    "relationship_scan": "MATCH ()-[d:DERIVED_FROM]->() RETURN d.quote",
    "relationship_property": "MATCH ()-[d:DERIVED_FROM {quote: 'I have a dog'}]->() RETURN d",
    "any_relationship": "MATCH (a)-[r]->(b) RETURN a, r, b",
    "relationship_bound_by_property": "MATCH (a)-[r:SUPERSEDES]->(b) WHERE r.user_id = $user_id RETURN b",
    "element_id": "MATCH (n) WHERE elementId(n) = 'ELEMENT' RETURN n",
    "element_id_list": "MATCH (n:Fact) WHERE elementId(n) IN ['ELEMENT'] RETURN n",
    "internal_id": "MATCH (n) WHERE id(n) = 5 RETURN n",
    "internal_id_range": "UNWIND range(0, 300) AS i MATCH (n) WHERE id(n) = i RETURN n",
    "label_or": "MATCH (n:Fact|Page) RETURN n",
    "label_or_half_bound": "MATCH (n) WHERE (n:Fact AND n.user_id = $user_id) OR n:Page RETURN n",
    "label_not": "MATCH (n:!Fact) RETURN n",
    "label_any": "MATCH (n:%) RETURN n",
    "label_and": "MATCH (n:Fact&!Page) RETURN n",
    "dynamic_label": "MATCH (n:$($other)) RETURN n",
    "dynamic_label_any": "MATCH (n:$any(['Fact'])) RETURN n",
    "global_nodes": "MATCH (k:ApiKey) RETURN k",
    "meta": "MATCH (m:Meta {key: 'database'}) RETURN m",
    "job_leases": "MATCH (j:JobLease) RETURN j",
    "users": "MATCH (u:User) RETURN u.user_id",
    "due_users": "MATCH (u:User) WHERE u.due_at < datetime() RETURN u",
    "version_prefix": "CYPHER 5 MATCH (f:Fact) RETURN f",
    "planner_prefix": "CYPHER planner=dp MATCH (f:Fact) RETURN f",
    "explain": "EXPLAIN MATCH (f:Fact) RETURN f",
    "profile": f"PROFILE MATCH (f:Fact {A}) RETURN f",
    "comment": "MATCH (f:Fact) /* {user_id: $user_id} */ RETURN f",
    "line_comment": "MATCH (f:Fact) // {user_id: $user_id}\nRETURN f",
    "comment_with_return": "MATCH (f:Fact {user_id: $user_id}) // x\rMATCH (g:Fact) RETURN g",
    "open_comment": "MATCH (f:Fact) RETURN f /* x",
    "unicode_escape": "MATCH (f:Fact {user_id: '\\u0042O'}) RETURN f",
    "unicode_quote": "MATCH (f:Fact {user_id: $user_id}) WHERE f.text = '\\u0027 OR true OR \\u0027' RETURN f",
    "unicode_name": "MATCH (f:F\\u0061ct) RETURN f",
    "unicode_space": "MATCH (f:Fact)\u00a0RETURN f",
    "unicode_letters": "MATCH (ｆ:Fact) RETURN ｆ",
    "two_statements": f"MATCH (f:Fact {A}) RETURN f; MATCH (g:Fact) RETURN g",
}

CALLED = {
    "labels": "CALL db.labels() YIELD label RETURN label",
    "labels_bare": "CALL db.labels",
    "procedure_in_query": F + "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey",
    "vector": "CALL db.index.vector.queryNodes('fact_embedding', 5, $v) YIELD node RETURN node.text",
    "fulltext": "CALL db.index.fulltext.queryNodes('fact_text', 'Canary*') YIELD node RETURN node.text",
    "search": "MATCH (f:Fact) SEARCH f IN (VECTOR INDEX fact_embedding FOR $v LIMIT 5) RETURN f",
    "transactions": "SHOW TRANSACTIONS",
    "settings": "SHOW SETTINGS YIELD name, value RETURN name, value",
    "show_users": "SHOW USERS",
    "show_in_query": "MATCH (f:Fact {user_id: $user_id}) SHOW INDEXES RETURN f",
    "kill": "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "use": "USE system MATCH (n) RETURN n",
    "use_inside": "CALL { USE neo4j MATCH (n:Fact) RETURN n } RETURN n",
    "load_csv": "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "load_csv_url": f"MATCH (f:Fact {A}) LOAD CSV FROM 'http://127.0.0.1/' + f.text AS line RETURN line",
    "user_function": "RETURN apoc.version()",
    "user_function_spaced": "RETURN apoc . cypher . runFirstColumnMany ('MATCH (n) RETURN n', {})",
    "graph_function": "RETURN graph.names()",
    "config": "CALL dbms.listConfig()",
    "query_jmx": "CALL dbms.queryJmx('*:*')",
}

WRITES = {
    "create": "CREATE (:Fact {user_id: $user_id})",
    "create_after": F + "CREATE (g:Fact {user_id: 'BO'}) RETURN g",
    "merge": "MERGE (f:Fact {user_id: $user_id, fact_id: 'x'}) RETURN f",
    "set": F + "SET f.text = 'x' RETURN f",
    "set_label": F + "SET f:Page RETURN f",
    "remove": F + "REMOVE f.text RETURN f",
    "delete": F + "DETACH DELETE f",
    "delete_bare": "MATCH (n) DETACH DELETE n",
    "foreach": F + "FOREACH (x IN [1] | SET f.text = 'x')",
    "in_call": F + "CALL (f) { SET f.text = 'x' } RETURN f",
    "in_transactions": "CALL { CREATE (:X) } IN TRANSACTIONS OF 1 ROWS",
    "read_in_transactions": F + "CALL (f) { RETURN 1 AS x } IN TRANSACTIONS OF 1 ROWS RETURN x",
    "index": "CREATE INDEX x FOR (n:Fact) ON (n.text)",
    "drop": "DROP CONSTRAINT user_key",
    "set_property_procedure": F + "CALL db.create.setNodeVectorProperty(f, 'embedding', [1.0])",
    "alter": "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
}

U = f"MATCH (u:User {A}) "
SECRETS = {
    "key": U + "RETURN u.tombstone_key",
    "user_key": U + "RETURN u.user_key",
    "key_guessed": U + "RETURN u.tombstone_key STARTS WITH 'a'",
    "key_in_pattern": "MATCH (u:User {user_id: $user_id, tombstone_key: $other}) RETURN 1",
    "key_projected": U + "RETURN u {.tombstone_key}",
    "all_projected": U + "RETURN u {.*}",
    "all_projected_then": U + "WITH u {.*} AS m RETURN m",
    "properties": U + "RETURN properties(u)",
    "properties_mapped": U + "WITH properties(u) AS m UNWIND keys(m) AS k RETURN m[k]",
    "dynamic": U + "RETURN u['tombstone' + '_key']",
    "dynamic_parameter": U + "RETURN u[$k]",
    "dynamic_keys": U + "UNWIND keys(u) AS k RETURN u[k]",
    "dynamic_comprehension": U + "RETURN [k IN keys(u) | u[k]]",
    "dynamic_by_keyword": U + "WITH u AS then RETURN then['tombstone' + '_key']",
    "dynamic_by_keyword_pattern": f"MATCH (in:User {A}) RETURN in['tombstone' + '_key']",
    "dynamic_by_return": U + "WITH u AS return RETURN return['tombstone' + '_key']",
    "dynamic_by_unwind": U + "WITH u AS unwind RETURN unwind['tombstone' + '_key']",
    "dynamic_by_where": f"MATCH (p:Page {A})<-[:HEARD]-(then WHERE true) RETURN then['tombstone' + '_key']",
    "dynamic_by_is": f"MATCH (p:Page {A})<-[:HEARD]-(then IS User) RETURN then['tombstone' + '_key']",
    "dynamic_by_not": f"MATCH (p:Page {A})<-[:HEARD]-(not) RETURN not['tombstone' + '_key']",
    "dynamic_by_path": f"MATCH (p:Page {A}), in = (p)<-[:HEARD]-() RETURN in['tombstone' + '_key']",
    "dynamic_by_map": U + "WITH {then: u} AS m RETURN m.then['tombstone' + '_key']",
    "dynamic_by_end": U + "WITH u AS end RETURN end['tombstone' + '_key']",
    "dynamic_in_bracket": U + "RETURN (u)['tombstone' + '_key']",
    "dynamic_of_list": U + "RETURN [u][0]['tombstone' + '_key']",
    "tombstones": f"MATCH (t:Tombstone {A}) RETURN t.content_key",
    "vector": F + "RETURN f.embedding",
    "vector_part": F + "RETURN f.embedding[0..3]",
    "vector_alike": F + "MATCH (p:Page {user_id: $user_id}) RETURN vector.similarity.cosine(f.embedding, p.embedding)",
}

X = "x" * 3000
BOMBS = {
    "range": f"MATCH (u:User {A}) RETURN size([i IN range(1, 200000000) | toString(i)])",
    "range_variable": "WITH 200000000 AS n UNWIND range(1, n) AS i RETURN sum(i)",
    "range_parameter": "UNWIND range(1, $n) AS i RETURN sum(i)",
    "range_expression": "UNWIND range(1, 100 * 100 * 100) AS i RETURN sum(i)",
    "range_step": "UNWIND range(1, 366, 0) AS i RETURN i",
    "ranges": "UNWIND range(1, 366) AS a UNWIND range(1, 366) AS b UNWIND range(1, 366) AS c RETURN collect(a)",
    "reduce": "RETURN reduce(s = '', i IN [1, 2] | s + 'x')",
    "doubling": "WITH 'x' AS s " + "WITH s + s AS s " * 40 + "RETURN size(s)",
    "doubling_list": "WITH [1] AS s " + "WITH [s, s] AS s " * 40 + "RETURN s",
    "doubling_map": "WITH 1 AS s " + "WITH {a: s, b: s} AS s " * 40 + "RETURN s",
    "doubling_concatenation": "WITH 'x' AS s " + "WITH s || s AS s " * 40 + "RETURN size(s)",
    "doubling_in_call": "WITH 'x' AS s " + "CALL (s) { RETURN s + s AS t } WITH t AS s " * 20 + "RETURN size(s)",
    "doubling_in_comprehension": F + "WITH collect(f.text) AS l " + "WITH [x IN l | x + x] AS l " * 20 + "RETURN l",
    "replace": "RETURN replace(replace('aaaa', 'a', 'aaaa'), 'a', 'aaaa')",
    "comprehension_literal": "RETURN [i IN [1, 2, 3] | i]",
    "comprehension_nested": F + "WITH collect(f) AS l RETURN [a IN l | [b IN l | [c IN l | c]]]",
    "comprehension_of_all": F + "WITH collect(f) AS l WITH [a IN l | l] AS l WITH [a IN l | l] AS l RETURN l",
    "pattern_of_all": F + "WITH f, 'x' AS big RETURN [(f)-->(p) | big]",
    "predicates_nested": F + "WITH collect(f) AS l RETURN any(a IN l WHERE any(b IN l WHERE b = a))",
    "predicate_quadratic": F + "WITH collect(f) AS l RETURN all(a IN l WHERE a IN l)",
    "regular_expression": "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+b'",
    "nots": "RETURN " + "NOT " * 900 + "true",
    "xors": F + "WHERE " + " XOR ".join(f"f.a{n} = 1" for n in range(20)) + " RETURN f",
    "ors": F + "WHERE " + " OR ".join(f"(f.a{n} = 1 AND f.b{n} = 2)" for n in range(60)) + " RETURN f",
    "brackets": "RETURN " + "(" * 1500 + "1" + ")" * 1500,
    "lists": "RETURN " + "[" * 1500 + "1" + "]" * 1500,
    "sums": "RETURN " + "1+" * 1900 + "1",
    "cases": "RETURN " + "CASE WHEN true THEN " * 90 + "1 " + "ELSE 2 END " * 90,
    "patterns": "MATCH " + ", ".join(f"(a{n}:Page {A})-[:NEXT]-(a{n + 1})" for n in range(40)) + " RETURN count(*)",
    "unions": " UNION ".join(["RETURN 1 AS x"] * 200),
}

HEAVY = {
    "cartesian": "MATCH " + ", ".join(f"(a{n}:Page {A})" for n in range(18)) + " RETURN count(*) AS n",
    "cartesian_collected": "MATCH "
    + ", ".join(f"(a{n}:Page {A})" for n in range(12))
    + " RETURN collect(a0.text) AS n",
    "big_strings": f"WITH '{X}' AS s UNWIND range(1, 366) AS a UNWIND range(1, 366) AS b RETURN collect(s) AS n",
    "big_row": f"WITH '{X}' AS s UNWIND range(1, 366) AS a UNWIND range(1, 9) AS b RETURN collect(s) AS n",
    "big_lists": "WITH range(1, 366) AS l UNWIND range(1, 366) AS b UNWIND l AS c RETURN collect(l) AS n",
    "big_subquery": f"WITH '{X}' AS s RETURN COLLECT {{ UNWIND range(1, 99) AS a UNWIND range(1, 366) AS b RETURN s }} AS n",
}


def _of_bo(text: str, pair: Pair) -> str:
    return text.replace("'BO'", f"'{pair.bo_id}'").replace("ELEMENT", pair.bo_element)


def _params(text: str, pair: Pair) -> dict[str, Any]:
    given = {"other": pair.bo_id, "others": [pair.bo_id], "v": [0.1] * 384, "k": "tombstone_key", "n": 10**9}
    return {name: value for name, value in given.items() if f"${name}" in text}


async def _refused(pair: Pair, text: str) -> None:
    query = _of_bo(text, pair)
    with pytest.raises(MemoryosError) as caught:
        await pair.ana.cypher(query, _params(query, pair))
    assert caught.value.code in ("query_refused", "invalid_input")
    assert not any(mark in caught.value.detail for mark in pair.marks | pair.secrets)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in FOREIGN.items()])
async def test_nothing_of_another_user_comes_back(pair: Pair, text: str) -> None:
    await _refused(pair, text)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in CALLED.items()])
async def test_nothing_is_called_shown_or_loaded(pair: Pair, text: str) -> None:
    await _refused(pair, text)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in WRITES.items()])
async def test_nothing_is_written(pair: Pair, text: str) -> None:
    await _refused(pair, text)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in SECRETS.items()])
async def test_what_is_not_for_users_stays(pair: Pair, text: str) -> None:
    await _refused(pair, text)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in BOMBS.items()])
async def test_bombs_are_refused_before_they_run(pair: Pair, text: str) -> None:
    before = pair.ana._ctx.store.connection.statements
    with pytest.raises(QueryRefused):
        await pair.ana.cypher(text, _params(text, pair))
    assert pair.ana._ctx.store.connection.statements == before


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HEAVY.items()])
async def test_what_costs_too_much_ends_and_the_next_query_is_answered(
    service: MemoryService, pair: Pair, text: str
) -> None:
    settings = service.ctx.settings.model_copy(update={"cypher_timeout_s": 1.5})
    ctx = replace(service.ctx, settings=settings)
    ana = UserMemory(ctx, pair.ana.user_id, Worker(ctx))
    with pytest.raises(QueryRefused) as caught:
        await ana.cypher(text)
    assert caught.value.code == "query_too_heavy"
    assert (await pair.ana.cypher(f"MATCH (u:User {A}) RETURN count(u) AS n")).rows == [{"n": 1}]


async def test_nothing_was_written_by_any_of_it(pair: Pair) -> None:
    result = await pair.ana.cypher(f"MATCH (f:Fact {A}) RETURN count(f) AS facts, count(f.text) AS texts")
    assert result.rows == [{"facts": 7, "texts": 7}]


async def test_the_user_can_not_be_given(pair: Pair) -> None:
    assert "user_id is bound" in await pair.refused("RETURN $user_id AS x", {"user_id": pair.bo_id})
    assert "$x is used" in await pair.refused("RETURN $x AS x")
    assert "can stand in strings only" in await pair.refused("/**/" * 900 + "#")
    assert "4000 characters" in await pair.refused(f"RETURN '{'x' * 4000}' AS x")
