"""The wanted constraints and indexes, compared with the server's and mended at every start."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..errors import SetupError
from .connection import Connection, Row
from .cypher_files import VECTORS, Query, load

log = logging.getLogger("memoryos_graph.store")

SCHEMA_VERSION = 1
_SETTLE_TRIES = 50
_BUILD_POLL_S = 0.2
SEARCHED = ("FULLTEXT", "VECTOR")
_DEFINITION = re.compile(
    r"CREATE (?P<type>CONSTRAINT|RANGE|FULLTEXT|VECTOR)(?: INDEX)? (?P<name>\w+) IF NOT EXISTS FOR "
    r"\(n:(?P<label>\w+)\) "
    r"(?:ON|REQUIRE)(?: EACH)? (?P<properties>[\[(].*?[\])]|n\.\w+)(?: IS UNIQUE)?"
    r"(?:\s+WITH \[(?P<filters>.*?)\])?(?:\s+OPTIONS (?P<options>.*))?$",
    re.DOTALL,
)


@dataclass(frozen=True)
class Wanted:
    """One constraint or index as declared in `cypher/schema`."""

    query: Query
    type: str
    name: str
    label: str
    properties: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def constraint(self) -> bool:
        """Whether it is a constraint, which owns a range index of the same name."""
        return self.type == "CONSTRAINT"


@dataclass(frozen=True)
class Meta:
    """What the database says of itself."""

    schema_version: int
    embedding_model: str
    embedding_dimension: int
    key_check: str
    embedding_property: str = VECTORS


async def prepare(connection: Connection, meta: Meta, now: datetime, *, any_model: bool = False) -> None:
    """Bring the database to the wanted state; safe when several processes start at once.

    With `any_model` it may hold vectors of another model, which stay as they are.
    Raises SetupError: `newer_database`, `wrong_dimension`, `wrong_model`, `wrong_secret_key` (nothing changed),
    `no_rights`,
    `index_failed`.
    """
    stored = await _read_meta(connection) or meta
    check_meta(stored, meta, any_model=any_model)
    connection.search_in(stored.embedding_property)
    wanted = _declared(connection, stored.embedding_dimension, stored.embedding_property)
    await _mend(connection, wanted, stored.embedding_dimension)
    row = await connection.statement(load("server", connection.line)["create_meta"].text, now=now, **vars(meta))
    check_meta(Meta(**row[0]), meta, any_model=any_model)


async def build_other_vectors(connection: Connection, dimension: int) -> None:
    """Make the vector indexes of the property that is not searched, for vectors of so many numbers."""
    wanted = _other_vectors(connection, dimension)
    await _mend(connection, wanted, dimension)


async def drop_other_vectors(connection: Connection) -> None:
    """Drop the vector indexes of the property that is not searched."""
    for want in _other_vectors(connection, 1):
        await connection.statement(load("server", connection.line)["drop_index"].text, name=want.name)


async def index_faults(connection: Connection) -> dict[str, str]:
    """What is wrong with the wanted indexes and constraints, by their names: missing, another definition, a state."""
    rows = await connection.statement(load("server", connection.line)["show_indexes"].text)
    found = {row["name"]: row for row in rows}
    wanted = _declared(connection, await _stored_dimension(connection), connection.vectors)
    return {want.name: said for want in wanted if (said := _fault(want, found.get(want.name)))}


async def mend_indexes(connection: Connection) -> None:
    """Build what is missing, has failed or has another definition. Raises SetupError (`index_failed`)."""
    dimension = await _stored_dimension(connection)
    await _mend(connection, _declared(connection, dimension, connection.vectors), dimension)


async def _stored_dimension(connection: Connection) -> int:
    meta = await _read_meta(connection)
    assert meta is not None, "Meta is made at the first start"
    return meta.embedding_dimension


def _fault(want: Wanted, row: Row | None) -> str:
    if row is None:
        return "missing"
    if row["state"] != "ONLINE":
        return str(row["state"]).lower()
    return "" if _same(want, row) else "another definition"


async def renew_search_indexes(connection: Connection, on_index: Callable[[float, int], None]) -> int:
    """Build full-text and vector indexes anew, one after the other; how many.

    Each is dropped and created in one transaction: killed in between, it is being built. Meanwhile it is not ready.
    `on_index` is told how many are done, of how many. Raises SetupError (`foreign_index`: none was built yet, and
    `index_failed`).
    """
    stored = await _read_meta(connection)
    if stored is None:
        return 0
    connection.search_in(stored.embedding_property)
    server, dimension = load("server", connection.line), stored.embedding_dimension
    rows = await connection.statement(server["show_indexes"].text)
    found = {row["name"]: row for row in rows if row["type"] in SEARCHED}
    wanted = _declared(connection, dimension, connection.vectors) + _other_vectors(connection, dimension)
    ours = [want for want in wanted if want.name in found]
    if foreign := sorted(found.keys() - {want.name for want in ours}):
        raise SetupError(f"index {foreign[0]} is not of this program: drop it before", code="foreign_index")
    for done, want in enumerate(ours):
        on_index(done, len(ours))
        params = {"dimension": found[want.name]["options"]["indexConfig"].get("vector.dimensions", dimension)}
        await connection.together([(server["drop_index"].text, {"name": want.name}), (want.query.text, params)])
        while rows := await connection.statement(server["indexes_being_built"].text):
            if any(row["state"] == "FAILED" for row in rows):
                raise SetupError(
                    f"index {want.name} could not be built: start again, it is mended then", code="index_failed"
                )
            on_index(done + min(row["percent"] for row in rows) / 100, len(ours))
            await asyncio.sleep(_BUILD_POLL_S)
    on_index(len(ours), len(ours))
    return len(ours)


def check_meta(stored: Meta, mine: Meta, *, any_model: bool = False) -> None:
    """Refuse a database that this process can't serve. Source: cases N4, design.md 3."""
    if stored.schema_version > mine.schema_version:
        raise SetupError(
            f"the database has schema version {stored.schema_version}, this program knows {mine.schema_version}: "
            "upgrade memoryos-graph, or restore a backup made before the upgrade",
            code="newer_database",
        )
    if not any_model and stored.embedding_dimension != mine.embedding_dimension:
        raise SetupError(
            f"the database holds vectors of {stored.embedding_dimension} numbers ({stored.embedding_model}), the "
            f"embedding model set now gives {mine.embedding_dimension} ({mine.embedding_model}): "
            "run `memoryos reembed` to change them, or set MEMORYOS_EMBEDDING_MODEL and "
            "MEMORYOS_EMBEDDING_DIMENSION back",
            code="wrong_dimension",
        )
    if not any_model and stored.embedding_model != mine.embedding_model:
        raise SetupError(
            f"the database holds vectors of {stored.embedding_model}, the embedding model set now is "
            f"{mine.embedding_model}: run `memoryos reembed` to change them, or set MEMORYOS_EMBEDDING_MODEL back",
            code="wrong_model",
        )
    if stored.key_check != mine.key_check:
        raise SetupError(
            "the database was made with another secret key: set MEMORYOS_SECRET_KEY, or MEMORYOS_DATA_DIR to "
            "the folder that holds its secret.key",
            code="wrong_secret_key",
        )


