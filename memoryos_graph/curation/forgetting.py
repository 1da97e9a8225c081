"""Forgetting in two steps: a plan that changes nothing, and its confirmation, after which nobody reads it again."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..context import Context
from ..contract import ForgetPlan, ForgetRequest
from ..contract.cursors import decode, encode
from ..domain.forgetting import TombstoneKeys, blackened, hash_after
from ..domain.ledger import Ledger
from ..domain.text import content_words
from ..errors import Conflict, InvalidInput, NotFound
from ..store.connection import Row, Tx
from ..store.ledger import source_key, write_changes
from .reach import Reach, core_of, reach_of, said_alike, shown
from .selecting import Chosen, find_by_words, select

PLAN_KEPT = timedelta(hours=1)
VECTORS_AT_ONCE = 1_000
BEGIN_S = (
    600.0  # all is hidden in one transaction, so it takes what it takes: 8 s for 20,000 pages, more on a busy machine
)
_SIDES = {"user": "user_input", "assistant": "assistant_response", "tool": "tool_text", "system": "system_text"}


async def plan(
    ctx: Context, user_id: str, request: ForgetRequest, *, limit: int = 50, actor: str = "caller"
) -> ForgetPlan:
    """What forgetting this would take away, make anew and leave; nothing is changed, nothing of the words is kept.

    The plan can be confirmed for an hour. Cost: about ten statements, whatever the size. Raises NotFound, and Conflict
    (`already_forgotten`) when what is named was forgotten before.
    """
    now, run_id, lock = ctx.clock.now(), ctx.clock.new_id(), ctx.clock.new_id()
    user_key = ctx.secret.user_key(user_id)
    await find_by_words(ctx, user_id)

    async def work(tx: Tx) -> tuple[Row, Reach]:
        if await tx.one("lock_user", user_id=user_id, lock=lock) is None:
            await _refuse_forgotten(tx, user_id, user_key, request)
            raise NotFound("there is nothing of this user")
        try:
            chosen = await select(tx, user_id, user_key, request)
        except NotFound:
            await _refuse_forgotten(tx, user_id, user_key, request)
            raise
        reach = await reach_of(tx, user_id, chosen, now=now, stem=run_id)
        also = [] if chosen.everything else await said_alike(tx, user_id, user_key, reach)
        items = sorted([*reach.items, *(f"also_said_in:page:{page_id}" for page_id in also)])
        run = _planned(user_id, run_id, request, chosen, items, now) | {"actor": actor}
        await tx.run("write_plan", user_id=user_id, run=run, now=now)
        return run, reach

    run, reach = await ctx.store.write(user_id, work)
    return await _plan_of(ctx, user_id, run, limit, None, reach)


async def get_plan(
    ctx: Context, user_id: str, plan_id: str, *, limit: int = 50, cursor: str | None = None
) -> ForgetPlan:
    """A plan again, from a cursor on. Raises NotFound for one that is confirmed, expired, or never was."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("plan_by_id", user_id=user_id, run_id=plan_id)

    row = await ctx.store.read(user_id, read)
    return await _plan_of(ctx, user_id, _valid(row, ctx.clock.now()), limit, cursor)


def _valid(row: Row | None, now: datetime) -> Row:
    if row is None or row["run"]["state"] != "planned" or row["run"]["expires_at"] <= now:
        raise NotFound("there is no such plan for this user; plans are kept for an hour")
    run: Row = row["run"]
    return run


async def _plan_of(
    ctx: Context, user_id: str, run: Row, limit: int, cursor: str | None, known: Reach | None = None
) -> ForgetPlan:
    start = int(decode(cursor, "f") or 0)
    items: list[str] = run["items"]
    part = items[start : start + limit]

    async def read(tx: Tx) -> ForgetPlan:
        reach = known
        if reach is None and any(item.startswith("stays:") for item in part):
            reach = await reach_of(tx, user_id, _chosen(run), now=run["started_at"], stem=run["run_id"])
        return ForgetPlan(
            plan_id=run["run_id"],
            selector=run["selector"],
            redact=run["redact"],
            expires_at=run["expires_at"],
            counts=_counted(items),  # type: ignore[arg-type]
            items=await shown(tx, user_id, part, reach),
            next_cursor=encode("f", str(start + limit)) if start + limit < len(items) else None,
        )

    return await ctx.store.read(user_id, read)


