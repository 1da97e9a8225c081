"""Reads as events, where the setting `audit_reads` wants them."""

from __future__ import annotations

from ..context import Context
from ..pipeline.step import Noted, append_events
from ..store.connection import Tx


async def note_read(ctx: Context, user_id: str, verb: str, found: int) -> None:
    """Append an event of kind `read` that says by which verb, and how much was given out; nothing for an unknown user.

    One write under the user's lock. Raises UserBusy, DatabaseUnavailable: what was read is not given out then.
    """
    lock, now = ctx.clock.new_id(), ctx.clock.now()
    read = Noted("read", [], {verb: found}, actor="caller")

    async def write(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        if user is not None:
            await append_events(ctx, tx, user_id, user, [read], now)

    await ctx.store.write(user_id, write)
