"""Unread pages of a hot segment become facts that quote them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..context import Context
from ..contract import RunOut
from ..domain.admission import admit
from ..domain.claim import Claim
from ..domain.heat import Heat
from ..domain.ledger import Ledger
from ..domain.page import Page
from ..domain.policy import Policy
from ..domain.validity import NEVER
from ..llm.provider import Reply
from ..sensitive import classes_of
from ..store.connection import Row, Tx
from ..store.records import page_of
from .cooling import heat_numbers, heat_of
from .facts import candidates_of, read_bans, read_ledger, take, write_facts
from .step import Inputs, Noted, Outcome, Step, check_unchanged, read_epoch, running, write_step


@dataclass(frozen=True, kw_only=True)
class _Due:
    """A segment with pages that no promotion has read."""

    segment_id: str
    heat: Heat
    due_at: datetime
    attempts: int
    next_try_at: datetime | None


async def promote(ctx: Context, user_id: str, *, force: bool = False, due_before: datetime = NEVER) -> RunOut | None:
    """Read at most `promotion_batch` unread pages of the hottest due segment; None when none is due.

    A segment is due when its heat reaches `heat_threshold` and it has `promotion_min_pages` unread pages or one
    that waits
    longer than `promotion_max_wait_s`; with `force`, whenever it has an unread page. A segment that failed is left out
    while it waits beyond `due_before`, then read in smaller batches, so that it never keeps others waiting (case U19).
    Cost: one provider call, at most one embedding call, two reads, two writes. Writes Fact, DERIVED_FROM,
    SUPERSEDES, Event.
    Raises ModelError: nothing was written, the pages stay unread.
    """
    now = ctx.clock.now()
    epoch, unread = await _unread_segments(ctx, user_id)
    due = [s for s in unread if (force or s.due_at <= now) and (s.next_try_at or due_before) <= due_before]
    for segment in sorted(due, key=lambda s: (s.heat.total, s.segment_id), reverse=True):
        if pages := await _unread_pages(ctx, user_id, segment):
            break
    else:
        return None
    inputs = Inputs(forget_epoch=epoch, page_ids=[page.page_id for page in pages], segment_ids=[segment.segment_id])
    async with running(ctx, user_id, "promote", inputs, budgeted=True) as step:
        return await _promote(ctx, user_id, step, segment, pages)


async def _promote(ctx: Context, user_id: str, step: Step, segment: _Due, pages: Sequence[Page]) -> RunOut:
    asked = [page for page in pages if page.remember == "auto"]
    reply = await step.ask(ctx.provider.propose_claims(asked))
    shown = {page.page_id: page for page in pages}
    admitted = admit(reply.value, {page.page_id: page for page in asked})
    claims = admitted.claims
    candidates = await candidates_of(ctx, claims)
    echoes = [(echo, classes_of(echo)) for echo in admitted.echoes]
    said_at = {page.page_id: page.event_time for page in pages}

    async def write(tx: Tx, user: Row) -> Outcome:
        await check_unchanged(tx, user_id, pages)
        bans = await read_bans(tx, user_id, user["tombstone_key"], list(shown))
        ledger = await read_ledger(tx, user_id, [*claims, *admitted.echoes], step)
        policy = Policy.of(user["policy"])
        take(ledger, candidates, bans, policy, said_at)
        for echo in filter(None, (bans.allowed(echo) for echo, kinds in echoes if policy.allowed(echo, kinds))):
            ledger.echo(echo, said_at)
        ledger.settle()
        await write_facts(tx, user_id, user, step, ledger, candidates, reply)
        await tx.run(
            "mark_analysed",
            user_id=user_id,
            segment_id=segment.segment_id,
            page_ids=list(shown),
            run_id=step.run_id,
            heat=segment.heat.total,
            reset_visits=ctx.settings.after_promotion == "reset_n_and_l",
            now=step.started_at,
        )
        return _outcome(segment, pages, ledger, admitted.rejected, reply)

    return await write_step(ctx, user_id, step, write)


async def promotion_due(ctx: Context, tx: Tx, user_id: str) -> datetime:
    """When the next segment falls due by the clock alone, or may be tried again; NEVER when none does."""
    segments = [_due(ctx, row["segment"]) for row in await tx.run("segments_unread", user_id=user_id)]
    return min((max(s.due_at, s.next_try_at or s.due_at) for s in segments), default=NEVER)


async def _unread_segments(ctx: Context, user_id: str) -> tuple[int, list[_Due]]:
    async def unread(tx: Tx) -> tuple[int, list[Row]]:
        return await read_epoch(tx, user_id), await tx.run("segments_unread", user_id=user_id)

    epoch, rows = await ctx.store.read(user_id, unread)
    return epoch, [_due(ctx, row["segment"]) for row in rows]


def _due(ctx: Context, row: Row) -> _Due:
    settings, warmth = ctx.settings, heat_of(ctx, row)
    due_at = NEVER
    if warmth.total >= settings.heat_threshold:
        waited = row["unread_since"] + timedelta(seconds=settings.promotion_max_wait_s)
        due_at = row["unread_since"] if row["n_unread"] >= settings.promotion_min_pages else waited
    return _Due(
        segment_id=row["segment_id"],
        heat=warmth,
        due_at=due_at,
        attempts=row.get("attempts") or 0,
        next_try_at=row.get("next_try_at"),
    )


async def _unread_pages(ctx: Context, user_id: str, segment: _Due) -> list[Page]:
    async def unread(tx: Tx) -> list[Row]:
        limit = max(1, ctx.settings.promotion_batch >> 2 * segment.attempts)
        return await tx.run("unread_pages", user_id=user_id, segment_id=segment.segment_id, limit=limit)

    return [page_of(row["page"]) for row in await ctx.store.read(user_id, unread)]


def _outcome(
    segment: _Due, pages: Sequence[Page], ledger: Ledger, faults: Counter[str], reply: Reply[tuple[Claim, ...]]
) -> Outcome:
    warmth = segment.heat
    return Outcome(
        counts={
            "pages": len(pages),
            "facts": len(ledger.new),
            "repeats": ledger.repeats,
            "superseded": len(ledger.supersessions),
        },
        rejected=dict(faults + ledger.rejected),
        model=reply.model,
        prompt_hash=reply.prompt_hash,
        events=[Noted("promote", [segment.segment_id, *ledger.new], heat_numbers(warmth) | {"facts": len(ledger.new)})],
    )