def _counted(items: Iterable[str]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        what, kind, _ = item.split(":", 2)
        counts[what][kind] += 1
    return {what: dict(of_kind) for what, of_kind in counts.items()}


def _chosen(run: Row, also: Sequence[str] = ()) -> Chosen:
    pages = frozenset([*run["chosen_pages"], *also])
    return Chosen(pages, frozenset(run["chosen_facts"]), run["redact"], run["selector"] == "everything")


def _planned(
    user_id: str, run_id: str, request: ForgetRequest, chosen: Chosen, items: list[str], now: datetime
) -> dict[str, Any]:
    return {
        "user_id": user_id,
        "run_id": run_id,
        "kind": "forget",
        "state": "planned",
        "attempts": 1,
        "started_at": now,
        "expires_at": now + PLAN_KEPT,
        "counts": "{}",
        "rejected": "{}",
        "model": "",
        "calls": "[]",
        "page_ids": [],
        "segment_ids": [],
        "chosen_pages": sorted(chosen.pages),
        "chosen_facts": sorted(chosen.facts),
        "selector": request.selector,
        "redact": request.redact,
        "reason_code": request.reason_code,
        "reference": request.reference,
        "items": items,
    }


async def _refuse_forgotten(tx: Tx, user_id: str, user_key: str, request: ForgetRequest) -> None:
    """Say so when what is named was forgotten before (case F22)."""
    named = {*(request.pages or ()), *(request.facts or ())}
    for row in await tx.run("receipts_of", user_id=user_id, user_key=user_key):
        receipt = row["receipt"]
        if (named and named <= set(receipt["ids"])) or (request.everything and receipt.get("selector") == "everything"):
            raise Conflict(f"already forgotten: receipt {receipt['receipt_id']}", code="already_forgotten")


async def begin(ctx: Context, user_id: str, plan_id: str, also: Sequence[str] = ()) -> None:
    """Take a plan's things out of every read at once; what is left to do is in the graph, and survives a crash.

    One transaction: hidden are pages, facts, answers and what was made from them; facts are worked out without the
    lost words; `forget_epoch` is raised, so that nothing computed before is written (I15). It takes some 5 KB of the
    server's memory for each page, and 20,000 pages must fit: what can wait until pages are deleted is done then.
    Nothing is done for a plan that runs or ran already. Raises NotFound, InvalidInput (`also`), and Conflict when what
    the plan means has changed since.
    """
    await _drop_vectors(ctx, user_id, plan_id)
    now, lock = ctx.clock.now(), ctx.clock.new_id()
    key, stem = ctx.clock.new_id() + ctx.clock.new_id(), ctx.clock.new_id()

    async def work(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        row = await tx.one("plan_by_id", user_id=user_id, run_id=plan_id)
        if user is None or (row is not None and row["run"]["state"] in ("running", "done")):
            return
        run = _valid(row, now)
        offered = {item for item in run["items"] if item.startswith("also_said_in:")}
        if unknown := [page_id for page_id in also if f"also_said_in:page:{page_id}" not in offered]:
            raise InvalidInput("also", f"also: {len(unknown)} of these pages are not in the plan's also_said_in")
        planned = await reach_of(tx, user_id, _chosen(run), now=now, stem=plan_id)
        if planned.core != core_of(run["items"]) or await _grown(tx, user_id, run):
            raise Conflict("what this plan means has changed since it was made: make a new one", code="plan_changed")
        reach = await reach_of(tx, user_id, _chosen(run, also), now=now, stem=plan_id) if also else planned
        await _take_out(ctx, tx, user_id, user, run, reach, Stamp(now, user["tombstone_key"] or key, stem))

    await ctx.store.write(user_id, work, timeout_s=BEGIN_S)


async def _drop_vectors(ctx: Context, user_id: str, plan_id: str) -> None:
    """Of many pages the vectors go first, in batches: with them the one transaction would not fit into the server.

    Whatever happens then, such pages are as any that wait to be indexed.
    """

    async def read(tx: Tx) -> Row | None:
        return await tx.one("plan_by_id", user_id=user_id, run_id=plan_id)

    row = await ctx.store.read(user_id, read)
    pages = list((row and row["run"].get("chosen_pages")) or ())
    if len(pages) <= VECTORS_AT_ONCE:
        return
    lock = ctx.clock.new_id()
    for start in range(0, len(pages), VECTORS_AT_ONCE):

        async def drop(tx: Tx, part: Sequence[str] = pages[start : start + VECTORS_AT_ONCE]) -> None:
            await tx.run("lock_user", user_id=user_id, lock=lock)
            await tx.run("drop_vectors", user_id=user_id, page_ids=list(part))

        await ctx.store.write(user_id, drop)


@dataclass(frozen=True)
class Stamp:
    """When a forget begins, the key of this user's tombstones, and what ids of tombstones begin with."""

    now: datetime
    key: str
    stem: str


async def _grown(tx: Tx, user_id: str, run: Row) -> bool:
    """Whether a user of whom everything goes has said more since."""
    if run["selector"] != "everything":
        return False
    rows = await tx.run("select_everything", user_id=user_id)
    return {row["page_id"] for row in rows} != set(run["chosen_pages"])


async def _take_out(ctx: Context, tx: Tx, user_id: str, user: Row, run: Row, reach: Reach, stamp: Stamp) -> None:
    gone, run_id = reach.gone, run["run_id"]
    told = await tx.run("system_texts_of_pages", user_id=user_id, page_ids=sorted(gone.pages))
    changed = [
        row["page"] for row in await tx.run("texts_of_pages", user_id=user_id, page_ids=sorted(gone.changed_pages))
    ]
    item_ids = [item.split(":", 2)[2] for item in reach.items if item.startswith("goes:")]
    await tx.run(
        "write_tombstones",
        user_id=user_id,
        now=stamp.now,
        rows=_tombstones(reach, run_id, changed, stamp),
    )
    await _write_facts(tx, user_id, run, reach)
    await tx.run("hide_pages", user_id=user_id, run_id=run_id, page_ids=sorted(gone.pages))
    await tx.run("forget_requests", user_id=user_id, ids=sorted({*gone.pages, *reach.unsaid.forgotten}))
    await tx.run("change_pages", user_id=user_id, rows=[_changed(page, reach) for page in changed])
    await tx.run("cut_sources", user_id=user_id, page_ids=sorted({page_id for page_id, _ in gone.sides}))
    await tx.run("refresh_followers", user_id=user_id, page_ids=reach.followers)
    await tx.run(
        "hide_derived",
        user_id=user_id,
        run_id=run_id,
        segment_ids=[row["id"] for row in reach.segments],
        chain_ids=reach.chains,
        session_ids=reach.sessions,
        answer_ids=reach.answers,
        fact_ids=sorted(reach.unsaid.forgotten),
    )
    # last, since the server handles every change after that of a long list as if it had to look through that list
    await tx.run(
        "begin_forget",
        user_id=user_id,
        run_id=run_id,
        now=stamp.now,
        counts=json.dumps(_receipt_counts(reach)),
        item_ids=item_ids,
        tombstone_key=stamp.key,
        system_keys=[ctx.secret.mac("system", f"{user_id}\x00{row['text']}") for row in told],
    )


def _receipt_counts(reach: Reach) -> dict[str, int]:
    counts = _counted(reach.items)
    goes = {f"{kind}s": n for kind, n in counts.get("goes", {}).items()}
    emptied = sum(not row["left"] for row in reach.segments)
    return goes | {
        "pages_changed": len(reach.gone.changed_pages),
        "segments": emptied,
        "made_anew": sum(counts.get("made_anew", {}).values()),
    }


def _tombstones(reach: Reach, run_id: str, changed: Sequence[Row], stamp: Stamp) -> list[dict[str, Any]]:
    """Of words and claims whose pages stay. A page that goes gets its tombstone with its deletion (erasing.py)."""
    rows: list[dict[str, Any]] = []
    hashes = TombstoneKeys(stamp.key)
    lengths = {(page["page_id"], side): len(page[name]) for page in changed for side, name in _SIDES.items()}
    for page_id, side in sorted(reach.gone.sides):
        rows.append({"kind": "span", "page_id": page_id, "side": side, "start": 0, "end": lengths[page_id, side]})
    for span in sorted(reach.gone.spans, key=lambda s: (s.page_id, s.side, s.start, s.end)):
        rows.append({"kind": "span", "page_id": span.page_id, "side": span.side, "start": span.start, "end": span.end})
    for predicate, page_id, side, start, end in sorted(reach.gone.places):
        claim = {"claim_key": hashes.claim(predicate)}
        rows.append({"kind": "claim", "page_id": page_id, "side": side, "start": start, "end": end, **claim})
    return [row | {"tombstone_id": f"{stamp.stem}-{n}", "run_id": run_id} for n, row in enumerate(rows, 1)]


def _changed(page: Row, reach: Reach) -> dict[str, Any]:
    """A page that loses words, as it is after: blacked out or without a side, and without what may repeat the words."""
    page_id, gone = page["page_id"], reach.gone
    texts = {}
    for side, name in _SIDES.items():
        spans = [(s.start, s.end) for s in gone.spans if (s.page_id, s.side) == (page_id, side)]
        texts[name] = "" if (page_id, side) in gone.sides else blackened(page[name], spans)
    besides = {"tool_calls": "[]", "metadata": "{}", "tags": []}
    return {
        "page_id": page_id,
        "properties": texts | besides | {"content_hash": hash_after(page_id, list(texts.values()))},
    }


async def _write_facts(tx: Tx, user_id: str, run: Row, reach: Reach) -> None:
    """Facts as they are without the lost words, in their own places; then those that go are hidden."""
    ledger, unsaid = reach.ledger, reach.unsaid
    reworded = await _reworded(tx, user_id, reach)
    dropped = [source_key(i, source) for i, lost in unsaid.lost.items() for source in lost]
    await tx.run("drop_sources", user_id=user_id, rows=dropped)
    await write_changes(tx, user_id, ledger, run_id=run["run_id"], actor=run["actor"])
    restated = [
        {
            "fact_id": i,
            "properties": {"proposed": fact.proposed} | reworded.get(i, {}),
            "reworded": i in reworded,
        }
        for i, fact in ledger.facts.items()
        if i in ledger.changed or i in reworded
    ]
    await tx.run("restate_facts", user_id=user_id, rows=restated)
    await tx.run("restate_sources", user_id=user_id, rows=_holding(ledger, unsaid.reworked))
    links = await tx.run("links_between", user_id=user_id, fact_ids=sorted(unsaid.reworked))
    stale = [row for row in links if (row["newer"], row["older"]) not in unsaid.links]
    await tx.run("drop_links", user_id=user_id, rows=stale)


def _holding(ledger: Ledger, fact_ids: Iterable[str]) -> list[dict[str, Any]]:
    return [
        source_key(i, source) | {"holds_from": source.holds_from}
        for i in sorted(fact_ids)
        for source in ledger.facts[i].said
    ]


async def _reworded(tx: Tx, user_id: str, reach: Reach) -> Mapping[str, dict[str, Any]]:
    """Facts whose sentence tells what only lost words told: their own words that are left are their sentence then."""
    ledger, unsaid = reach.ledger, reach.unsaid
    kept = [i for i in unsaid.lost if i in ledger.facts]
    asked = [*kept, *ledger.copied]
    if not asked:
        return {}
    texts = {row["fact_id"]: row for row in await tx.run("texts_of_facts", user_id=user_id, fact_ids=kept)}
    pages = {s.span.page_id for i in kept for s in (*unsaid.lost[i], *ledger.facts[i].said)}
    said = {
        row["page"]["page_id"]: row["page"]
        for row in await tx.run("texts_of_pages", user_id=user_id, page_ids=sorted(pages))
    }
    found: dict[str, dict[str, Any]] = {}
    for i in asked:
        states = [source for source in ledger.facts[i].said if not source.ends]
        left = states[0].span.quote
        if i in ledger.copied:
            found[i] = {"text": left, "reason": ""}
            continue
        stays = {word for s in ledger.facts[i].said for word in _words(_page_text(said, s.span.page_id, reach))}
        lost = {word for s in unsaid.lost[i] for word in _words(_page_text(said, s.span.page_id))}
        stays |= _words(" ".join(s.span.quote for s in ledger.facts[i].said))
        only = lost - stays
        if only & _words(texts[i]["text"] or ""):
            found[i] = {"text": left, "reason": ""}
        elif only & _words(texts[i]["reason"]):
            found[i] = {"reason": ""}
    return found


def _page_text(pages: Mapping[str, Row], page_id: str, reach: Reach | None = None) -> str:
    page = pages.get(page_id)
    if page is None or (reach and page_id in reach.gone.pages):
        return ""
    sides = [name for side, name in _SIDES.items() if not (reach and (page_id, side) in reach.gone.sides)]
    return "\n".join(page[name] for name in sides)


_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) | set(content_words(text))
