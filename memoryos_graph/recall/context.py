"""The parts of a prompt: recent turns, evidence, persona and what disagrees, within a budget of tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..context import Context
from ..contract import (
    ContextItem,
    ContextRequest,
    ContextResult,
    FactOut,
    Hit,
    MemoryConflict,
    SearchRequest,
    SearchResult,
    Source,
    TokenCounts,
)
from ..domain.claim import FactKind
from ..domain.fact import FactStatus
from ..domain.orders import reads_like_orders
from ..domain.page import Page, Side
from ..domain.validity import Moment
from ..llm.nearness import Nearness
from ..llm.parts import ORDER, Dispute, Item, Part, Passage, memory_text
from ..store.connection import Row, Tx
from ..store.facts import fact_of
from ..store.records import page_of
from . import search as searching
from .disputes import disputes
from .facts import ids_at, rows_of
from .packing import Packed, pack
from .strength import is_weak

PERSONA = (FactKind.PROFILE, FactKind.TRAIT, FactKind.ASSISTANT_TRAIT)
MOST_RECENT = 50
MOST_PERSONA = 200
MOST_QUOTES = 3
FRESH = 2  # recent turns that are wanted before anything that was found
MOST_CONFLICTS = 10
CONFLICT_TOKENS = 12
_SHOWN_SIDES = (Side.USER, Side.ASSISTANT, Side.TOOL)


@dataclass(frozen=True)
class Gathered:
    """A context with what an answer needs besides: the items, and the pages and facts that they are."""

    result: ContextResult
    items: list[Item]
    disputes: list[Dispute]
    pages: dict[str, Page]
    facts: dict[str, FactOut]


@dataclass(frozen=True)
class _Read:
    pages: dict[str, Page]
    tiers: dict[str, str]
    unanswered: set[str]
    recent: list[str]
    persona: list[str]
    facts: dict[str, FactOut]


async def context(ctx: Context, user_id: str, request: ContextRequest) -> ContextResult:
    """What a prompt about a question needs, without a call of a language model. One embedding, seven statements.

    Writes nothing; a visit is counted as by search. Raises ModelUnavailable.
    """
    return (await gather(ctx, user_id, request)).result


async def gather(ctx: Context, user_id: str, request: ContextRequest, *, without: str | None = None) -> Gathered:
    """The context of a question, without the page that asks it."""
    found = await searching.search(ctx, user_id, _search_request(request, without))
    hits = [hit for hit in found.hits if hit.kind in ("page", "fact") and hit.id != without][: request.top_k]
    moment = Moment.of(request.as_of, request.known_at, ctx.clock.now())

    async def read(tx: Tx) -> _Read:
        return await _read(ctx, tx, user_id, request, hits, moment, without)

    got = await ctx.store.read(user_id, read)
    return await asyncio.to_thread(_composed, ctx, request, found, hits, got)


def _search_request(request: ContextRequest, without: str | None) -> SearchRequest:
    """The search for evidence: everything of the user, one more than wanted if the asking page may be among it."""
    own = ("conversation_id", "assistant_id", "budget_tokens")
    given = {name: getattr(request, name) for name in SearchRequest.model_fields if name not in own}
    given["include"] = [what for what in request.include if what != "quarantined"]  # never in a prompt
    return SearchRequest(**given | {"top_k": min(200, request.top_k + (without is not None))})


async def _read(
    ctx: Context,
    tx: Tx,
    user_id: str,
    request: ContextRequest,
    hits: Sequence[Hit],
    moment: Moment | None,
    without: str | None,
) -> _Read:
    """Four statements."""
    now = ctx.clock.now()
    recent = await tx.run(
        "recent_pages",
        user_id=user_id,
        conversation_id=request.conversation_id,
        assistant_id=request.assistant_id,
        without=without or "",
        recorded_until=moment.known_at if moment else now,
        happened_until=moment.as_of if moment else None,
        limit=min(MOST_RECENT, ctx.settings.short_term_capacity),
    )
    found = await tx.run("context_pages", user_id=user_id, page_ids=[hit.id for hit in hits if hit.kind == "page"])
    persona = await _persona(tx, user_id, moment, ctx)
    fact_ids = dict.fromkeys([*persona, *(hit.id for hit in hits if hit.kind == "fact")])
    facts = [fact_of(row, moment) for row in await rows_of(tx, user_id, list(fact_ids), moment, now)]
    rows = {row["page"]["page_id"]: row["page"] for row in (*found, *recent)}
    return _Read(
        pages={page_id: page_of(row) for page_id, row in rows.items()},
        tiers={page_id: _tier(row) for page_id, row in rows.items()},
        unanswered={page_id for page_id, row in rows.items() if row.get("abstained")},
        recent=[row["page"]["page_id"] for row in recent],
        persona=persona,
        facts={fact.fact_id: fact for fact in facts},
    )


async def _persona(tx: Tx, user_id: str, moment: Moment | None, ctx: Context) -> list[str]:
    """Facts that are worth telling whatever is asked, the most important first."""
    kinds = [kind.value for kind in PERSONA]
    if moment:
        rows = await ids_at(tx, user_id, moment, kinds=kinds, limit=MOST_PERSONA)
    else:
        rows = await tx.run("persona_facts", user_id=user_id, kinds=kinds, now=ctx.clock.now(), limit=MOST_PERSONA)
    return [row["fact_id"] for row in rows]


def _tier(row: Row) -> str:
    return "stm" if row["tier"] == "stm" else "mtm"


def _composed(ctx: Context, request: ContextRequest, found: SearchResult, hits: Sequence[Hit], got: _Read) -> Gathered:
    near = Nearness(request.query)
    wanted = _wanted(hits, got)
    most = min(MOST_CONFLICTS, request.budget_tokens // (10 * CONFLICT_TOKENS))
    packed = pack(wanted, request.budget_tokens - CONFLICT_TOKENS * most, near, ctx.tokens)
    numbered = _numbered(packed, got)
    markers = {item.id: item.marker for item in numbered.values()}
    facts = [fact for fact_id, fact in got.facts.items() if fact_id in markers]
    pages = [_as_shown(page, numbered[page_id]) for page_id, page in got.pages.items() if page_id in markers]
    conflicts = disputes(facts, pages, markers, most)
    items = [item for part in ORDER for item in numbered.values() if item.part == part]
    told = [Dispute(tuple(one.markers), one.newest) for one in conflicts]
    text = memory_text(items, told)
    weak = is_weak(ctx.embedder.model_id, request.query, near, items)
    result = ContextResult(
        query=request.query,
        recent=_shown(packed, numbered, got.recent[::-1]),
        evidence=_shown(packed, numbered, [hit.id for hit in hits]),
        persona=_shown(packed, numbered, got.persona),
        conflicts=conflicts,
        weak=weak,
        tokens=_counts(ctx, request, packed, conflicts, text),
        cuts=packed.cuts,
        text=text,
        notes=list(found.notes),
        degraded=found.degraded,
    )
    return Gathered(result, items, told, got.pages, got.facts)


def _as_shown(page: Page, item: Item) -> Page:
    """The page with no more of the user's words than are shown: a long one would take the rules seconds."""
    said = next((passage.text for passage in item.passages if passage.side is Side.USER), "")
    return replace(page, user_input=said)


