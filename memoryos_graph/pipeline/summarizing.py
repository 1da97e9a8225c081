"""What a forget has left of a topic is summed up by the model, in place of the extract it got at once (design.md 6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..context import Context
from ..contract import RunOut
from ..domain.page import Page
from ..domain.segment import KEYWORDS, summed_up, topic_text
from ..domain.validity import NEVER
from ..store.connection import Row, Tx
from ..store.records import page_of
from .step import Inputs, InputsChanged, Outcome, Step, check_unchanged, read_epoch, running, write_step


@dataclass(frozen=True, kw_only=True)
class _Extract:
    """A segment with an extract for its summary, and its newest pages."""

    segment_id: str
    version: int
    summary: str
    n_pages: int
    pages: list[Page]


async def summarize(ctx: Context, user_id: str, *, due_before: datetime = NEVER) -> RunOut | None:
    """Sum up one segment that a forget has left with an extract; None when there is none.

    The model is shown its newest `promotion_batch` pages; where there are more, the extract stays below what it says.
    Cost: one provider call, one embedding call, two reads, two writes. Writes Segment, SegmentVersion, SUPERSEDES,
    DERIVED_FROM, Event. Raises ModelError: nothing was written, and after `step_attempts` failures the extract stays.
    """
    epoch, extract = await _next(ctx, user_id, due_before)
    if extract is None:
        return None
    inputs = Inputs(forget_epoch=epoch, segment_ids=[extract.segment_id])
    async with running(ctx, user_id, "summarize", inputs, budgeted=True) as step:
        if 0 < ctx.settings.step_attempts < step.attempts:
            return await _leave(ctx, user_id, step, extract)
        return await _sum_up(ctx, user_id, step, extract)


async def summary_due(ctx: Context, tx: Tx, user_id: str) -> datetime:
    """When the next segment may be summed up; NEVER when there is none with an extract."""
    rows = await tx.run("segments_to_summarize", user_id=user_id)
    return min((row["next_try_at"] or ctx.clock.now() for row in rows), default=NEVER)


async def _next(ctx: Context, user_id: str, due_before: datetime) -> tuple[int, _Extract | None]:
    async def read(tx: Tx) -> tuple[int, _Extract | None]:
        epoch = await read_epoch(tx, user_id)
        rows = await tx.run("segments_to_summarize", user_id=user_id)
        row = next((row for row in rows if (row["next_try_at"] or due_before) <= due_before), None)
        return epoch, await _extract(ctx, tx, user_id, row) if row else None

    return await ctx.store.read(user_id, read)


async def _extract(ctx: Context, tx: Tx, user_id: str, row: Row) -> _Extract:
    segment_id, limit = row["segment_id"], ctx.settings.promotion_batch
    pages = await tx.run("newest_pages_of_segment", user_id=user_id, segment_id=segment_id, limit=limit)
    return _Extract(
        segment_id=segment_id,
        version=row["version"],
        summary=row["summary"],
        n_pages=row["n_pages"],
        pages=[page_of(page["page"]) for page in reversed(pages)],
    )


async def _sum_up(ctx: Context, user_id: str, step: Step, extract: _Extract) -> RunOut:
    reply = await step.ask(ctx.provider.read_batch(extract.pages, {}))
    topics = reply.value.topics
    older = extract.summary if extract.n_pages > len(extract.pages) else ""
    summary = summed_up([topic.summary for topic in topics], older)
    keywords = list(dict.fromkeys(word for topic in topics for word in topic.keywords))[:KEYWORDS]
    vector = (await ctx.embedder.embed([topic_text(summary, keywords)], "document"))[0]
    version_id = ctx.clock.new_id()

    async def write(tx: Tx, user: Row) -> Outcome:
        await _check_extract(tx, user_id, extract)
        await tx.run(
            "write_summary",
            user_id=user_id,
            segment_id=extract.segment_id,
            version=extract.version,
            version_id=version_id,
            summary=summary,
            keywords=keywords,
            vector=vector,
            now=step.started_at,
            run_id=step.run_id,
            model=reply.model,
            prompt_hash=reply.prompt_hash,
        )
        counts = {"segments": 1, "pages": len(extract.pages)}
        return Outcome(counts=counts, model=reply.model, prompt_hash=reply.prompt_hash)

    return await write_step(ctx, user_id, step, write)


async def _leave(ctx: Context, user_id: str, step: Step, extract: _Extract) -> RunOut:
    """Let the extract stay: the model failed as often as it may."""

    async def write(tx: Tx, user: Row) -> Outcome:
        await tx.run("leave_extract", user_id=user_id, segment_id=extract.segment_id)
        return Outcome(counts={"segments": 0, "pages": 0})

    return await write_step(ctx, user_id, step, write)


async def _check_extract(tx: Tx, user_id: str, extract: _Extract) -> None:
    await check_unchanged(tx, user_id, extract.pages)
    segment = [{"segment_id": extract.segment_id, "version": extract.version}]
    found = await tx.one("segments_unmoved", user_id=user_id, rows=segment)
    if found is None or not found["unmoved"]:
        raise InputsChanged
