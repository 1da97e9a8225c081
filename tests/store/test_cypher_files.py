from __future__ import annotations

import ast
import re
from importlib import resources
from pathlib import Path

import neo4j
import pytest

import memoryos_graph
from memoryos_graph.errors import SetupError
from memoryos_graph.store.connection import Connection
from memoryos_graph.store.cypher_files import Line, load, parse

ROOT = Path(memoryos_graph.__file__).parent
# give user ids only, or numbers, or are of no user; make_due names a batch of users by their ids
ACROSS_USERS = {"due_users", "work_left", "walk_users", "make_due", "claim_job", "finish_job"}
ACROSS_USERS |= {"vectors_now", "set_reembed", "swap_vectors", "doctor_strays"}
ACROSS_USERS |= {"fill_log", "set_residue_erased", "residue_erased_at", "count_nodes"}


def _calls() -> dict[str, set[frozenset[str]]]:
    """Each query name that Python runs, with the keyword arguments of every call."""
    found: dict[str, set[frozenset[str]]] = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("run", "one")
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                names = frozenset(k.arg or "**" for k in node.keywords)
                found.setdefault(node.args[0].value, set()).add(names)
    return found


@pytest.mark.parametrize("line", list(Line))
def test_every_query_is_run_and_every_run_query_exists_with_its_parameters(line: Line) -> None:
    queries, calls = load("queries", line), _calls()
    assert calls.keys() == queries.keys()
    for name, variants in calls.items():
        for given in variants:
            if "**" in given:
                assert given - {"**"} <= queries[name].params, name
            else:
                assert given == queries[name].params, name


@pytest.mark.parametrize("line", list(Line))
def test_every_query_on_user_data_binds_the_user(line: Line) -> None:
    for query in load("queries", line).values():
        if query.name not in ACROSS_USERS and query.file != "keys.cypher":
            assert "$user_id" in query.text, query.name


def test_vectors_are_never_returned_from_either_property() -> None:
    for query in load("queries", Line.NEO4J_2026).values():
        assert query.text.count("embedding: null") == query.text.count("embedding_b: null"), query.name


def test_the_two_properties_of_vectors_are_exchanged_everywhere() -> None:
    for folder in ("queries", "schema/neo4j2026", "schema/neo4j5"):
        line = Line.NEO4J_5 if folder.endswith("5") else Line.NEO4J_2026
        usual, exchanged = load(folder, line), load(folder, line, "embedding_b")
        for query, other in zip(usual.values(), exchanged.values(), strict=True):
            parts = re.split(r"(\w*embedding(?:_b)?\b)", query.text)
            swapped = [p[:-2] if p.endswith("embedding_b") else f"{p}_b" for p in parts[1::2]]
            assert re.findall(r"\w*embedding(?:_b)?\b", other.text) == swapped, query.name
            assert query.params == other.params, query.name


def test_python_holds_no_cypher() -> None:
    cypher = re.compile(r"\b(MATCH|MERGE|UNWIND|CREATE|DETACH DELETE)\s*\((?!\?)")
    for path in ROOT.rglob("*.py"):
        assert not cypher.search(path.read_text(encoding="utf-8")), path


def test_only_the_connection_imports_the_driver() -> None:
    importers = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(r"^\s*(import neo4j|from neo4j)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert importers <= {"store/connection.py", "store/free.py", "store/managed/probe.py"}


def test_files_name_the_place_of_a_fault() -> None:
    with pytest.raises(SetupError, match=r"x\.cypher"):
        list(parse("x.cypher", "// name: Bad Name\n// mode: read\nRETURN 1"))
    with pytest.raises(SetupError, match="empty"):
        list(parse("x.cypher", "// name: nothing\n// mode: read\n"))


def test_each_file_holds_only_named_statements() -> None:
    for folder in ("queries", "schema", "schema/neo4j5", "schema/neo4j2026", "server"):
        for entry in resources.files("memoryos_graph.cypher").joinpath(folder).iterdir():
            if entry.name.endswith(".cypher"):
                assert entry.read_text(encoding="utf-8").startswith("// name: "), entry.name


@pytest.mark.engine
async def test_the_server_accepts_every_query(service: memoryos_graph.MemoryService) -> None:
    connection: Connection = service.ctx.store.connection
    async with connection.driver.session(database=connection.database) as session:
        for query in connection.queries.values():
            params = {name: _example(name) for name in query.params}
            result = await session.run(neo4j.Query("EXPLAIN " + query.text), params)  # type: ignore[arg-type]
            await result.consume()


def _example(name: str) -> object:
    if name in ("limit", "k", "lease_s", "max_pages"):
        return 10
    return None
