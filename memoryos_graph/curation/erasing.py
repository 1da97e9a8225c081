"""What is left of a confirmed forget: delete, make anew what stays, write the receipt. Idempotent at each step."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from ..context import Context
from ..domain.event import EventKind
from ..domain.forgetting import TombstoneKeys
from ..domain.segment import topic_text
from ..llm.rules.summary import line
from ..llm.rules.topics import topic
from ..store.connection import Row, Tx
from ..store.records import event_row, page_of

PAGES_AT_ONCE = 500
NODES_AT_ONCE = 2_000
SEGMENTS_AT_ONCE = 20
OUT_OF_REACH = [
    "language models and embedding endpoints that were sent the words",
    "exports, dumps and backups made before",
    "answers and contexts that a caller has kept",
]


async def finish_forgets(ctx: Context, user_id: str) -> None:
    """Bring every confirmed forget of a user to its receipt, whatever process began it and however far it came.

    Batches of bounded size, each under the user's lock. Raises ModelError: what is left can't be embedded now; all of
    it is hidden, and this is tried again before any other work of the user.
    """

    async def running(tx: Tx) -> list[Row]:
        return await tx.run("forgets_running", user_id=user_id)

    for row in await ctx.store.read(user_id, running):
        await _finish(ctx, user_id, **row["run"])


async def _finish(ctx: Context, user_id: str, run_id: str, selector: str) -> None:
    await _delete(ctx, user_id)
    await _mend_sessions(ctx, user_id, run_id)
    await _mend_chains(ctx, user_id, run_id)
    await _mend_segments(ctx, user_id, run_id)
    await _embed_facts(ctx, user_id)
    if selector == "everything":
        await _delete_rest(ctx, user_id, run_id)
    await _end(ctx, user_id, run_id)


async def _locked(ctx: Context, user_id: str, work: Callable[[Tx], Awaitable[list[Row]]]) -> list[Row]:
    """Run one batch under the user's lock."""
    lock = ctx.clock.new_id()

    async def write(tx: Tx) -> list[Row]:
        await tx.run("lock_user", user_id=user_id, lock=lock)
        return await work(tx)

    return await ctx.store.write(user_id, write)


async def _delete(ctx: Context, user_id: str) -> None:
    async def hidden(tx: Tx) -> list[Row]:
        return await tx.run("delete_hidden", user_id=user_id, limit=NODES_AT_ONCE)

    while await _delete_pages(ctx, user_id):
        pass
    while (await _locked(ctx, user_id, hidden))[0]["deleted"]:
        pass


async def _delete_pages(ctx: Context, user_id: str) -> int:
    """Put tombstones in the place of some pages; how many there were."""
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def bury(tx: Tx) -> int:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        pages = [row["page"] for row in await tx.run("forgotten_pages", user_id=user_id, limit=PAGES_AT_ONCE)]
        if user is None or not pages:
            return 0
        rows = [_tombstone(page, TombstoneKeys(user["tombstone_key"])) for page in pages]
        await tx.run("write_tombstones", user_id=user_id, now=now, rows=rows)
        await tx.run("delete_pages", user_id=user_id, page_ids=[page["page_id"] for page in pages])
        return len(pages)

    return await ctx.store.write(user_id, bury)


def _tombstone(page: Row, keys: TombstoneKeys) -> dict[str, Any]:
    named = keys.turn(page["external_id"], page["content_hash"]) if page["external_id"] else None
    return {
        "tombstone_id": f"{page['forget_run']}-{page['page_id']}",  # a page may come back, as from a backup
        "run_id": page["forget_run"],
        "kind": "page",
        "page_id": page["page_id"],
        "id_key": named,
        "content_key": keys.content(page["content_hash"]),
        "request_key": page["request_key"],
    }


async def _mend_sessions(ctx: Context, user_id: str, run_id: str) -> None:
    async def mend(tx: Tx) -> list[Row]:
        rows = await tx.run("mend_sessions", user_id=user_id, run_id=run_id, limit=SEGMENTS_AT_ONCE)
        conversations = [row["conversation_id"] for row in rows]
        await tx.run("mend_conversations", user_id=user_id, conversation_ids=conversations)
        return rows

    while await _locked(ctx, user_id, mend):
        pass


