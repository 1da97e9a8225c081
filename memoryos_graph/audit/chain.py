"""The chain of events, walked from its beginning: is it what we wrote, all of it, in this order?"""

from __future__ import annotations

from dataclasses import dataclass

from ..context import Context
from ..contract import AuditHead, AuditVerified, HeadIn
from ..contract.audit import ChainFault
from ..domain.event import written_as
from ..store.connection import Row, Tx
from .timeline import read_head

BATCH = 200
ANEW = "forget_everything"  # with everything, all events before this one are forgotten, too: the chain begins with it
LOOKALIKES = 10


@dataclass
class _Walk:
    """How far the chain was followed, and the first fault."""

    seq: int = 0
    hash: str = ""
    first: int = 1
    met: bool = False
    fault: ChainFault | None = None
    at: int | None = None

    def breaks(self, what: ChainFault, at: int) -> None:
        self.fault, self.at = what, at


async def verify_audit(ctx: Context, user_id: str, earlier: HeadIn | None = None) -> AuditVerified:
    """Walk the user's events up to the head, 200 at a time; with `earlier` say whether that head is still among them.

    Nothing is locked: events written meanwhile are walked too. Heads from before everything was forgotten can't be
    found any more, which is no fault. What the newest events told can't be missed from inside
    when someone cuts them and sets the head back: only an `earlier` head that was kept elsewhere shows it.
    Source: invariant I12.
    """
    walk, head = _Walk(), AuditHead(seq=0, hash="", at=None)
    walk.met = earlier is not None and (earlier.seq, earlier.hash) == (0, "")
    while walk.fault is None:
        known = head.seq  # read before the events that follow: those up to it must be there
        rows, head, unplaced = await _next(ctx, user_id, walk.seq)
        if unplaced:
            walk.breaks("inserted", walk.seq)
        for row in rows:
            if walk.fault is None:
                await _follow(ctx, user_id, walk, row, head)
                walk.met = walk.met or (earlier is not None and (earlier.seq, earlier.hash) == (walk.seq, walk.hash))
        if not rows and walk.fault is None:
            if known > walk.seq:
                walk.breaks("cut", walk.seq + 1)
            elif head.seq == walk.seq:
                break
    if walk.fault is None and head.hash != walk.hash:
        walk.breaks("head_changed", head.seq)
    if walk.fault is None and earlier is not None and not walk.met and earlier.seq >= walk.first:
        walk.breaks("replaced" if earlier.seq <= walk.seq else "cut", min(earlier.seq, walk.seq + 1))
    if walk.fault in ("changed", "inserted") and 0 < (walk.at or 0) <= await _of_another_key(ctx, user_id):
        walk.breaks("other_key", walk.seq + 1)
    return AuditVerified(
        ok=walk.fault is None,
        events=max(0, walk.seq - walk.first + 1),
        head=head,
        broken_at=walk.at,
        what=walk.fault,
        contains_head=None if earlier is None else walk.met,
    )


async def _of_another_key(ctx: Context, user_id: str) -> int:
    """The last event that was imported from a database with another secret key; 0 when there is none."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("events_of_another_key", user_id=user_id)

    row = await ctx.store.read(user_id, read)
    return row["seq"] if row else 0


async def _next(ctx: Context, user_id: str, after: int) -> tuple[list[Row], AuditHead, int]:
    """The next events, and then the head: no event that was seen can be newer than it."""

    async def read(tx: Tx) -> tuple[list[Row], AuditHead, int]:
        rows = await tx.run("events_after", user_id=user_id, after=after, limit=BATCH)
        unplaced = await tx.one("events_unplaced", user_id=user_id) if after == 0 else None
        return [row["event"] for row in rows], await read_head(tx, user_id), unplaced["events"] if unplaced else 0

    return await ctx.store.read(user_id, read)


async def _follow(ctx: Context, user_id: str, walk: _Walk, row: Row, head: AuditHead) -> None:
    """One step: the event must be the next one, written for this place, after the one before."""
    if walk.seq == 0 and row.get("kind") == ANEW and written_as(ctx.secret, user_id, row, [row["seq"]]) is not None:
        walk.first, walk.seq, walk.hash = row["seq"], row["seq"] - 1, row["prev_hash"]
    place = walk.seq + 1
    fits = written_as(ctx.secret, user_id, row, [place]) == place and row["prev_hash"] == walk.hash
    if row["seq"] == place and fits and place <= head.seq:
        walk.seq, walk.hash = place, row["hash"]
    elif row["seq"] == place and fits:
        walk.breaks("head_changed", head.seq)
    else:
        walk.breaks(await _fault(ctx, user_id, walk, row, head), place)


async def _fault(ctx: Context, user_id: str, walk: _Walk, row: Row, head: AuditHead) -> ChainFault:
    """What happened at the place after `walk`, where `row` is the next event that stands there or behind."""
    place = walk.seq + 1

    async def read(tx: Tx) -> list[Row]:
        return await tx.run("events_following", user_id=user_id, hash=walk.hash, limit=LOOKALIKES)

    others = [found["event"] for found in await ctx.store.read(user_id, read)]
    elsewhere = any(
        other["seq"] != place and written_as(ctx.secret, user_id, other, [place]) == place for other in others
    )
    if row["seq"] != place:
        return "reordered" if elsewhere else "removed"
    if place > head.seq:
        return "inserted"
    written_for = written_as(ctx.secret, user_id, row, range(1, head.seq + 2))
    if written_for == place:
        return "replaced"  # ours, but after another event than the one that stands before it
    if written_for is None:
        return "inserted" if elsewhere else "changed"
    return "reordered" if elsewhere else "removed"