def _wanted(hits: Sequence[Hit], got: _Read) -> dict[Part, list[Item]]:
    """All that could be shown, each thing once, in the part that comes first in the prompt; most important first."""
    scored = {hit.id: (rank, hit) for rank, hit in enumerate(hits, start=1)}
    wanted: dict[Part, list[Item]] = {"persona": [], "evidence": [], "recent": []}
    recent, persona = set(got.recent), set(got.persona)
    for fact_id in got.persona:
        if fact_id in got.facts:
            wanted["persona"].append(_fact_item("persona", got.facts[fact_id], scored.get(fact_id)))
    for hit in hits:
        if hit.kind == "fact" and hit.id in got.facts and hit.id not in persona:
            wanted["evidence"].append(_fact_item("evidence", got.facts[hit.id], scored[hit.id]))
        elif hit.kind == "page" and hit.id in got.pages and hit.id not in recent:
            wanted["evidence"].append(_page_item("evidence", got, hit.id, scored[hit.id]))
    for page_id in sorted(got.recent, key=lambda one: _place(got.recent.index(one), scored.get(one))):
        wanted["recent"].append(_page_item("recent", got, page_id, scored.get(page_id)))
    return wanted


def _place(age: int, scored: tuple[int, Hit] | None) -> tuple[int, int]:
    """How soon a recent turn is wanted: the very newest, then those that were found, then by age."""
    if age < FRESH:
        return 0, age
    return (1, scored[0]) if scored else (2, age)


