"""Erasure on disk: what was deleted leaves the files of the managed server (design 6, I3; cases F10, F11)."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

from ..bootstrap import open_connection
from ..clock import Clock
from ..contract import ResidueCost, ResidueErased
from ..errors import InternalError, SetupError
from ..settings import Settings
from ..store import managed
from ..store.connection import Connection, Row, Tx
from ..store.cypher_files import Line
from ..store.schema import renew_search_indexes

FILLERS = ("x" * 50_000, "y" * 50_000)  # twice that goes to the log each time; writing the same again would not
LOG_FILLS, FILLS_MAX = 24, 500  # about how often, and when to give up
RESTART_S, BYTES_PER_S, NODES_PER_S, VECTORS_PER_S = 6, 40_000_000, 40_000, 250  # measured on two cores

Progress = Callable[[str, float, float], None]


async def residue_cost(settings: Settings, *, on_progress: Callable[[str], None] | None = None) -> ResidueCost:
    """What `erase_residue` would cost now. Raises SetupError (`not_managed`)."""
    ensure_managed(settings)
    async with open_connection(settings, on_progress=on_progress) as connection:
        row = await connection.read(_count)
    size = managed.status(settings.data_dir, Line(settings.managed_line)).disk_bytes
    return ResidueCost(
        nodes=row["nodes"],
        vectors=row["vectors"],
        bytes=size,
        unavailable_s=round(RESTART_S + size / BYTES_PER_S + row["nodes"] / NODES_PER_S),
        degraded_s=round(1 + row["vectors"] / VECTORS_PER_S),
    )


async def erase_residue(
    settings: Settings,
    *,
    clock: Clock | None = None,
    on_progress: Progress | None = None,
) -> ResidueErased:
    """Overwrite in the files of the managed server whatever was deleted before this call.

    The server is stopped and started once: meanwhile all calls of all processes wait, or fail with
    DatabaseUnavailable. Then the indexes that are searched are built anew, one after the other, while everything else
    goes on; a search that needs one that is not ready raises TryAgain. May be killed at any moment and run again.
    Raises SetupError (`not_managed`, `foreign_index`, `index_failed`, and those of managed.Erasing), TryAgain while
    another process does it.
    """
    ensure_managed(settings)
    clock, began = clock or Clock(), time.monotonic()
    on_progress = on_progress or _silent
    async with open_connection(settings) as connection:  # its lease keeps the server
        at = clock.now()
        erasing = managed.Erasing(settings.data_dir, Line(settings.managed_line))
        try:
            await _renew_log(connection, erasing, on_progress)
            on_progress("files", 0, 1)
            erased = await erasing.overwrite()
            async with open_connection(settings) as after:
                if erasing.old_log_files:
                    raise SetupError("an old transaction log is still there: run it again", code="log_kept")
                on_progress("files", 1, 1)
                await renew_search_indexes(after, partial(on_progress, "indexes"))
                await _remember(after, at)
        finally:
            erasing.close()
    return ResidueErased(
        erased_at=at,
        records=erased.records,
        bytes=erased.bytes,
        index_files=erased.index_files,
        seconds=round(time.monotonic() - began, 1),
    )


def _silent(step: str, done: float, total: float) -> None:
    """No progress wanted."""


def ensure_managed(settings: Settings) -> None:
    """Refuse where the files are somebody else's. Raises SetupError (`not_managed`)."""
    if settings.neo4j_uri is not None:
        raise SetupError(
            "NEO4J_URI is set: only the files of the managed server can be erased; what to do with a Neo4j of your own "
            "is in docs/operations.md, section Erasing",
            code="not_managed",
        )


async def _count(tx: Tx) -> Row:
    row = await tx.one("count_nodes")
    assert row is not None, "the query gives one row"
    return row


async def _renew_log(connection: Connection, erasing: managed.Erasing, on_progress: Progress) -> None:
    """Write until Neo4j begins another log file: the old ones go when it stops, with all that they say of the past."""
    for done in range(FILLS_MAX):
        on_progress("log", min(done, LOG_FILLS), LOG_FILLS)
        await _fill(connection, FILLERS[done % 2])
        if erasing.log_is_renewed:
            await _fill(connection, None)
            return on_progress("log", LOG_FILLS, LOG_FILLS)
    raise InternalError("the transaction log was not renewed")


async def _fill(connection: Connection, text: str | None) -> None:
    async def write(tx: Tx) -> None:
        await tx.run("fill_log", text=text)

    await connection.write(write)


async def _remember(connection: Connection, at: datetime) -> None:
    async def write(tx: Tx) -> None:
        await tx.run("set_residue_erased", at=at)

    await connection.write(write)
