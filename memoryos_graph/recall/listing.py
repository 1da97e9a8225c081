"""Pages, facts, segments, runs and counts of one user, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from ..context import Context
from ..contract import (
    HeatOut,
    MomentRequest,
    RunList,
    RunOut,
    RunState,
    SegmentDetail,
    SegmentList,
    SegmentMember,
    SegmentOut,
    SegmentRef,
    Stats,
    TurnDetail,
    TurnList,
)
from ..contract.cursors import NEWEST_ID, check_limit, cut, decode
from ..domain.heat import heat
from ..errors import InvalidInput, NotFound
from ..store.connection import Row, Tx
from ..store.facts import fact_of
from ..store.records import run_of, turn_fields, turn_of
from .facts import count_facts, moment_of, rows_of

NEWEST_SEQ = 2**62
HEAT_BINS = (0, 1, 2, 5, 10, 20, 50)


async def list_turns(
    ctx: Context, user_id: str, *, limit: int = 50, cursor: str | None = None, external_id: str | None = None
) -> TurnList:
    """Pages, newest first; with `external_id` the one page that has it, or none. One statement."""
    check_limit(limit)
    below = int(decode(cursor, "t") or NEWEST_SEQ)

    async def read(tx: Tx) -> list[Row]:
        if external_id is not None:
            return await tx.run("page_by_external_id", user_id=user_id, external_id=external_id)
        return await tx.run("pages_listed", user_id=user_id, below=below, limit=limit + 1)

    rows = [row["page"] for row in await ctx.store.read(user_id, read)]
    items, cursor = cut([turn_of(row) for row in rows], limit, "t", lambda turn: str(turn.seq))
    return TurnList(items=items, next_cursor=cursor)


async def get_turn(ctx: Context, user_id: str, page_id: str) -> TurnDetail:
    """One page with everything derived from it. Three statements. Raises NotFound."""

    async def read(tx: Tx) -> tuple[Row, Row, list[Row]]:
        page = await tx.one("page_by_id", user_id=user_id, page_id=page_id)
        derived = await tx.one("derived_from_page", user_id=user_id, page_id=page_id)
        if page is None or derived is None:
            raise NotFound("there is no such page for this user")
        return page["page"], derived, await rows_of(tx, user_id, derived["fact_ids"], None, ctx.clock.now())

    page, derived, facts = await ctx.store.read(user_id, read)
    return TurnDetail(
        **turn_fields(page),
        facts=[fact_of(row) for row in facts],
        segments=[SegmentRef(**row) for row in derived["segments"]],
        chain_id=derived["chains"][0] if derived["chains"] else None,
    )


async def list_segments(ctx: Context, user_id: str, *, limit: int = 50, cursor: str | None = None) -> SegmentList:
    """Segments, newest first, with their heat of this moment. One statement."""
    check_limit(limit)
    below = decode(cursor, "s") or NEWEST_ID

    async def read(tx: Tx) -> list[Row]:
        return await tx.run("segments_listed", user_id=user_id, below=below, limit=limit + 1)

    items = [SegmentOut(**_segment_fields(ctx, row["segment"])) for row in await ctx.store.read(user_id, read)]
    items, cursor = cut(items, limit, "s", lambda segment: segment.segment_id)
    return SegmentList(items=items, next_cursor=cursor)


async def get_segment(ctx: Context, user_id: str, segment_id: str) -> SegmentDetail:
    """One segment with its pages and their join scores. Two statements. Raises NotFound."""

    async def read(tx: Tx) -> tuple[Row, list[Row]]:
        segment = await tx.one("segment_by_id", user_id=user_id, segment_id=segment_id)
        if segment is None:
            raise NotFound("there is no such segment for this user")
        return segment["segment"], await tx.run("segment_pages", user_id=user_id, segment_id=segment_id)

    segment, pages = await ctx.store.read(user_id, read)
    members = [SegmentMember(segment_id=segment_id, **row) for row in pages]
    return SegmentDetail(**_segment_fields(ctx, segment), pages=members)


async def list_runs(
    ctx: Context, user_id: str, *, state: str | None = None, limit: int = 50, cursor: str | None = None
) -> RunList:
    """Background work, newest first. One statement. Raises InvalidInput for a state that no run can have."""
    check_limit(limit)
    _check_choice("state", state, get_args(RunState))
    below = decode(cursor, "r") or NEWEST_ID

    async def read(tx: Tx) -> list[Row]:
        return await tx.run("runs_listed", user_id=user_id, state=state, below=below, limit=limit + 1)

    items = [run_of(row["run"]) for row in await ctx.store.read(user_id, read)]
    items, cursor = cut(items, limit, "r", lambda run: run.run_id)
    return RunList(items=items, next_cursor=cursor)


async def get_run(ctx: Context, user_id: str, run_id: str) -> RunOut:
    """One unit of background work. One statement. Raises NotFound."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("run_by_id", user_id=user_id, run_id=run_id)

    row = await ctx.store.read(user_id, read)
    if row is None:
        raise NotFound("there is no such run for this user")
    return run_of(row["run"])


