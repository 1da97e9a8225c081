"""The oldest pages of short-term memory move to mid-term memory: onto chains and into segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..context import Context
from ..contract import RunOut
from ..domain.page import Page, PageState
from ..domain.segment import Choice, JoinScore, Segment, choose, join_score, joined, mean_vector, topic_text
from ..domain.validity import NEVER
from ..llm.provider import BatchReading, Reply, Topic
from ..llm.rules import RulesProvider
from ..store.connection import Row, Tx
from ..store.records import page_of, segment_of
from .step import Inputs, InputsChanged, Noted, Outcome, Step, read_epoch, running, write_step

NEAR_SEGMENTS = 10
FALLBACK = "fallback"


@dataclass(frozen=True, kw_only=True)
class _Batch:
    """Pages that migrate together, and what stands before each in its conversation."""

    pages: list[Page]
    before: dict[str, Page]
    chain_before: dict[str, str | None]
    forget_epoch: int


@dataclass
class _Plan:
    """All rows of the one write."""

    chains: dict[str, dict[str, Any]] = field(default_factory=dict)
    continuity: list[dict[str, Any]] = field(default_factory=list)
    segments: dict[str, Segment] = field(default_factory=dict)
    read_segments: dict[str, Segment] = field(default_factory=dict)
    members: dict[tuple[str, str], JoinScore] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    goes_on: list[dict[str, Any]] = field(default_factory=list)


async def migrate(ctx: Context, user_id: str, *, force: bool = False, due_before: datetime = NEVER) -> RunOut | None:
    """Move one batch: pages told late, or the oldest of a short-term memory over its capacity (`force`: of any).

    None when there is none, or while it waits beyond `due_before` after a failure.

    Cost: one provider call, one embedding call, two reads, two writes. Writes Chain, CONTINUES, Segment,
    SegmentVersion, IN_SEGMENT, DERIVED_FROM, the session's text. Raises ModelError: nothing was written, the pages
    stay; after `step_attempts` failures the batch migrates without a model: nothing is ever stuck (design.md 4.3).
    """
    batch = await _oldest_batch(ctx, user_id, force=force, due_before=due_before)
    if batch is None:
        return None
    inputs = Inputs(forget_epoch=batch.forget_epoch, page_ids=[page.page_id for page in batch.pages])
    async with running(ctx, user_id, "migrate", inputs, budgeted=True) as step:
        reply, vectors = await _read(ctx, batch, step)
        near = await _near_segments(ctx, user_id, vectors)
        plan = _Plan()
        _plan_chains(ctx, batch, reply.value, plan)
        _plan_segments(ctx, batch, reply.value.topics, vectors, near, plan)
        rows = _rows(ctx, batch, plan)

        async def write(tx: Tx, user: Row) -> Outcome:
            await _check_unmoved(tx, user_id, batch, plan)
            return await _write(ctx, tx, user_id, user, step, batch, plan, rows, reply)

        return await write_step(ctx, user_id, step, write)


async def migration_due(ctx: Context, tx: Tx, user_id: str) -> datetime:
    """When the pages told late, or the oldest batch beyond the capacity, may be tried; NEVER when there is none."""
    settings = ctx.settings
    row = await tx.one(
        "migration_due",
        user_id=user_id,
        limit=settings.short_term_capacity + 1,
        batch=settings.migration_batch,
        now=ctx.clock.now(),
    )
    assert row is not None, "it gives one row"
    return min(row["late_at"] or NEVER, row["oldest_at"] or NEVER)


async def _read(ctx: Context, batch: _Batch, step: Step) -> tuple[Reply[BatchReading], list[list[float]]]:
    """What the batch is about, and a vector per topic; without any model once its attempts are used up (case U18)."""
    if 0 < ctx.settings.step_attempts < step.attempts:
        reading = await RulesProvider().read_batch(batch.pages, batch.before)
        vector_of = {page.page_id: page.embedding for page in batch.pages}
        means = [mean_vector([vector_of[page_id] for page_id in topic.page_ids]) for topic in reading.value.topics]
        return Reply(reading.value, FALLBACK, reading.prompt_hash), means
    reply = await step.ask(ctx.provider.read_batch(batch.pages, batch.before))
    texts = [topic_text(topic.summary, topic.keywords) for topic in reply.value.topics]
    return reply, await ctx.embedder.embed(texts, "document")


async def _oldest_batch(ctx: Context, user_id: str, *, force: bool, due_before: datetime) -> _Batch | None:
    capacity, size = ctx.settings.short_term_capacity, ctx.settings.migration_batch

    async def oldest(tx: Tx) -> tuple[int, list[Row]]:
        epoch = await read_epoch(tx, user_id)
        late = await tx.run("late_oldest", user_id=user_id, limit=size)
        if late and not _waits(late, due_before):
            return epoch, late
        held = await tx.one("stm_size", user_id=user_id, limit=capacity + 1)
        if not force and (held is None or held["pages"] <= capacity):
            return epoch, []
        return epoch, await tx.run("stm_oldest", user_id=user_id, limit=size)

    epoch, rows = await ctx.store.read(user_id, oldest)
    if not rows or _waits(rows, due_before):
        return None
    pages = [page_of(row["page"]) for row in rows]
    before = {row["page"]["page_id"]: page_of(row["before"]) for row in rows if row["before"]}
    chains = {row["page"]["page_id"]: row["chain_id"] for row in rows}
    return _Batch(pages=pages, before=before, chain_before=chains, forget_epoch=epoch)


def _waits(rows: Sequence[Row], due_before: datetime) -> bool:
    """Whether a batch is not to be tried yet: after a failure, or while one of its pages is not indexed.

    A batch is cut by seq alone, so that it is always the same one, whatever was interrupted.
    """
    pages = [row["page"] for row in rows]
    return any(p["state"] == PageState.STORED or (p.get("next_try_at") or due_before) > due_before for p in pages)


async def _near_segments(ctx: Context, user_id: str, vectors: Sequence[Sequence[float]]) -> list[list[Segment]]:
    async def near(tx: Tx) -> list[Row]:
        return await tx.run(
            "segments_near",
            user_id=user_id,
            vectors=vectors,
            max_pages=ctx.settings.segment_max_pages,
            limit=NEAR_SEGMENTS,
        )

    found: list[list[Segment]] = [[] for _ in vectors]
    for row in await ctx.store.read(user_id, near):
        found[row["i"]] = [segment_of(segment) for segment in row["segments"]]
    return found


def _plan_chains(ctx: Context, batch: _Batch, reading: BatchReading, plan: _Plan) -> None:
    """A page that continues the page before it goes onto that page's chain; any other opens one."""
    chain_of: dict[str, str | None] = {}
    for page in batch.pages:
        before, verdict = batch.before.get(page.page_id), reading.continuity[page.page_id]
        chain_id = None
        if before is not None and verdict.continues:
            chain_id = chain_of.get(before.page_id) or batch.chain_before[page.page_id]
            plan.continuity.append({"before": before.page_id, "after": page.page_id, "score": verdict.score})
        chain_id = chain_id or ctx.clock.new_id()
        chain_of[page.page_id] = chain_id
        row = plan.chains.setdefault(chain_id, {"chain_id": chain_id, "first_seq": page.seq, "page_ids": []})
        row["page_ids"].append(page.page_id)
        row |= {"last_seq": page.seq, "summary": reading.chain_summaries[page.page_id]}