def _page_item(part: Part, got: _Read, page_id: str, scored: tuple[int, Hit] | None) -> Item:
    page = got.pages[page_id]
    passages = tuple(
        Passage(page.page_id, side, 0, len(text), text, page.event_time)
        for side in _SHOWN_SIDES
        if (text := page.side(side)).strip()
    )
    return Item(
        part=part,
        kind="page",
        id=page.page_id,
        tier="stm" if got.tiers[page_id] == "stm" else "mtm",
        said_at=page.event_time,
        passages=passages,
        orders=any(reads_like_orders(passage.text) for passage in passages),
        unanswered=page_id in got.unanswered,
        **_score(scored),
    )


def _fact_item(part: Part, fact: FactOut, scored: tuple[int, Hit] | None) -> Item:
    quotes = sorted(fact.sources, key=lambda source: (source.event_time, source.page_id), reverse=True)[:MOST_QUOTES]
    passages = tuple(Passage(q.page_id, q.side, q.start, q.end, q.quote, q.event_time) for q in quotes)
    return Item(
        part=part,
        kind="fact",
        id=fact.fact_id,
        tier="lpm",
        said_at=quotes[0].event_time if quotes else fact.valid_from,
        passages=passages,
        text=fact.text,
        orders=reads_like_orders(fact.text) or any(reads_like_orders(quote.quote) for quote in quotes),
        unsettled=fact.status is FactStatus.CONFLICTED,
        stale=fact.stale,
        past=fact.status in (FactStatus.SUPERSEDED, FactStatus.RETRACTED),
        level=fact.level,
        **_score(scored),
    )


def _score(scored: tuple[int, Hit] | None) -> dict[str, Any]:
    if scored is None:
        return {}
    rank, hit = scored
    return {"rank": rank, "score": hit.score, "similarity": hit.similarity, "parts": hit.parts}


def _numbered(packed: Packed, got: _Read) -> dict[str, Item]:
    """The items with their markers, in the order of the prompt: recent turns oldest first."""
    recent = sorted(packed.items["recent"], key=lambda item: -got.recent.index(item.id))
    order = [*packed.items["persona"], *packed.items["evidence"], *recent]
    return {item.id: replace(item, marker=number) for number, item in enumerate(order, start=1)}


def _shown(packed: Packed, items: Mapping[str, Item], ids: Iterable[str]) -> list[ContextItem]:
    return [_context_item(items[one], packed.tokens[one]) for one in ids if one in items]


def _context_item(item: Item, tokens: int) -> ContextItem:
    return ContextItem(
        marker=item.marker,
        kind=item.kind,
        id=item.id,
        tier=item.tier,
        text=item.text or item.words,
        tokens=tokens,
        shortened=item.shortened,
        event_time=item.said_at,
        score=item.score,
        similarity=item.similarity,
        parts=dict(item.parts),
        flags=[name for name, set_ in (("reads_like_orders", item.orders), ("stale", item.stale)) if set_],
        sources=[
            Source(
                page_id=p.page_id,
                side=p.side,
                quote=p.text,
                start=p.start,
                end=p.end,
                event_time=p.said_at,
                speaker=p.side,
            )
            for p in item.passages
        ],
    )


def _counts(
    ctx: Context, request: ContextRequest, packed: Packed, conflicts: Sequence[MemoryConflict], text: str
) -> TokenCounts:
    of_part = {part: sum(packed.tokens[item.id] for item in packed.items[part]) for part in ORDER}
    return TokenCounts(
        **of_part,
        conflicts=CONFLICT_TOKENS * len(conflicts),
        total=ctx.tokens.count(text),
        budget=request.budget_tokens,
        counted_by=ctx.tokens.name,
    )