async def _mend_chains(ctx: Context, user_id: str, run_id: str) -> None:
    async def left(tx: Tx) -> list[Row]:
        return await tx.run("chains_left", user_id=user_id, run_id=run_id, limit=NODES_AT_ONCE // 10)

    while rows := await ctx.store.read(user_id, left):
        mended = [_chain(row) for row in rows]

        async def mend(tx: Tx, mended: list[Row] = mended) -> list[Row]:
            return await tx.run("mend_chains", user_id=user_id, rows=mended)

        await _locked(ctx, user_id, mend)


def _chain(row: Row) -> dict[str, Any]:
    pages = sorted((page_of(page) for page in row["pages"]), key=lambda page: page.seq)
    if not pages:
        return {"chain_id": row["chain_id"], "empty": True, "summary": "", "first_seq": 0, "last_seq": 0}
    ends = {"first_seq": pages[0].seq, "last_seq": pages[-1].seq}
    return {"chain_id": row["chain_id"], "empty": False, "summary": line(pages[-1]), **ends}


async def _mend_segments(ctx: Context, user_id: str, run_id: str) -> None:
    """An extractive summary of what is left of each segment, and a vector of it. One embedding call for twenty.

    With a model, a summary by it is due (pipeline.summarizing).
    """
    now, by_model = ctx.clock.now(), ctx.settings.llm == "model"

    async def left(tx: Tx) -> list[Row]:
        return await tx.run("segments_left", user_id=user_id, run_id=run_id, limit=SEGMENTS_AT_ONCE)

    while found := await ctx.store.read(user_id, left):
        emptied = [row["segment_id"] for row in found if not row["pages"]]
        rows = [_segment(ctx, row) for row in found if row["pages"]]
        texts = [topic_text(row["properties"]["summary"], row["properties"]["keywords"]) for row in rows]
        vectors = await ctx.embedder.embed(texts, "document")
        written = [row | {"vector": vector} for row, vector in zip(rows, vectors, strict=True)]

        async def mend(tx: Tx, emptied: list[str] = emptied, written: list[Row] = written) -> list[Row]:
            await tx.run("delete_segments", user_id=user_id, run_id=run_id, segment_ids=emptied)
            return await tx.run(
                "mend_segments", user_id=user_id, run_id=run_id, rows=written, now=now, by_model=by_model
            )

        await _locked(ctx, user_id, mend)


def _segment(ctx: Context, row: Row) -> dict[str, Any]:
    about = topic(sorted((page_of(page) for page in row["pages"]), key=lambda page: page.seq))
    return {
        "segment_id": row["segment_id"],
        "version_id": ctx.clock.new_id(),
        "archived": all(page["archived"] for page in row["pages"]),
        "properties": {
            "summary": about.summary,
            "keywords": list(about.keywords),
            "version": row["version"] + 1,
            "n_pages": len(row["pages"]),
            "n_unread": sum(page["unread"] for page in row["pages"]),
            "newest_event_at": max(page["event_time"] for page in row["pages"]),
        },
    }


async def _embed_facts(ctx: Context, user_id: str) -> None:
    async def left(tx: Tx) -> list[Row]:
        return await tx.run("facts_without_vector", user_id=user_id, limit=NODES_AT_ONCE // 10)

    while found := await ctx.store.read(user_id, left):
        vectors = await ctx.embedder.embed([row["text"] for row in found], "document")
        rows = [row | {"vector": vector} for row, vector in zip(found, vectors, strict=True)]

        async def write(tx: Tx, rows: list[Row] = rows) -> list[Row]:
            return await tx.run("write_fact_vectors", user_id=user_id, rows=rows)

        await _locked(ctx, user_id, write)


async def _delete_rest(ctx: Context, user_id: str, run_id: str) -> None:
    user_key = ctx.secret.user_key(user_id)

    async def rest(tx: Tx) -> list[Row]:
        return await tx.run("delete_rest", user_id=user_id, run_id=run_id, user_key=user_key, limit=NODES_AT_ONCE)

    while (rows := await _locked(ctx, user_id, rest)) and rows[0]["done"]:
        pass


async def _end(ctx: Context, user_id: str, run_id: str) -> None:
    """The receipt, its event, and the end of the run, in one transaction: there is one receipt whoever comes first."""
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def write(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        row = await tx.one("plan_by_id", user_id=user_id, run_id=run_id)
        if user is None or row is None or row["run"]["state"] != "running":
            return
        run = row["run"]
        await tx.run("mend_assistants", user_id=user_id, system_keys=run["system_keys"])
        exports = await tx.one("exports_taken", user_id=user_id)
        receipt = _receipt(ctx, user_id, run, user["tombstone_key"], now)
        receipt["out_of_reach"] = [*OUT_OF_REACH, *_exported(exports)]
        await tx.run("write_receipt", user_id=user_id, run_id=run_id, now=now, receipt=receipt)
        everything = run["selector"] == "everything"
        kind: EventKind = "forget_everything" if everything else "forget"
        event = event_row(ctx.secret, user_id, user, kind, now, [run_id], json.loads(run["counts"]), run["actor"])
        await tx.run("append_event", user_id=user_id, event=event)
        if everything:
            await tx.run("leave_user", user_id=user_id, user_key=ctx.secret.user_key(user_id))

    await ctx.store.write(user_id, write)


def _exported(row: Row | None) -> list[str]:
    """The exports that may hold what went, as far as the timeline tells of them."""
    if row is None or not row["exports"]:
        return []
    last = row["last_at"].isoformat(timespec="seconds")
    return [f"{row['exports']} exports of this memory, the last at {last}"]


def _receipt(ctx: Context, user_id: str, run: Row, tombstone_key: str, now: datetime) -> dict[str, Any]:
    receipt = {
        "receipt_id": run["run_id"],
        "at": now,
        "begun_at": run["started_at"],
        "actor": run["actor"],
        "selector": run["selector"],
        "redact": run["redact"],
        "reason_code": run["reason_code"],
        "reference": run.get("reference"),
        "counts": run["counts"],
        "ids": run["item_ids"],
    }
    return {
        "user_id": user_id,
        **receipt,
        "root": root_of(ctx, receipt),
        "tombstone_key": tombstone_key,
    }


def root_of(ctx: Context, receipt: Row) -> str:
    """The keyed hash over what a receipt says."""
    names = ("receipt_id", "actor", "selector", "redact", "reason_code", "reference", "counts", "ids")
    said = {name: receipt.get(name) for name in names} | {"at": receipt["at"].isoformat()}
    return ctx.secret.mac("receipt", json.dumps(said, sort_keys=True))
