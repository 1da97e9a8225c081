"""What was done to a user's memory, newest first."""

from __future__ import annotations

from ..context import Context
from ..contract import AuditHead, EventList, TimelineRequest
from ..contract.cursors import cut, decode
from ..store.connection import Row, Tx
from ..store.records import event_of

NEWEST_SEQ = 2**62


async def timeline(ctx: Context, user_id: str, request: TimelineRequest) -> EventList:
    """Events, newest first, of all kinds or of one. One statement. Raises InvalidInput for a foreign cursor."""
    below = int(decode(request.cursor, "e") or NEWEST_SEQ)

    async def read(tx: Tx) -> list[Row]:
        limit = request.limit + 1
        return await tx.run("events_listed", user_id=user_id, below=below, kind=request.kind, limit=limit)

    items = [event_of(row["event"]) for row in await ctx.store.read(user_id, read)]
    items, cursor = cut(items, request.limit, "e", lambda event: str(event.seq))
    return EventList(items=items, next_cursor=cursor)


async def audit_head(ctx: Context, user_id: str) -> AuditHead:
    """The newest event's place and hash, to be kept outside the database. One statement."""

    async def read(tx: Tx) -> AuditHead:
        return await read_head(tx, user_id)

    return await ctx.store.read(user_id, read)


async def read_head(tx: Tx, user_id: str) -> AuditHead:
    """The head that stands on the User node; seq 0 where nothing was ever written."""
    row = await tx.one("event_head", user_id=user_id)
    return AuditHead(**row) if row else AuditHead(seq=0, hash="", at=None)
