"""Sentences that another memory had found out: each is a page of origin import, and a fact that quotes it whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..context import Context
from ..contract import PackageImported, TurnIn, TurnStored
from ..domain.claim import Claim, FactKind
from ..domain.page import PageState, Side
from ..domain.policy import Policy
from ..domain.predicates import NOTED
from ..llm.provider import Reply
from ..store.connection import Row, Tx
from .facts import IMPORT, candidates_of, read_bans, read_ledger, take, write_facts
from .intake import remember
from .step import Inputs, Outcome, read_epoch, running, write_step

AT_ONCE = 100


async def keep_turns(ctx: Context, user_id: str, turns: Sequence[TurnIn]) -> list[TurnStored]:
    """Store what was said in another memory, 100 at a time, as pages of origin import. Raises Conflict."""
    stored: list[TurnStored] = []
    for start in range(0, len(turns), AT_ONCE):
        stored += await remember(ctx, user_id, turns[start : start + AT_ONCE], origin=IMPORT)
    return stored


def told(stored: Sequence[TurnStored], facts: int, left_out: Mapping[str, int]) -> PackageImported:
    """What an import did."""
    forgotten = sum(turn.state is PageState.FORGOTTEN for turn in stored)
    created = sum(turn.created for turn in stored)
    there = len(stored) - created - forgotten
    return PackageImported(
        created=created, already_there=there, forgotten=forgotten, facts=facts, left_out=dict(left_out)
    )


async def keep_known(ctx: Context, user_id: str, sentences: Sequence[TurnIn]) -> tuple[list[TurnStored], int]:
    """Store sentences as pages and facts; the pages, and how many facts are new. A repeat makes nothing twice.

    A sentence on the user's side is about the user, one on the assistant's about that. What was forgotten, corrected or
    retracted stays so (I9). Cost: for 100 sentences one embedding call. Writes Page, Fact, DERIVED_FROM, Run, Event.
    Raises Conflict, ModelUnavailable: what is stored so far stays, and a repeat goes on.
    """
    stored: list[TurnStored] = []
    made = 0
    for start in range(0, len(sentences), AT_ONCE):
        pages = await remember(ctx, user_id, sentences[start : start + AT_ONCE], origin=IMPORT)
        stored += pages
        made += await _facts(ctx, user_id, [page.page_id for page in pages if page.state is not PageState.FORGOTTEN])
    return stored, made


async def _facts(ctx: Context, user_id: str, page_ids: Sequence[str]) -> int:
    """Facts of those pages that no fact quotes yet."""

    async def unquoted(tx: Tx) -> tuple[int, list[Row]]:
        epoch = await read_epoch(tx, user_id)
        return epoch, await tx.run("pages_unquoted", user_id=user_id, page_ids=list(page_ids))

    epoch, rows = await ctx.store.read(user_id, unquoted)
    if not rows:
        return 0
    claims = [_claim(row["page"]) for row in rows]
    said_at = {row["page"]["page_id"]: row["page"]["event_time"] for row in rows}
    async with running(ctx, user_id, IMPORT, Inputs(forget_epoch=epoch)) as step:
        candidates = await candidates_of(ctx, claims)

        async def write(tx: Tx, user: Row) -> Outcome:
            bans = await read_bans(tx, user_id, user["tombstone_key"], list(said_at))
            ledger = await read_ledger(tx, user_id, claims, step)
            take(ledger, candidates, bans, Policy.of(user["policy"]), said_at)
            ledger.settle()
            reply: Reply[tuple[Claim, ...]] = Reply((), IMPORT, "")
            await write_facts(tx, user_id, user, step, ledger, candidates, reply)
            return Outcome(counts={"pages": len(rows), "facts": len(ledger.new)}, model=IMPORT)

        run = await write_step(ctx, user_id, step, write)
    return run.counts.get("facts", 0)


def _claim(page: Row) -> Claim:
    of_user = bool(page["user_input"])
    text: str = page["user_input"] if of_user else page["assistant_response"]
    return Claim(
        page_id=page["page_id"],
        side=Side.USER if of_user else Side.ASSISTANT,
        quote=text,
        start=0,
        end=len(text),
        kind=FactKind.KNOWLEDGE if of_user else FactKind.ASSISTANT_KNOWLEDGE,
        subject="user" if of_user else "assistant",
        predicate=NOTED,
        object=text,
        text=text,
    )
