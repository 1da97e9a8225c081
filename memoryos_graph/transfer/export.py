"""One user as JSON Lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from ..context import Context
from ..contract import MomentRequest
from ..domain.validity import Moment
from ..store.connection import Row, Tx
from ..store.records import KEYS
from .graph_lines import FORMAT, NUMBERED, SCHEMA, STARTS, first_key, node_line, relationship_lines
from .snapshot import Begun, Lines, Reading, ensure_untorn, snapshot

NODES_AT_ONCE = 500
STARTS_AT_ONCE = 250


async def export(ctx: Context, user_id: str, request: MomentRequest) -> AsyncIterator[bytes]:
    """The lines of one user's memory in a stable order, in pieces of some hundred: header, nodes, relationships, end.

    With `as_of` or `known_at` only the facts of that moment. Leaves an Event `export`, which is not among the lines.
    A memory of more than 4 MB is not read at once: when something is written meanwhile the lines break off with
    TryAgain, and a file without its last line is none. Raises NotFound; TryAgain while a forget is being finished.
    """
    moment = Moment.of(request.as_of, request.known_at, ctx.clock.now())

    async def pieces(read: Reading, begun: Begun) -> AsyncIterator[bytes]:
        file = Lines()
        yield file.begin(_header(ctx, user_id, request, begun))
        yield file.line(node_line("User", begun.user), "User")
        for label in KEYS:
            async for rows in _nodes(read, user_id, label, begun):
                shown = [row for row in rows if label != "Fact" or begun.facts is None or row["key"] in begun.facts]
                bodies = [node_line(label, row["properties"], row["vector"]) for row in shown]
                yield b"".join(file.line(body, label) for body in bodies)
        for label in STARTS:
            async for rows in _starts(read, user_id, label):
                bodies = [body for row in rows for body in relationship_lines(label, row["key"], row["relationships"])]
                kept = [body for body in bodies if _shown(body, begun.facts)]
                yield b"".join(file.line(body, body["relationship"]) for body in kept)
        await ensure_untorn(read, user_id, begun)
        yield file.end()

    async for piece in snapshot(ctx, user_id, moment, {}, pieces):
        yield piece


def _shown(body: dict[str, Any], facts: frozenset[str] | None) -> bool:
    """Whether both ends of a relationship are in the file."""
    return facts is None or all(end[0] != "Fact" or end[1] in facts for end in (body["from"], body["to"]))


async def _nodes(read: Reading, user_id: str, label: str, begun: Begun) -> AsyncIterator[list[Row]]:
    async def page(after: str | int, tx: Tx) -> list[Row]:
        asked = {"user_id": user_id, "label": label, "after": after, "limit": NODES_AT_ONCE}
        if label in NUMBERED:
            return await tx.run("export_numbered", **asked, until=begun.user["event_seq"])
        return await tx.run("export_nodes", **asked)

    async for rows in _paged(read, page, first_key(label), NODES_AT_ONCE):
        yield rows


async def _starts(read: Reading, user_id: str, label: str) -> AsyncIterator[list[Row]]:
    async def page(after: str | int, tx: Tx) -> list[Row]:
        return await tx.run("export_relationships", user_id=user_id, label=label, after=after, limit=STARTS_AT_ONCE)

    async for rows in _paged(read, page, "", STARTS_AT_ONCE):
        yield rows


async def _paged(
    read: Reading, page: Callable[[str | int, Tx], Awaitable[list[Row]]], after: str | int, limit: int
) -> AsyncIterator[list[Row]]:
    """All rows behind a key, so many at a time."""
    while True:
        rows = await read(partial(page, after))
        if rows:
            yield rows
        if len(rows) < limit:
            return
        after = rows[-1]["key"]


def _header(ctx: Context, user_id: str, request: MomentRequest, begun: Begun) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "schema_version": SCHEMA,
        "user_id": user_id,
        "server_line": ctx.store.connection.line.value,
        "exported_at": begun.at.isoformat(),
        "as_of": request.as_of and request.as_of.isoformat(),
        "known_at": request.known_at and request.known_at.isoformat(),
        "embedding_model": begun.vectors["embedding_model"],
        "embedding_dimension": begun.vectors["embedding_dimension"],
        "key_check": ctx.secret.mac("export", user_id),
    }
