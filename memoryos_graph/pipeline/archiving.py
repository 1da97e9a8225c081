"""What is over capacity leaves the default memory: the coldest segments, the least known facts."""

from __future__ import annotations

from datetime import datetime

from ..context import Context
from ..contract import RunOut
from ..domain.capacity import Held, HeldFact, coldest, least_known
from ..domain.heat import Heat
from ..store.connection import Row, Tx
from .cooling import heat_numbers, heat_of
from .step import Inputs, Noted, Outcome, read_epoch, running, write_step

MOST = 100  # segments, and facts of each kind, in one run


async def archive(ctx: Context, user_id: str) -> RunOut | None:
    """Archive what is over `mid_term_capacity` and `knowledge_capacity`, 100 at a time; None when nothing is.

    Archived: out of default search and lists, readable by id, revived by a repeat (facts). A page is archived when all
    its segments are. All is decided under the user's lock, so there is nothing that could have changed meanwhile.
    Cost: one read, two writes, no model. Writes archived, status, an Event for each segment with its heat.
    """

    async def over(tx: Tx) -> tuple[int, bool]:
        return await read_epoch(tx, user_id), await _is_over(ctx, tx, user_id)

    epoch, is_over = await ctx.store.read(user_id, over)
    if not is_over:
        return None
    async with running(ctx, user_id, "archive", Inputs(forget_epoch=epoch)) as step:

        async def write(tx: Tx, user: Row) -> Outcome:
            return await _archive(ctx, tx, user_id, step.started_at)

        return await write_step(ctx, user_id, step, write)


async def _is_over(ctx: Context, tx: Tx, user_id: str) -> bool:
    """Whether something can be archived; a segment that is over, but just made, waits for the next one."""
    if coldest(await _held(ctx, tx, user_id), ctx.settings.mid_term_capacity, 1):
        return True
    return any(least_known(facts, ctx.settings.knowledge_capacity, 1) for facts in await _known(ctx, tx, user_id))


async def _archive(ctx: Context, tx: Tx, user_id: str, now: datetime) -> Outcome:
    cold = coldest(await _held(ctx, tx, user_id), ctx.settings.mid_term_capacity, MOST)
    facts = [
        fact.fact_id
        for held in await _known(ctx, tx, user_id)
        for fact in least_known(held, ctx.settings.knowledge_capacity, MOST)
    ]
    rows = [{"segment_id": s.segment_id, "heat": s.heat.total} for s in cold]
    pages = await tx.one("archive_segments", user_id=user_id, rows=rows, now=now)
    await tx.run("archive_facts", user_id=user_id, fact_ids=facts, now=now)
    return Outcome(
        counts={"segments": len(cold), "pages": pages["pages"] if pages else 0, "facts": len(facts)},
        events=[
            *(Noted("archive", [s.segment_id], heat_numbers(s.heat)) for s in cold),
            *([Noted("archive", facts, {"facts": len(facts)})] if facts else []),
        ],
    )


async def _held(ctx: Context, tx: Tx, user_id: str) -> list[Held]:
    capacity = ctx.settings.mid_term_capacity
    if not capacity:
        return []
    rows = await tx.run("segments_over", user_id=user_id, capacity=capacity)
    return [
        Held(segment_id=row["segment"]["segment_id"], heat=_now(ctx, row), made_by=row["segment"].get("made_by"))
        for row in rows
    ]


def _now(ctx: Context, row: Row) -> Heat:
    return heat_of(ctx, row["segment"])


async def _known(ctx: Context, tx: Tx, user_id: str) -> list[list[HeldFact]]:
    capacity = ctx.settings.knowledge_capacity
    if not capacity:
        return []
    rows = await tx.run("facts_over", user_id=user_id, capacity=capacity)
    return [[HeldFact(**fact) for fact in row["facts"]] for row in rows]
