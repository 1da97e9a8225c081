"""The caller's own query: the one place where Cypher runs that is not in `cypher/`. Everything around it is.

It runs after `check` has seen its plan, in one read transaction with a time limit, and is never repeated.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import neo4j
from neo4j import exceptions as driver_errors
from neo4j import graph

from ..errors import InvalidInput, MemoryosError, QueryRefused, TryAgain
from .connection import Connection, Row, Tx, native, translate

GRACE_S = 2.0
FETCH = 50
HEAD = "CYPHER 5"  # one language on both server lines, which grows no more
_TOO_MUCH = ("TimedOut", "OutOfMemory", "StackOverFlow", "MemoryPool")
_PLACE = re.compile(r"\(line (\d+), column (\d+)")

Cut = Literal["rows", "bytes"]
Check = Callable[[Mapping[str, Any], str | None], None]


@dataclass(frozen=True)
class NodeValue:
    """A node of a result. `element_id` is the server's own, and goes no further."""

    element_id: str
    labels: tuple[str, ...]
    properties: Row


@dataclass(frozen=True)
class EdgeValue:
    """A relationship of a result, with the server's ids of its ends."""

    type: str
    start: str
    end: str
    properties: Row


@dataclass(frozen=True)
class PathValue:
    """A path: nodes and relationships in turn."""

    nodes: tuple[NodeValue, ...]
    edges: tuple[EdgeValue, ...]


@dataclass(frozen=True)
class FreeQuery:
    """A query whose text was checked, with what it may cost."""

    text: str
    params: Mapping[str, Any]
    timeout_s: float
    max_rows: int
    max_bytes: int


@dataclass(frozen=True)
class FreeRows:
    """What was read; `cut` says why there is no more. `keys` are our keys of ends that were not read themselves."""

    columns: list[str]
    rows: list[list[Any]]
    cut: Cut | None
    keys: dict[str, Row]


async def run_free(connection: Connection, user_id: str, query: FreeQuery, check: Check) -> FreeRows:
    """Plan, check and run one query of a user. Four statements, five where ends of relationships are to be named.

    Raises InvalidInput, QueryRefused (also `query_too_heavy`), TryAgain while a forget or an import is half-done.
    """
    try:
        async with asyncio.timeout(query.timeout_s + GRACE_S):
            return await _run(connection, user_id, query, check)
    except TimeoutError:
        raise _too_heavy(query) from None
    except (driver_errors.Neo4jError, driver_errors.DriverError) as exc:
        raise _error(exc, query) from exc


async def _run(connection: Connection, user_id: str, query: FreeQuery, check: Check) -> FreeRows:
    params = {**query.params, "user_id": user_id}
    async with (
        connection.driver.session(
            database=connection.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=FETCH
        ) as session,
        await session.begin_transaction(timeout=query.timeout_s) as raw,
    ):
        tx = Tx(connection, raw)
        before = await _settled(tx, user_id)
        connection.statements += 2
        planned = await (await raw.run(f"{HEAD} EXPLAIN\n{query.text}", params)).consume()
        check(planned.plan or {}, planned.query_type)
        result = await raw.run(f"{HEAD}\n{query.text}", params)
        columns, (rows, cut) = list(result.keys()), await _rows(result, query)
        keys = await _keys(tx, user_id, rows)
        if await _settled(tx, user_id) != before:
            raise _half_done()
        return FreeRows(columns, rows, cut, keys)


async def _settled(tx: Tx, user_id: str) -> Any:
    """Which forgets and imports are done. Raises TryAgain while one is half-done: no read may see that."""
    row = await tx.one("settled_state", user_id=user_id)
    if row is not None and row["half_done"]:
        raise _half_done()
    return row and row["done"]


async def _rows(result: neo4j.AsyncResult, query: FreeQuery) -> tuple[list[list[Any]], Cut | None]:
    rows: list[list[Any]] = []
    size = 0
    async for record in result:
        row = [_value(value) for value in record.values()]
        size += len(json.dumps(row, default=_sized))
        if size > query.max_bytes and not rows:
            raise QueryRefused(f"one row is larger than {query.max_bytes:,} bytes: return less", code="query_too_heavy")
        if size > query.max_bytes or len(rows) == query.max_rows:
            return rows, "bytes" if size > query.max_bytes else "rows"
        rows.append(row)
    return rows, None


def _sized(value: Any) -> Any:
    match value:
        case NodeValue():
            return value.properties
        case EdgeValue():
            return value.properties
        case PathValue():
            return [*value.nodes, *value.edges]
    return str(value)


def _value(value: Any) -> Any:
    match value:
        case graph.Node():
            return NodeValue(value.element_id, tuple(sorted(value.labels)), native(dict(value.items())))
        case graph.Relationship():
            start, end = value.nodes
            return EdgeValue(
                value.type,
                start.element_id if start is not None else "",
                end.element_id if end is not None else "",
                native(dict(value.items())),
            )
        case graph.Path():
            return PathValue(
                tuple(_value(node) for node in value.nodes), tuple(_value(edge) for edge in value.relationships)
            )
        case list():
            return [_value(item) for item in value]
        case dict():
            return {key: _value(item) for key, item in value.items()}
    return native(value)


async def _keys(tx: Tx, user_id: str, rows: list[list[Any]]) -> dict[str, Row]:
    ends: set[str] = set()
    for value in walk(rows):
        if isinstance(value, EdgeValue):
            ends |= {value.start, value.end}
    known = {value.element_id for value in walk(rows) if isinstance(value, NodeValue)}
    if not (missing := sorted(ends - known)):
        return {}
    found = await tx.run("keys_of_ends", user_id=user_id, element_ids=missing)
    return {row["element_id"]: row for row in found}


def walk(value: Any) -> list[Any]:
    """All nodes and relationships in a value, also those of paths."""
    match value:
        case NodeValue() | EdgeValue():
            return [value]
        case PathValue():
            return [*value.nodes, *value.edges]
        case list():
            return [found for item in value for found in walk(item)]
        case dict():
            return [found for item in value.values() for found in walk(item)]
    return []


def _half_done() -> TryAgain:
    return TryAgain("a forget or an import of this user is not finished; ask again when it is", retry_after_s=2)


def _too_heavy(query: FreeQuery) -> QueryRefused:
    limit = f"{query.timeout_s:g} s or the memory of one query"
    return QueryRefused(f"it takes more than {limit}: match less, or return less", code="query_too_heavy")


def _error(exc: Exception, query: FreeQuery) -> MemoryosError:
    """Our error, without the server's words, which quote the query."""
    code = str(getattr(exc, "code", "") or "")
    if any(part in code for part in _TOO_MUCH):
        return _too_heavy(query)
    if code.endswith("SyntaxError"):
        place = _PLACE.search(str(exc))
        where = f" at line {int(place[1]) - 1}, column {place[2]}" if place else ""
        return InvalidInput("query", f"query: this is not valid Cypher{where}")
    if code.endswith("ParameterMissing"):
        return InvalidInput("params", "params: a parameter that the query uses is not given")
    if code.startswith(("Neo.ClientError.Statement.", "Neo.DatabaseError.Statement.")):
        return InvalidInput("query", f"query: it can't be run ({code.rsplit('.', 1)[-1]})")
    return translate(exc)