def _plan_segments(
    ctx: Context,
    batch: _Batch,
    topics: Sequence[Topic],
    vectors: Sequence[Sequence[float]],
    near: Sequence[Sequence[Segment]],
    plan: _Plan,
) -> None:
    """Each topic joins the best segment, those included that this batch has just opened or changed."""
    settings = ctx.settings
    for topic, vector, candidates in zip(topics, vectors, near, strict=True):
        now = {s.segment_id: plan.segments.get(s.segment_id, s) for s in candidates} | plan.segments
        chosen = choose(
            vector,
            topic.keywords,
            now.values(),
            threshold=settings.similarity_threshold,
            cosine_floor=settings.cosine_floor,
            room_for=len(topic.page_ids),
            max_pages=settings.segment_max_pages,
        )
        if chosen is None or chosen.full:
            segment = _opened(ctx, topic, vector)
            score = join_score(vector, topic.keywords, segment, settings.similarity_threshold)
            plan.opened.add(segment.segment_id)
            if chosen is not None:
                plan.goes_on.append({"full": chosen.segment.segment_id, "next": segment.segment_id, **_verdict(chosen)})
        else:
            old, score = chosen.segment, chosen.score
            plan.read_segments.setdefault(old.segment_id, old)
            fresh = [p for p in topic.page_ids if (p, old.segment_id) not in plan.members]
            segment = joined(old, summary=topic.summary, keywords=topic.keywords, vector=vector, n_pages=len(fresh))
        plan.segments[segment.segment_id] = segment
        for page_id in topic.page_ids:
            plan.members.setdefault((page_id, segment.segment_id), score)


