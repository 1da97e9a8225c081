"""What a file of a memory shows: one moment, whole or not at all, and told as an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from ..context import Context
from ..domain.validity import NEVER, Moment
from ..errors import NotFound, TryAgain
from ..store.connection import Row, Tx
from ..store.records import event_row
from .verify_evidence import BEFORE_HEADER, BEFORE_LINES, sealed

Reading = Callable[[Callable[[Tx], Awaitable[list[Row]]]], Awaitable[list[Row]]]

HELD_BYTES = 4_000_000
NEWEST_ID = "\U0010ffff"
TORN = "the memory changed while it was exported: try again when less is written"


class _TooLong(Exception):
    """More than is held in memory."""


@dataclass(frozen=True)
class Begun:
    """What a file shows, fixed when it was begun; `lock` changes with the next write of the user."""

    user: Row
    lock: str
    at: datetime
    vectors: Row
    facts: frozenset[str] | None


Pieces = Callable[[Reading, Begun], AsyncIterator[bytes]]


@dataclass
class Lines:
    """The lines so far: their hashes, and how many of each kind. The header has a hash of its own."""

    number: int = 1
    header: str = ""
    previous: str = BEFORE_LINES
    counts: Counter[str] = field(default_factory=Counter)

    def begin(self, body: dict[str, Any]) -> bytes:
        """The header."""
        written, self.header = sealed({"line": 1} | body, BEFORE_HEADER)
        return written

    def line(self, body: dict[str, Any], kind: str) -> bytes:
        """The next line, with its number and hash."""
        self.number += 1
        self.counts[kind] += 1
        written, self.previous = sealed({"line": self.number} | body, self.previous)
        return written

    def end(self, body: dict[str, Any] | None = None) -> bytes:
        """The last line."""
        counts = dict(sorted(self.counts.items()))
        return self.line({"end": True, "lines": self.number + 1, "counts": counts} | (body or {}), "end")


async def snapshot(
    ctx: Context, user_id: str, moment: Moment | None, numbers: Mapping[str, float], pieces: Pieces
) -> AsyncIterator[bytes]:
    """What `pieces` reads of one moment, after an Event `export` with these numbers; with `moment` the facts of then.

    Up to 4 MB are read under the user's lock. What is longer is read page by page, and `pieces` must call
    `ensure_untorn` before its last line. Raises NotFound; TryAgain while a forget is being finished.
    """
    held = await _held(ctx, user_id, moment, numbers, pieces)
    if held is not None:
        yield b"".join(held)
        return
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def begin(tx: Tx) -> Begun:
        return await _begin(ctx, tx, user_id, moment, numbers, lock, now)

    begun = await ctx.store.write(user_id, begin)
    async for piece in pieces(partial(ctx.store.read, user_id), begun):
        yield piece


async def ensure_untorn(read: Reading, user_id: str, begun: Begun) -> None:
    """Raises TryAgain when something was written since it was begun."""

    async def mark(tx: Tx) -> list[Row]:
        return await tx.run("export_mark", user_id=user_id)

    if [row["lock"] for row in await read(mark)] != [begun.lock]:
        raise TryAgain(TORN, retry_after_s=10)


async def _held(
    ctx: Context, user_id: str, moment: Moment | None, numbers: Mapping[str, float], pieces: Pieces
) -> list[bytes] | None:
    """The whole file, read under the lock; None when it is too long for that."""
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def work(tx: Tx) -> list[bytes]:
        begun = await _begin(ctx, tx, user_id, moment, numbers, lock, now)
        held, size = [], 0

        async def inside(read: Callable[[Tx], Awaitable[list[Row]]]) -> list[Row]:
            return await read(tx)

        async for piece in pieces(inside, begun):
            held.append(piece)
            size += len(piece)
            if size > HELD_BYTES:
                raise _TooLong
        return held

    try:
        return await ctx.store.write(user_id, work)
    except _TooLong:
        return None


async def _begin(
    ctx: Context,
    tx: Tx,
    user_id: str,
    moment: Moment | None,
    numbers: Mapping[str, float],
    lock: str,
    now: datetime,
) -> Begun:
    locked = await tx.one("lock_user", user_id=user_id, lock=lock)
    row = await tx.one("export_begin", user_id=user_id)
    if locked is None or row is None:
        raise NotFound("there is nothing of this user")
    if row["forgetting"]:
        raise TryAgain("a forget of this user is being finished", retry_after_s=5)
    event = event_row(ctx.secret, user_id, locked, "export", now, [], numbers)
    await tx.run("append_event", user_id=user_id, event=event)
    facts = await _facts_at(tx, user_id, moment) if moment else None
    return Begun(row["user"], lock, now, locked["vectors"], facts)


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
