"""The one module that imports the driver and sends a statement."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import neo4j
from neo4j import exceptions as driver_errors
from neo4j import time as neo4j_time

from ..errors import DatabaseUnavailable, InternalError, MemoryosError, SetupError, TryAgain, UserBusy
from .cypher_files import OTHER_VECTORS, VECTORS, Line, Query, load

T = TypeVar("T")
log = logging.getLogger("memoryos_graph.store")

OLDEST_5 = (5, 26)
OLDEST_CALENDAR = (2026, 2)
RETRY_S = 8.0
STATEMENT_TIMEOUT_S = 60.0
RACE_TRIES = 20
RACE_CODES = (
    "EquivalentSchemaRuleAlreadyExists",
    "IndexAlreadyExists",
    "IndexNotFound",
    "ConstraintAlreadyExists",
    "ConstraintValidationFailed",
    "DeadlockDetected",
    "LockAcquisitionTimeout",
)
INDEX_NOT_READY = "51N63"
BUSY_CODES = (
    "LockAcquisitionTimeout",
    "LockClientStopped",
    "TransactionTimedOut",
    "TransactionTimedOutClientConfiguration",
)


def translate(exc: Exception) -> MemoryosError:
    """Our error for an error of the driver. The driver's words stay in `__cause__` only: they may quote values."""
    code = str(getattr(exc, "code", "") or "")
    if isinstance(exc, driver_errors.AuthError):
        return SetupError(
            "Neo4j refused the user or password; check NEO4J_USER and NEO4J_PASSWORD", code="wrong_password"
        )
    if code.endswith("DatabaseNotFound"):
        return SetupError("the database named by NEO4J_DATABASE does not exist on this server", code="no_database")
    if getattr(exc, "gql_status", None) == INDEX_NOT_READY:
        return TryAgain("an index is being built; search answers again when it is ready", retry_after_s=10)
    if code.endswith("IndexNotFound"):
        return SetupError(
            "an index of the database is gone, as after a change of the embedding model: start again, it is built then",
            code="index_missing",
        )
    if code.endswith("Forbidden"):
        return SetupError("the Neo4j user lacks the right for this (indexes, writes or reads)", code="no_rights")
    if code.rsplit(".", 1)[-1] in BUSY_CODES:
        return UserBusy()
    if isinstance(exc, driver_errors.ServiceUnavailable | driver_errors.SessionExpired | driver_errors.TransientError):
        return DatabaseUnavailable()
    if isinstance(exc, driver_errors.ConfigurationError):
        return SetupError("NEO4J_URI is not an address that the driver understands", code="bad_uri")
    return InternalError(f"Neo4j refused a statement ({code or type(exc).__name__})")


def native(value: Any) -> Any:
    """Values of the driver as plain Python: times become UTC datetimes."""
    if isinstance(value, neo4j_time.DateTime):
        return value.to_native().astimezone(UTC)
    if isinstance(value, list):
        return [native(item) for item in value]
    if isinstance(value, Mapping):
        return {key: native(item) for key, item in value.items()}
    return value