def _verdict(chosen: Choice) -> dict[str, Any]:
    return {"verdict": "full", "score": chosen.score.score}


def _opened(ctx: Context, topic: Topic, vector: Sequence[float]) -> Segment:
    return Segment(
        segment_id=ctx.clock.new_id(),
        version=1,
        summary=topic.summary,
        keywords=topic.keywords,
        embedding=tuple(vector),
        n_pages=len(topic.page_ids),
    )


@dataclass(frozen=True)
class _Rows:
    """Rows of segments and memberships; ids of versions are made outside of the transaction."""

    segments: list[dict[str, Any]]
    memberships: list[dict[str, Any]]


def _rows(ctx: Context, batch: _Batch, plan: _Plan) -> _Rows:
    times = {page.page_id: page.event_time for page in batch.pages}
    version_ids = {segment_id: ctx.clock.new_id() for segment_id in plan.segments}
    segments = [
        {
            "segment_id": segment.segment_id,
            "version": segment.version,
            "version_id": version_ids[segment.segment_id],
            "summary": segment.summary,
            "keywords": list(segment.keywords),
            "vector": list(segment.embedding),
            "newest_event_at": max(times[p] for p, s in plan.members if s == segment.segment_id),
        }
        for segment in plan.segments.values()
    ]
    memberships = [
        {"page_id": page_id, "segment_id": segment_id, "version_id": version_ids[segment_id], **vars(score)}
        for (page_id, segment_id), score in plan.members.items()
    ]
    return _Rows(segments, memberships)


def _stored_before(plan: _Plan) -> list[dict[str, Any]]:
    """The segments that were read from the store, with the version read."""
    return [
        {"segment_id": old.segment_id, "version": old.version}
        for old in plan.read_segments.values()
        if old.segment_id not in plan.opened
    ]


async def _check_unmoved(tx: Tx, user_id: str, batch: _Batch, plan: _Plan) -> None:
    pages = [{"page_id": page.page_id, "content_hash": page.content_hash} for page in batch.pages]
    row = await tx.one("pages_unmoved", user_id=user_id, rows=pages)
    if row is None or row["unmoved"] != len(pages):
        raise InputsChanged
    stored = _stored_before(plan)
    row = await tx.one("segments_unmoved", user_id=user_id, rows=stored)
    if row is None or row["unmoved"] != len(stored):
        raise InputsChanged


async def _write(
    ctx: Context,
    tx: Tx,
    user_id: str,
    user: Row,
    step: Step,
    batch: _Batch,
    plan: _Plan,
    rows: _Rows,
    reply: Reply[BatchReading],
) -> Outcome:
    now, page_ids = step.started_at, [page.page_id for page in batch.pages]
    stored = _stored_before(plan)
    versions = await tx.run("versions_of_segments", user_id=user_id, rows=stored)
    old = {row["segment_id"]: row["version_id"] for row in versions}
    segments = [row | {"old_version_id": old.get(row["segment_id"])} for row in rows.segments]
    await tx.run("write_chains", user_id=user_id, chains=list(plan.chains.values()), now=now, run_id=step.run_id)
    await tx.run("write_continuity", user_id=user_id, rows=plan.continuity, now=now)
    await tx.run(
        "write_segments",
        user_id=user_id,
        user_key=user["user_key"],
        segments=segments,
        now=now,
        run_id=step.run_id,
        model=reply.model,
        prompt_hash=reply.prompt_hash,
    )
    await tx.run("write_memberships", user_id=user_id, rows=rows.memberships, now=now, run_id=step.run_id)
    await tx.run("write_segment_continuity", user_id=user_id, rows=plan.goes_on, now=now)
    await tx.run("set_tier_mtm", user_id=user_id, page_ids=page_ids)
    best = max(plan.members.values(), key=lambda score: score.score)
    return Outcome(
        counts={
            "pages": len(page_ids),
            "segments": len(segments),
            "opened": len(plan.opened),
            "chains": len(plan.chains),
        },
        model=reply.model,
        prompt_hash=reply.prompt_hash,
        events=[
            Noted(
                "migrate",
                [*page_ids, *plan.segments],
                {
                    "pages": len(page_ids),
                    "joined": len(plan.segments) - len(plan.opened),
                    "best_score": best.score,
                    "cosine": best.cosine,
                    "jaccard": best.jaccard,
                    "threshold": best.threshold,
                },
            )
        ],
    )
