"""What was believed at a time, with the words that prove it, as a file that can be checked without us (case P5)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any

from ..context import Context
from ..contract import EvidenceRequest, FactOut
from ..domain.page import Side
from ..domain.validity import Moment
from ..store.connection import Row, Tx
from ..store.facts import fact_of
from .snapshot import Begun, Lines, Reading, ensure_untorn, snapshot
from .verify_evidence import EVIDENCE

SCHEMA = 1
FACTS_AT_ONCE = 100
_TEXTS = {
    Side.USER: "user_input",
    Side.ASSISTANT: "assistant_response",
    Side.TOOL: "tool_text",
    Side.SYSTEM: "system_text",
}


async def evidence(ctx: Context, user_id: str, request: EvidenceRequest) -> AsyncIterator[bytes]:
    """Lines with what was believed at `known_at` (now without) to be true then: each fact after the pages it quotes,
    with the heads of the chain of events then and now, and the receipts of what was forgotten and is not here.

    verify_evidence.py checks it. As an export it is an Event, and read at one moment or broken off. Raises NotFound,
    TryAgain.
    """
    at = request.known_at or ctx.clock.now()
    moment = Moment(at, at)
    user_key = ctx.secret.user_key(user_id)

    async def pieces(read: Reading, begun: Begun) -> AsyncIterator[bytes]:
        file, told = Lines(), set[str]()
        yield file.begin(_header(user_id, at, begun))
        yield file.line(await _record(read, user_id, user_key, at, begun), "record")
        fact_ids = sorted(begun.facts or ())
        for start in range(0, len(fact_ids), FACTS_AT_ONCE):
            facts = await _facts(read, user_id, fact_ids[start : start + FACTS_AT_ONCE], moment)
            quoted = {source.page_id for fact in facts for source in (*fact.sources, *fact.ends)} - told
            told |= quoted
            pages = await _pages(read, user_id, sorted(quoted))
            yield b"".join(file.line({"page": page}, "page") for page in pages)
            yield b"".join(file.line({"fact": fact.model_dump(mode="json")}, "fact") for fact in facts)
        await ensure_untorn(read, user_id, begun)
        yield file.end({"header": file.header})

    async for piece in snapshot(ctx, user_id, moment, {"evidence": 1}, pieces):
        yield piece


def _header(user_id: str, at: datetime, begun: Begun) -> dict[str, Any]:
    return {
        "format": EVIDENCE,
        "schema_version": SCHEMA,
        "user_id": user_id,
        "known_at": at.isoformat(),
        "made_at": begun.at.isoformat(),
    }


async def _record(read: Reading, user_id: str, user_key: str, at: datetime, begun: Begun) -> dict[str, Any]:
    """The heads of the chain, and what can't be here since it was forgotten."""

    async def head(tx: Tx) -> list[Row]:
        return await tx.run("head_at", user_id=user_id, at=at, until=begun.user["event_seq"])

    async def receipts(tx: Tx) -> list[Row]:
        return await tx.run("receipts_of", user_id=user_id, user_key=user_key)

    then = [{"seq": row["seq"], "hash": row["hash"]} for row in await read(head)]
    forgotten = [
        {
            "receipt_id": row["receipt"]["receipt_id"],
            "at": row["receipt"]["at"].isoformat(),
            "counts": json.loads(row["receipt"]["counts"]),
            "root": row["receipt"]["root"],
        }
        for row in await read(receipts)
    ]
    now = {"seq": begun.user["event_seq"], "hash": begun.user["event_head"]}
    return {"heads": {"known_at": then[0] if then else None, "made_at": now}, "forgotten": forgotten}


async def _facts(read: Reading, user_id: str, fact_ids: Sequence[str], moment: Moment) -> list[FactOut]:
    async def rows(tx: Tx) -> list[Row]:
        known_at, now = moment.known_at, moment.as_of
        return await tx.run("facts_by_ids", user_id=user_id, fact_ids=list(fact_ids), known_at=known_at, now=now)

    return [fact_of(row, moment) for row in await read(rows)]


async def _pages(read: Reading, user_id: str, page_ids: Sequence[str]) -> list[dict[str, Any]]:
    async def rows(tx: Tx) -> list[Row]:
        return await tx.run("pages_in_evidence", user_id=user_id, page_ids=list(page_ids))

    return [_page(row["page"]) for row in await read(rows)]


def _page(row: Row) -> dict[str, Any]:
    kept = {name: row[name] for name in ("page_id", "conversation_id", "origin", "content_hash")}
    times = {name: row[name].isoformat() for name in ("event_time", "recorded_at")}
    return kept | times | {"texts": {side.value: row[name] or "" for side, name in _TEXTS.items()}}
