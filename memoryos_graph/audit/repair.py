"""What can be mended without a loss: from the graph itself, or by doing work anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from ..context import Context
from ..contract.health import Finding
from ..domain.segment import topic_text
from ..pipeline.step import INTERRUPTED, Noted, Step, append_events, end_without_result, ensure_vectors
from ..store.connection import Row, Tx
from .checks import CHECKS, Mend
from .examination import Examined

BATCH = 500


async def repair(ctx: Context, user_id: str, found: Examined) -> None:
    """Mend what can be mended of a user; what else is wrong stays. No page and no fact is ever deleted.

    Pages without a right vector are indexed anew, facts and topics embedded at once (one call), counts counted, windows
    and versions of nothing removed, stuck runs ended as interrupted, and what is to be done is due. Writes an Event.
    Raises ModelError: nothing but stuck runs was mended.
    """
    by_mend = _ids_by_mend(found.findings)
    if not by_mend:
        return
    for run in found.stuck:
        await end_without_result(ctx, user_id, Step(lock=ctx.clock.new_id(), **run), INTERRUPTED, counted=True)
    vectors = await _embed(ctx, user_id, found.findings)
    now, lock = ctx.clock.now(), ctx.clock.new_id()
    done = Counter(mend.value for mend, ids in by_mend.items() for _ in ids)

    async def write(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        if user is not None:
            ensure_vectors(ctx, user)
        await tx.run("mend_pages", user_id=user_id, ids=by_mend.get(Mend.PAGES, []))
        await tx.run("mend_counts", user_id=user_id, ids=by_mend.get(Mend.COUNTS, []), now=now)
        if Mend.VECTORS in by_mend:
            await tx.run("mend_vectors", user_id=user_id, **vectors)
        if Mend.ORPHANS in by_mend:
            await tx.run("mend_orphans", user_id=user_id, limit=BATCH)
        await tx.run("mend_due", user_id=user_id, now=now)
        if user is not None:
            await append_events(ctx, tx, user_id, user, [Noted("repair", [], done)], now)

    await ctx.store.write(user_id, write)


def _ids_by_mend(findings: list[Finding]) -> dict[Mend, list[str]]:
    found: dict[Mend, list[str]] = {}
    for one in findings:
        mend = CHECKS[one.check].mend
        if mend is not None:
            found.setdefault(mend, []).append(one.id)
    return found


async def _embed(ctx: Context, user_id: str, findings: list[Finding]) -> dict[str, list[Row]]:
    """Vectors for the facts and topics that lack a right one."""
    ids = {check: [one.id for one in findings if one.check == check] for check in ("fact_vector", "segment_vector")}
    if not any(ids.values()):
        return {"facts": [], "segments": []}

    async def read(tx: Tx) -> Row:
        given = {"fact_ids": ids["fact_vector"], "segment_ids": ids["segment_vector"]}
        row = await tx.one("texts_to_embed", user_id=user_id, **given)
        assert row is not None, "the query gives one row"
        return row

    row = await ctx.store.read(user_id, read)
    text_of: dict[str, Callable[[Row], Any]] = {
        "facts": lambda fact: fact["text"],
        "segments": lambda segment: topic_text(segment["summary"], segment["keywords"]),
    }
    texts = [text(one) for kind, text in text_of.items() for one in row[kind]]
    vectors = iter(await ctx.embedder.embed(texts, "document"))
    return {
        kind: [{"id": one["id"], "mark": one["mark"], "vector": next(vectors)} for one in row[kind]] for kind in text_of
    }
