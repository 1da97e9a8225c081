"""A stored page gets its vector, keywords and time words."""

from __future__ import annotations

from datetime import datetime

from ..context import Context
from ..contract import RunOut
from ..domain.validity import NEVER
from ..errors import ModelError
from ..llm.keywords import text_row
from ..store.connection import Row, Tx
from .passages import embedded_text, passages
from .step import Inputs, InputsChanged, Outcome, Step, read_epoch, running, write_step

BATCH = 64
CHARACTERS = 200_000  # of the pages of one call: some hundred passages


async def index(ctx: Context, user_id: str, *, due_before: datetime = NEVER) -> RunOut | None:
    """Index the oldest pages that have no vector yet, at most 64; None when there is nothing to do.

    A page is embedded together with the last non-empty side before it in its session (retrieval.md 2), and one that is
    longer than the model reads also in passages.
    Pages that failed before are left out while they wait beyond `due_before`, and tried in ever smaller batches, so
    that one bad page parks nobody but itself.
    Cost: one embedding call, one read, two writes. Raises ModelUnavailable: the pages are found by
    their words only, and stay due.
    """

    async def oldest(tx: Tx) -> tuple[int, list[Row]]:
        epoch = await read_epoch(tx, user_id)
        return epoch, await tx.run("pages_to_index", user_id=user_id, limit=BATCH, due_before=due_before)

    epoch, rows = await ctx.store.read(user_id, oldest)
    if not rows:
        return None
    rows = _tried_alike(rows)
    inputs = Inputs(forget_epoch=epoch, page_ids=[row["page"]["page_id"] for row in rows])
    async with running(ctx, user_id, "index", inputs) as step:
        texts = [text_row(row["page"]) for row in rows]
        try:
            wholes = [await embedded_text(ctx.embedder, row["page"], row["before"]) for row in rows]
            parts = [part for row in rows for part in await passages(ctx.embedder, row["page"])]
            vectors = await ctx.embedder.embed([*wholes, *(part.pop("text") for part in parts)], "document")
        except ModelError:
            await _write_text_only(ctx, user_id, step, texts)
            raise
        embedded = [
            {"page_id": text["page_id"], "content_hash": text["content_hash"], "vector": vector}
            for text, vector in zip(texts, vectors[: len(texts)], strict=True)
        ]
        windows = [part | {"vector": vector} for part, vector in zip(parts, vectors[len(texts) :], strict=True)]

        async def write(tx: Tx, user: Row) -> Outcome:
            await tx.run("write_text", user_id=user_id, user_key=user["user_key"], rows=texts)
            done = await tx.one("write_index", user_id=user_id, rows=embedded)
            if done is None or done["indexed"] != len(embedded):
                raise InputsChanged
            if windows:
                await tx.run("write_passages", user_id=user_id, rows=windows)
            return Outcome(counts={"pages": len(embedded)} | ({"passages": len(windows)} if windows else {}))

        return await write_step(ctx, user_id, step, write)


async def index_due(ctx: Context, tx: Tx, user_id: str) -> datetime:
    """When the next page may be tried; NEVER when all are indexed or parked."""
    row = await tx.one("index_due", user_id=user_id, now=ctx.clock.now())
    return (row and row["due_at"]) or NEVER


def _tried_alike(rows: list[Row]) -> list[Row]:
    attempts = rows[0]["page"]["attempts"]
    alike = [row for row in rows if row["page"]["attempts"] == attempts]
    return _not_too_long(alike[: max(1, BATCH >> 2 * attempts)])


def _not_too_long(rows: list[Row]) -> list[Row]:
    """The first rows that hold about so much text as one call of a model should embed, and one at least."""
    room = CHARACTERS
    for n, row in enumerate(rows):
        room -= sum(len(row["page"][side]) for side in ("user_input", "assistant_response", "tool_text"))
        if room < 0:
            return rows[: max(1, n)]
    return rows


async def _write_text_only(ctx: Context, user_id: str, step: Step, texts: list[Row]) -> None:
    """Without its vector a page is still found by its words, and stays due."""

    async def write(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=step.lock)
        if user is not None:
            await tx.run("write_text", user_id=user_id, user_key=user["user_key"], rows=texts)

    await ctx.store.write(user_id, write)