def _utc(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], float):
            return value
        return [_utc(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _utc(item) for key, item in value.items()}
    return value


def _items(record: neo4j.Record) -> list[tuple[str, Any]]:
    return record.items()  # type: ignore[no-untyped-call,no-any-return]


Row = dict[str, Any]


class Tx:
    """An open transaction: runs named queries, and nothing but them."""

    def __init__(self, connection: Connection, raw: neo4j.AsyncManagedTransaction | neo4j.AsyncTransaction) -> None:
        self._connection = connection
        self._raw = raw

    async def run(self, name: str, **params: Any) -> list[Row]:
        """Run the query of that name and give all its rows. Times go in and come out as UTC datetimes."""
        query = self._connection.queries[name]
        if query.params != params.keys():
            raise InternalError(f"query {name} takes {sorted(query.params)}, not {sorted(params)}")
        self._connection.statements += 1
        result = await self._raw.run(query.text, {key: _utc(value) for key, value in params.items()})
        return [{key: native(value) for key, value in _items(record)} async for record in result]

    async def one(self, name: str, **params: Any) -> Row | None:
        """The first row, or None."""
        rows = await self.run(name, **params)
        return rows[0] if rows else None


@dataclass
class Connection:
    """One driver and one database of it. `statements` counts what was sent, for budgets in tests and bench;
    `vectors` is the property that is searched."""

    driver: neo4j.AsyncDriver
    database: str
    line: Line
    version: str
    queries: dict[str, Query]
    statements: int = 0
    vectors: str = VECTORS

    @classmethod
    async def open(cls, uri: str, user: str, password: str, database: str) -> Connection:
        """Connect and find the server's line.

        Raises SetupError (`wrong_password`, `bad_uri`, `no_database`, `server_too_old`) and DatabaseUnavailable.
        """
        try:
            driver = neo4j.AsyncGraphDatabase.driver(
                uri,
                auth=(user, password),
                user_agent="memoryos-graph",
                telemetry_disabled=True,
                notifications_min_severity="OFF",  # they quote literals of queries, and warn about an empty database
                max_connection_lifetime=1800,  # hosted servers drop idle connections after an hour
                liveness_check_timeout=30,
                connection_acquisition_timeout=15,
                connection_timeout=5,
                max_transaction_retry_time=RETRY_S,
            )
        except (driver_errors.DriverError, ValueError) as exc:
            raise SetupError("NEO4J_URI is not an address that the driver understands", code="bad_uri") from exc
        try:
            version = await _version(driver, database)
            line = _line_of(version)
        except BaseException:
            await driver.close()
            raise
        return cls(driver, database, line, version, load("queries", line))

    def search_in(self, vectors: str) -> None:
        """From now on `embedding` in queries means this property, and `embedding_b` the other one."""
        self.vectors = vectors
        self.queries = load("queries", self.line, vectors)

    @property
    def other_vectors(self) -> str:
        """The property that is not searched."""
        return OTHER_VECTORS if self.vectors == VECTORS else VECTORS

    async def close(self) -> None:
        """Close the pool."""
        await self.driver.close()

    async def read(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a read transaction; it may run twice."""
        return await self._in_transaction(work, read=True)

    async def write(self, work: Callable[[Tx], Awaitable[T]], *, timeout_s: float = STATEMENT_TIMEOUT_S) -> T:
        """Run `work` in a write transaction; it may run twice, and is undone when it raises."""
        return await self._in_transaction(work, read=False, timeout_s=timeout_s)

    async def _in_transaction(
        self, work: Callable[[Tx], Awaitable[T]], *, read: bool, timeout_s: float = STATEMENT_TIMEOUT_S
    ) -> T:
        @neo4j.unit_of_work(timeout=timeout_s)
        async def body(raw: neo4j.AsyncManagedTransaction) -> T:
            return await work(Tx(self, raw))

        try:
            async with self.driver.session(database=self.database) as session:
                return await (session.execute_read(body) if read else session.execute_write(body))
        except (driver_errors.Neo4jError, driver_errors.DriverError) as exc:
            raise translate(exc) from exc

    async def together(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Statements of the schema in one transaction: all of them or none, with no moment in between."""

        async def body(raw: neo4j.AsyncManagedTransaction) -> None:
            for text, params in statements:
                await (await raw.run(text, dict(params))).consume()

        try:
            async with self.driver.session(database=self.database) as session:
                await session.execute_write(body)
        except (driver_errors.Neo4jError, driver_errors.DriverError) as exc:
            raise translate(exc) from exc

    async def statement(self, text: str, **params: Any) -> list[Row]:
        """One auto-commit statement of the schema, repeated while another process is doing the same (case N2)."""
        for attempt in range(RACE_TRIES):
            try:
                async with self.driver.session(database=self.database) as session:
                    result = await session.run(text, params)
                    return [{key: native(value) for key, value in _items(record)} async for record in result]
            except driver_errors.Neo4jError as exc:
                if attempt + 1 == RACE_TRIES or str(exc.code).rsplit(".", 1)[-1] not in RACE_CODES:
                    raise translate(exc) from exc
                await asyncio.sleep(0.05 * (attempt + 1))
            except driver_errors.DriverError as exc:
                raise translate(exc) from exc
        raise AssertionError("unreachable")


async def _version(driver: neo4j.AsyncDriver, database: str) -> str:
    try:
        query = load("server", Line.NEO4J_2026)["server_version"]  # asked before the line is known: the same on all
        records, _, _ = await driver.execute_query(query.text, database_=database)
    except (driver_errors.Neo4jError, driver_errors.DriverError) as exc:
        raise translate(exc) from exc
    return str(records[0]["version"])


def _line_of(version: str) -> Line:
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
    if numbers >= OLDEST_CALENDAR:
        return Line.NEO4J_2026
    if OLDEST_5 <= numbers < (6, 0):
        return Line.NEO4J_5
    raise SetupError(
        f"Neo4j {version} is not supported; use 5.26 LTS, or 2026.02 and later",
        code="server_too_old",
    )
