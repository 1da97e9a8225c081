"""One user as JSON Lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from ..context import Context
from ..contract import MomentRequest
from ..domain.event import next_event
from ..domain.validity import NEVER, Moment
from ..errors import NotFound, TryAgain
from ..store.connection import Row, Tx
from .graph_lines import FORMAT, KEYS, NUMBERED, SCHEMA, STARTS, first_key, node_line, relationship_lines
from .verify_evidence import BEFORE_HEADER, BEFORE_LINES, sealed

T = TypeVar("T")
Reading = Callable[[Callable[[Tx], Awaitable[list[Row]]]], Awaitable[list[Row]]]

NODES_AT_ONCE = 500
STARTS_AT_ONCE = 100
HELD_BYTES = 16_000_000
NEWEST_ID = "\U0010ffff"
TORN = "the memory changed while it was exported: try again when less is written"


class _TooLong(Exception):
    """More than is held in memory."""


@dataclass(frozen=True)
class _Begun:
    """What an export shows, fixed when it began; `lock` changes with the next write of the user."""

    user: Row
    lock: str
    at: datetime
    vectors: Row
    facts: frozenset[str] | None


@dataclass
class _File:
    """The lines so far: their hashes, and how many of each kind."""

    number: int = 1
    previous: str = BEFORE_LINES
    counts: Counter[str] = field(default_factory=Counter)

    def line(self, body: dict[str, Any]) -> bytes:
        """The next line, with its number and hash."""
        self.number += 1
        self.counts[body.get("node") or body.get("relationship") or ""] += 1
        written, self.previous = sealed({"line": self.number} | body, self.previous)
        return written

    def end(self) -> bytes:
        """The last line."""
        counts = dict(sorted(self.counts.items()))
        return self.line({"end": True, "lines": self.number + 1, "counts": counts})


async def export(ctx: Context, user_id: str, request: MomentRequest) -> AsyncIterator[bytes]:
    """The lines of one user's memory in a stable order, in pieces of some hundred: header, nodes, relationships, end.

    With `as_of` or `known_at` only the facts of that moment. Leaves an Event `export`, which is not among the lines.
    A memory of up to 16 MB is read under the user's lock. A larger one is read page by page, and when something was
    written meanwhile the lines break off with TryAgain: a file without its last line is none.
    Raises NotFound; TryAgain while a forget is being finished.
    """
    held = await _held(ctx, user_id, request)
    if held is not None:
        yield b"".join(held)
        return
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def begin(tx: Tx) -> _Begun:
        return await _begin(ctx, tx, user_id, request, lock, now)

    begun = await ctx.store.write(user_id, begin)
    async for piece in _pieces(partial(ctx.store.read, user_id), ctx, user_id, request, begun):
        yield piece


async def _held(ctx: Context, user_id: str, request: MomentRequest) -> list[bytes] | None:
    """The whole file, read under the lock; None when it is too long for that."""
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def work(tx: Tx) -> list[bytes]:
        begun, pieces, size = await _begin(ctx, tx, user_id, request, lock, now), [], 0

        async def inside(read: Callable[[Tx], Awaitable[list[Row]]]) -> list[Row]:
            return await read(tx)

        async for piece in _pieces(inside, ctx, user_id, request, begun):
            pieces.append(piece)
            size += len(piece)
            if size > HELD_BYTES:
                raise _TooLong
        return pieces

    try:
        return await ctx.store.write(user_id, work)
    except _TooLong:
        return None


async def _begin(ctx: Context, tx: Tx, user_id: str, request: MomentRequest, lock: str, now: datetime) -> _Begun:
    locked = await tx.one("lock_user", user_id=user_id, lock=lock)
    row = await tx.one("export_begin", user_id=user_id)
    if locked is None or row is None:
        raise NotFound("there is nothing of this user")
    if row["forgetting"]:
        raise TryAgain("a forget of this user is being finished", retry_after_s=5)
    event = next_event(
        ctx.secret,
        user_id,
        seq=locked["event_seq"],
        head=locked["event_head"],
        kind="export",
        at=now,
        ids=[],
        numbers={},
        actor="caller",
    )
    await tx.run("append_event", user_id=user_id, event=event)
    moment = Moment.of(request.as_of, request.known_at, now)
    facts = await _facts_at(tx, user_id, moment) if moment else None
    return _Begun(row["user"], lock, now, locked["vectors"], facts)


async def _facts_at(tx: Tx, user_id: str, moment: Moment) -> frozenset[str]:
    rows = await tx.run(
        "facts_at",
        user_id=user_id,
        as_of=moment.as_of,
        known_at=moment.known_at,
        never=NEVER,
        kinds=None,
        origin=None,
        below=NEWEST_ID,
        limit=2**31 - 1,
    )
    return frozenset(row["fact_id"] for row in rows)


async def _pieces(
    read: Reading, ctx: Context, user_id: str, request: MomentRequest, begun: _Begun
) -> AsyncIterator[bytes]:
    file = _File()
    yield _header(ctx, user_id, request, begun)
    yield file.line(node_line("User", begun.user))
    for label in KEYS:
        async for rows in _nodes(read, user_id, label, begun):
            shown = [row for row in rows if label != "Fact" or begun.facts is None or row["key"] in begun.facts]
            yield b"".join(file.line(node_line(label, row["properties"], row["vector"])) for row in shown)
    for label in STARTS:
        async for rows in _starts(read, user_id, label, begun):
            bodies = [body for row in rows for body in relationship_lines(label, row["key"], row["relationships"])]
            yield b"".join(file.line(body) for body in bodies if _shown(body, begun.facts))

    async def mark(tx: Tx) -> list[Row]:
        return await tx.run("export_mark", user_id=user_id)

    if [row["lock"] for row in await read(mark)] != [begun.lock]:
        raise TryAgain(TORN, retry_after_s=10)
    yield file.end()


def _shown(body: dict[str, Any], facts: frozenset[str] | None) -> bool:
    """Whether both ends of a relationship are in the file."""
    return facts is None or all(end[0] != "Fact" or end[1] in facts for end in (body["from"], body["to"]))


async def _nodes(read: Reading, user_id: str, label: str, begun: _Begun) -> AsyncIterator[list[Row]]:
    after = first_key(label)
    while True:

        async def page(tx: Tx, after: str | int = after) -> list[Row]:
            asked = {"user_id": user_id, "label": label, "after": after, "limit": NODES_AT_ONCE}
            if label in NUMBERED:
                return await tx.run("export_numbered", **asked, until=begun.user["event_seq"])
            return await tx.run("export_nodes", **asked)

        rows = await read(page)
        if rows:
            yield rows
        if len(rows) < NODES_AT_ONCE:
            return
        after = rows[-1]["key"]


async def _starts(read: Reading, user_id: str, label: str, begun: _Begun) -> AsyncIterator[list[Row]]:
    after = ""
    while True:

        async def page(tx: Tx, after: str = after) -> list[Row]:
            return await tx.run("export_relationships", user_id=user_id, label=label, after=after, limit=STARTS_AT_ONCE)

        rows = await read(page)
        if rows:
            yield rows
        if len(rows) < STARTS_AT_ONCE:
            return
        after = rows[-1]["key"]


def _header(ctx: Context, user_id: str, request: MomentRequest, begun: _Begun) -> bytes:
    body = {
        "line": 1,
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
    return sealed(body, BEFORE_HEADER)[0]
