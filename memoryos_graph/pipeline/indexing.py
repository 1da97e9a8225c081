"""A stored page gets its vector, keywords and time words."""

from __future__ import annotations

from ..context import Context
from ..contract import RunOut
from ..domain.page import time_words
from ..domain.text import keywords
from ..store.connection import Row, Tx
from .step import Outcome, Step, write_step

BATCH = 64


async def index(ctx: Context, user_id: str) -> RunOut | None:
    """Index the oldest pages that have no vector yet, at most 64; None when there is nothing to do.

    A page is embedded together with the last non-empty side before it in its session (retrieval.md 2).
    Cost: one embedding call, one read, one write. Raises ModelUnavailable: the pages stay as they are.
    """

    async def oldest(tx: Tx) -> list[Row]:
        return await tx.run("pages_to_index", user_id=user_id, limit=BATCH)

    rows = await ctx.store.read(user_id, oldest)
    if not rows:
        return None
    step = Step.begin(ctx, "index")
    vectors = await ctx.embedder.embed([_embedded_text(row) for row in rows], "document")
    written = [
        {
            "page_id": row["page"]["page_id"],
            "content_hash": row["page"]["content_hash"],
            "keywords": list(keywords(_text(row["page"]))),
            "time_words": time_words(_text(row["page"])),
            "embedding": vector,
        }
        for row, vector in zip(rows, vectors, strict=True)
    ]

    async def write(tx: Tx, user: Row) -> Outcome:
        done = await tx.one("write_index", user_id=user_id, rows=written)
        return Outcome(counts={"pages": done["indexed"] if done else 0})

    return await write_step(ctx, user_id, step, write)


def _text(page: Row) -> str:
    return "\n".join(side for side in (page["user_input"], page["assistant_response"]) if side)


def _embedded_text(row: Row) -> str:
    before = row["before"] or {"user_input": "", "assistant_response": ""}
    last_side = before["assistant_response"] or before["user_input"]
    return f"{last_side}\n{_text(row['page'])}" if last_side else _text(row["page"])
