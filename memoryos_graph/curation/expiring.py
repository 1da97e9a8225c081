"""What a user's policy lets end by itself: turns of a session that is over, what is too old, what is long unused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ..context import Context
from ..contract import ForgetRequest
from ..domain.policy import Policy
from ..domain.session import PAUSE
from ..store.connection import Row, Tx
from ..store.records import event_row
from ..store.users import read_policy
from . import erasing, forgetting

AT_ONCE = 1_000
SYSTEM = "system"


async def expire(ctx: Context, user_id: str) -> int:
    """Forget what the policy does not let stay, with receipts whose reason is `expired`; how many things.

    Turns that are remembered for their session only, once it is over (4 h without a turn); pages and past facts that
    are older than their time. Answers that are too old are deleted. Cost: three statements when there is nothing.
    """
    policy = await read_policy(ctx.store, user_id)
    times = _times(policy, ctx.clock.now())
    gone = await _answers(ctx, user_id, times["answers"])
    while (ids := await _pages_and_facts(ctx, user_id, times)) != ([], []):
        pages, facts = ids
        request = ForgetRequest(pages=pages) if pages else ForgetRequest(facts=facts)
        await _forget(ctx, user_id, request.model_copy(update={"reason_code": "expired"}))
        gone += len(pages or facts)
    return gone


async def mark_stale(ctx: Context, user_id: str) -> int:
    """Mark current facts of the user that were neither said nor used for the policy's time; how many.

    They stay what they are, and ask to be confirmed. Writes stale, Event.
    """
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def write(tx: Tx) -> int:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        days = Policy.of(user["policy"]).stale_after_days if user else 0
        if user is None or not days:
            return 0
        row = await tx.one("mark_stale", user_id=user_id, now=now, before=now - timedelta(days=days))
        ids: list[str] = row["fact_ids"] if row else []
        if ids:
            event = event_row(ctx.secret, user_id, user, "stale", now, ids, {"facts": len(ids)}, SYSTEM)
            await tx.run("append_event", user_id=user_id, event=event)
        return len(ids)

    return await ctx.store.write(user_id, write)


def _times(policy: Policy, now: datetime) -> dict[str, datetime | None]:
    """The moments before which things have lived their time; None where they are kept."""
    kept = policy.retention

    def before(days: int) -> datetime | None:
        return now - timedelta(days=days) if days else None

    return {
        "session_over": now - PAUSE,
        "mtm": before(kept.mtm_days),
        "archived": before(kept.archived_days),
        "past_facts": before(kept.past_facts_days),
        "answers": before(kept.answers_days),
    }


async def _pages_and_facts(ctx: Context, user_id: str, times: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The next pages that have lived their time, or when there are none the next facts."""

    async def read(tx: Tx) -> tuple[list[Row], list[Row]]:
        pages = await tx.run("expired_pages", user_id=user_id, times=dict(times), limit=AT_ONCE)
        return pages, [] if pages else await tx.run("expired_facts", user_id=user_id, times=dict(times), limit=AT_ONCE)

    pages, facts = await ctx.store.read(user_id, read)
    return [row["id"] for row in pages], [row["id"] for row in facts]


async def _forget(ctx: Context, user_id: str, request: ForgetRequest) -> None:
    plan = await forgetting.plan(ctx, user_id, request, limit=1, actor=SYSTEM)
    await forgetting.begin(ctx, user_id, plan.plan_id)
    await erasing.finish_forgets(ctx, user_id)


async def _answers(ctx: Context, user_id: str, before: datetime | None) -> int:
    lock, now = ctx.clock.new_id(), ctx.clock.now()
    if before is None:
        return 0

    async def write(tx: Tx) -> int:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        row = await tx.one("delete_answers", user_id=user_id, before=before, limit=AT_ONCE)
        deleted = int(row["deleted"]) if row else 0
        if user is not None and deleted:
            event = event_row(ctx.secret, user_id, user, "retention", now, [], {"answers": deleted}, SYSTEM)
            await tx.run("append_event", user_id=user_id, event=event)
        return deleted

    gone = 0
    while deleted := await ctx.store.write(user_id, write):
        gone += deleted
    return gone