async def _read_meta(connection: Connection) -> Meta | None:
    rows = await connection.statement(load("server", connection.line)["read_meta"].text)
    return Meta(**rows[0]) if rows else None


def _declared(connection: Connection, dimension: int, vectors: str) -> list[Wanted]:
    line = connection.line
    queries = load("schema", line) | load(f"schema/neo4j{line}", line, vectors)
    return [_parse(query, dimension) for query in queries.values()]


def _other_vectors(connection: Connection, dimension: int) -> list[Wanted]:
    declared = _declared(connection, dimension, connection.other_vectors)
    return [want for want in declared if want.type == "VECTOR"]


def _parse(query: Query, dimension: int) -> Wanted:
    match = _DEFINITION.match(query.text.removeprefix("CYPHER 25 "))
    if match is None or match["name"] != query.name:
        raise SetupError(f"{query.file}: {query.name} is not a definition that can be compared", code="cypher_file")
    properties = re.findall(r"n\.(\w+)", match["properties"]) + re.findall(r"n\.(\w+)", match["filters"] or "")
    settings = dict(re.findall(r"`([\w.]+)`: ('?[\w$]+'?)", match["options"] or ""))
    values = {key: _literal(text, dimension) for key, text in settings.items()}
    return Wanted(query, match["type"], query.name, match["label"], tuple(properties), values)


def _literal(text: str, dimension: int) -> Any:
    if text == "$dimension":
        return dimension
    return {"true": True, "false": False}.get(text, text.strip("'").upper() if text.startswith("'") else text)


async def _mend(connection: Connection, wanted: list[Wanted], dimension: int) -> None:
    server = load("server", connection.line)
    before = {row["name"]: row for row in await connection.statement(server["show_indexes"].text)}
    for want in wanted:
        found = await _settled(connection, want, before.get(want.name))
        if found and not _same(want, found):
            log.warning("index %s differs from its definition or has failed; it is built again", want.name)
            drop = server["drop_constraint" if found["constraint"] else "drop_index"]
            await connection.statement(drop.text, name=want.name)
            found = None
        if not found:
            params = {"dimension": dimension} if "dimension" in want.query.params else {}
            await connection.statement(want.query.text, **params)
    await connection.statement(server["await_indexes"].text)
    _verify(wanted, await connection.statement(server["show_indexes"].text))


async def _settled(connection: Connection, want: Wanted, row: Row | None) -> Row | None:
    """The index once it belongs to its constraint: while another process makes one, it is seen alone (5.26, N2)."""
    for _ in range(_SETTLE_TRIES):
        if row is None or not want.constraint or row["constraint"] is not None:
            break
        await asyncio.sleep(0.1)
        rows = await connection.statement(load("server", connection.line)["show_indexes"].text)
        row = next((r for r in rows if r["name"] == want.name), None)
    return row


def _same(want: Wanted, row: Row) -> bool:
    if row["state"] == "FAILED" or (row["constraint"] is not None) != want.constraint:
        return False
    if [want.label] != row["labels"] or list(want.properties) != row["properties"]:
        return False
    config = {
        key: value.upper() if isinstance(value, str) else value for key, value in row["options"]["indexConfig"].items()
    }
    # newer servers report some settings under another name (quantization): those can't be compared
    return all(config.get(key, value) == value for key, value in want.settings.items())


def _verify(wanted: Iterable[Wanted], rows: list[Row]) -> None:
    after = {row["name"]: row for row in rows}
    for want in wanted:
        row = after.get(want.name)
        if row is None or row["state"] != "ONLINE" or not _same(want, row):
            state = row["state"] if row else "missing"
            raise SetupError(f"index {want.name} could not be made ready: {state}", code="index_failed")
