"""A stored page gets its vector, keywords and time words."""

from __future__ import annotations

from datetime import datetime

from ..context import Context
from ..contract import RunOut
from ..domain.page import page_text, time_words
from ..domain.validity import NEVER
from ..errors import ModelError
from ..llm.keywords import keywords
from ..store.connection import Row, Tx
from .step import Inputs, InputsChanged, Outcome, Step, read_epoch, running, write_step

BATCH = 64


async def index(ctx: Context, user_id: str, *, due_before: datetime = NEVER) -> RunOut | None:
    """Index the oldest pages that have no vector yet, at most 64; None when there is nothing to do.

    A page is embedded together with the last non-empty side before it in its session (retrieval.md 2).
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
        texts = [_text_row(row["page"]) for row in rows]
        try:
            vectors = await ctx.embedder.embed([embedded_text(row) for row in rows], "document")
        except ModelError:
            await _write_text_only(ctx, user_id, step, texts)
            raise
        embedded = [
            {"page_id": text["page_id"], "content_hash": text["content_hash"], "vector": vector}
            for text, vector in zip(texts, vectors, strict=True)
        ]

        async def write(tx: Tx, user: Row) -> Outcome:
            await tx.run("write_text", user_id=user_id, user_key=user["user_key"], rows=texts)
            done = await tx.one("write_index", user_id=user_id, rows=embedded)
            if done is None or done["indexed"] != len(embedded):
                raise InputsChanged
            return Outcome(counts={"pages": len(embedded)})

        return await write_step(ctx, user_id, step, write)


async def index_due(ctx: Context, tx: Tx, user_id: str) -> datetime:
    """When the next page may be tried; NEVER when all are indexed or parked."""
    row = await tx.one("index_due", user_id=user_id, now=ctx.clock.now())
    return (row and row["due_at"]) or NEVER


def _tried_alike(rows: list[Row]) -> list[Row]:
    attempts = rows[0]["page"]["attempts"]
    alike = [row for row in rows if row["page"]["attempts"] == attempts]
    return alike[: max(1, BATCH >> 2 * attempts)]


async def _write_text_only(ctx: Context, user_id: str, step: Step, texts: list[Row]) -> None:
    """Without its vector a page is still found by its words, and stays due."""

    async def write(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=step.lock)
        if user is not None:
            await tx.run("write_text", user_id=user_id, user_key=user["user_key"], rows=texts)

    await ctx.store.write(user_id, write)


def _text_row(page: Row) -> Row:
    text = page_text(page["user_input"], page["assistant_response"], page["tool_text"])
    return {
        "page_id": page["page_id"],
        "content_hash": page["content_hash"],
        "text": text,
        "keywords": list(keywords(text)),
        "time_words": time_words(text),
    }


def embedded_text(row: Row) -> str:
    """What the vector of a page is made of: its text after the last non-empty side before it in its session."""
    before = row["before"] or {"user_input": "", "assistant_response": ""}
    last_side = before["assistant_response"] or before["user_input"]
    text = page_text(row["page"]["user_input"], row["page"]["assistant_response"], row["page"]["tool_text"])
    return f"{last_side}\n{text}" if last_side else text