async def count(ctx: Context, user_id: str, request: MomentRequest) -> Stats:
    """Counts of everything a user has; all zero for a user who never wrote. Facts may be those of another moment.

    Four statements.
    """
    moment = moment_of(ctx, request)

    async def read(tx: Tx) -> tuple[Row | None, list[Row], dict[str, int], list[Row]]:
        return (
            await tx.one("user_counts", user_id=user_id, now=ctx.clock.now()),
            await tx.run("page_counts", user_id=user_id),
            await count_facts(tx, user_id, moment, ctx.clock.now()),
            await tx.run("heat_inputs", user_id=user_id),
        )

    user, pages, facts, heats = await ctx.store.read(user_id, read)
    counts = user or dict.fromkeys(("conversations", "sessions", "chains", "segments", "failed_runs"), 0) | {
        "due": False
    }
    return Stats(
        pages=_summed(pages, "tier", ("stm", "mtm", "none")),
        states=_summed(pages, "state", ("stored", "indexed", "failed")),
        facts=facts,
        heat_histogram=_histogram([_heat(ctx, row).heat for row in heats]),
        **counts,
    )


def _summed(rows: list[Row], key: str, names: tuple[str, ...]) -> dict[str, int]:
    return {name: sum(row["pages"] for row in rows if row[key] == name) for name in names}


def _histogram(heats: list[float]) -> dict[str, int]:
    bins = {f"≥{low}": 0 for low in HEAT_BINS}
    for value in heats:
        bins[f"≥{max(low for low in HEAT_BINS if low <= max(0.0, value))}"] += 1
    return bins


def _segment_fields(ctx: Context, row: Row) -> dict[str, Any]:
    names = ("segment_id", "version", "summary", "keywords", "n_pages", "n_unread", "archived", "newest_event_at")
    return {name: row[name] for name in names} | {"last_visit_at": row.get("last_visit_at"), "heat": _heat(ctx, row)}


def _heat(ctx: Context, row: Row) -> HeatOut:
    warmth = heat(
        ctx.settings.heat_weights,
        n_visit=row["n_visit"],
        l_interaction=row["l_interaction"],
        last_visit_at=row.get("last_visit_at"),
        newest_event_at=row["newest_event_at"],
        now=ctx.clock.now(),
    )
    return HeatOut(
        heat=warmth.total,
        n_visit=warmth.n_visit,
        l_interaction=warmth.l_interaction,
        recency=warmth.recency,
        threshold=ctx.settings.heat_threshold,
    )


def _check_choice(field: str, value: str | None, choices: Sequence[str]) -> None:
    """An unknown filter is an error: an empty list would look like an empty memory (case L26)."""
    if value is not None and value not in choices:
        raise InvalidInput(field, f"{field} must be one of {', '.join(choices)}")
