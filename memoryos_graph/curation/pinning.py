"""Keeping a fact whatever its use: a plain property, not a matter of time or belief."""

from __future__ import annotations

from ..context import Context
from ..contract import Decided, PinRequest
from ..errors import Conflict, NotFound
from ..store.connection import Tx
from ..store.records import event_row
from .requests import noted, repeated, sent
from .writing import decided


async def pin(ctx: Context, user_id: str, fact_id: str, request: PinRequest, *, key: str | None = None) -> Decided:
    """Pin a fact, so that it is never archived for capacity, or let it go. Five statements. Writes Event.

    Raises NotFound, Conflict for a stale version. A repeat under the same `key` writes nothing.
    """
    told = sent(ctx, user_id, key, "pin", fact_id, request)
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def write(tx: Tx) -> Decided:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        if done := await repeated(ctx, tx, user_id, told):
            return done
        row = await tx.one("pin_fact", user_id=user_id, fact_id=fact_id, pinned=request.pinned, version=request.version)
        if user is None or row is None:
            raise NotFound("there is no such fact for this user")
        if not row["done"]:
            raise Conflict(f"the fact has changed since: it is version {row['version']} now")
        at = max(now, user["last_recorded_at"])
        event = event_row(ctx.secret, user_id, user, "pin", at, [fact_id], {"pinned": int(request.pinned)})
        await tx.run("append_event", user_id=user_id, event=event)
        return await noted(tx, user_id, told, await decided(tx, user_id, fact_id, event, now))

    return await ctx.store.write(user_id, write)
