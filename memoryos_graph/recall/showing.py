"""The chosen as people see them: texts, sources, and the numbers behind the ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..context import Context
from ..contract import Hit, Passage, SearchRequest, Source
from ..domain.heat import heat
from ..domain.page import Side, page_text
from ..llm.keywords import stem
from ..store.connection import Row, Tx
from ..store.records import unquarantined
from . import arms, fusion
from .rereading import DEPTH, Question, Reading, reread


@dataclass(frozen=True)
class Shown:
    """The hits, what was suppressed, counted by reason, and the segments that the pages belong to."""

    hits: list[Hit]
    suppressed: dict[str, int]
    segment_ids: set[str]


async def show(ctx: Context, tx: Tx, ask: arms.Ask, gathered: arms.Gathered, ranked: Sequence[fusion.Ranked]) -> Shown:
    """The best with text and sources, read once more in the whole recipe, as far as they fit the budget.

    One statement, or none.
    """
    chosen = _best(ask.request, ranked, at_least=DEPTH if ask.request.mode == "hybrid" else 0)
    rows: dict[str, list[Row]] = {"pages": [], "facts": [], "segments": []}
    if chosen:
        row = await tx.one(
            "search_hits",
            user_id=ask.user_id,
            vector=ask.vector,
            scope=ask.scope,
            page_ids=[r.id for r in chosen if r.kind == "page"],
            fact_ids=[r.id for r in chosen if r.kind == "fact"],
            segment_ids=[r.id for r in chosen if r.kind == "segment"],
        )
        rows = row or rows
    if "quarantined" not in ask.request.include:
        rows = _without_orders(rows)
    if ask.request.mode == "hybrid":
        chosen = reread(chosen, _readings(rows), Question.of(ask.query, gathered.names, ask.request.query), stem)
    chosen = _best(ask.request, chosen)
    hits, over = _within_budget(ctx, list(_hits(ctx, gathered, chosen, rows)), ask.request.budget_tokens)
    shown = {hit.id for hit in hits}
    return Shown(
        hits=hits,
        suppressed=_suppressed(ask, gathered, [f for f in rows["facts"] if f["fact_id"] in shown], over),
        segment_ids={s for page in rows["pages"] if page["page_id"] in shown for s in page["segment_ids"]},
    )


def _without_orders(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """The rows without the sides of pages that are in quarantine."""
    pages = [
        unquarantined(page) | {beside: [unquarantined(one) for one in page[beside]] for beside in ("before", "after")}
        for page in rows["pages"]
    ]
    segments = [row | {"pages": [unquarantined(page) for page in row["pages"]]} for row in rows["segments"]]
    return {"pages": pages, "facts": list(rows["facts"]), "segments": segments}


def _best(request: SearchRequest, ranked: Sequence[fusion.Ranked], at_least: int = 0) -> list[fusion.Ranked]:
    """The first `top_k` pages and facts and the first `top_m` segments, of the kinds asked for, in their order."""
    wanted = [r for r in ranked if r.kind in request.kinds]
    chosen = [r for r in wanted if r.kind != "segment"][: max(request.top_k, at_least)]
    chosen += [r for r in wanted if r.kind == "segment"][: request.top_m]
    return sorted(chosen, key=lambda r: (-r.score, r.kind, r.id))


def _readings(rows: Mapping[str, Sequence[Row]]) -> dict[str, Reading]:
    pages = {page["page_id"]: _reading(page) for page in rows["pages"]}
    return pages | {fact["fact_id"]: _fact_reading(fact) for fact in rows["facts"]}


def _reading(page: Row) -> Reading:
    return Reading(
        user=page["user_input"] or "",
        text=_said(page),
        before=next(map(_said, page["before"]), ""),
        after=next(map(_said, page["after"]), ""),
    )


def _fact_reading(fact: Row) -> Reading:
    quotes = "\n".join(source["quote"] for source in fact["sources"])
    return Reading(user=quotes, text=f"{fact['text']}\n{quotes}", condensed=True)


def _said(page: Row) -> str:
    return page_text(page["user_input"], page["assistant_response"])


def _hits(
    ctx: Context, gathered: arms.Gathered, chosen: Sequence[fusion.Ranked], rows: Mapping[str, Sequence[Row]]
) -> Iterator[Hit]:
    pages = {page["page_id"]: page for page in rows["pages"]}
    facts = {fact["fact_id"]: fact for fact in rows["facts"]}
    segments = {segment["segment_id"]: segment for segment in rows["segments"]}
    similar = _similarities(gathered.found)
    for r in chosen:
        if r.kind == "page" and r.id in pages:
            yield _page_hit(r, pages[r.id], similar.get(r.id), gathered.passages.get(r.id))
        elif r.kind == "fact" and r.id in facts:
            yield _fact_hit(r, facts[r.id], similar.get(r.id), gathered.states[r.id])
        elif r.kind == "segment" and r.id in segments:
            yield _segment_hit(ctx, r, segments[r.id], similar.get(r.id))


def _similarities(found: fusion.Found) -> dict[str, float]:
    """Cosines by id, of what has a vector: the statements give (1 + cosine) / 2, and 0 where there is none yet."""
    scores = found.near_vector | found.vector | found.fact_vector | found.segment_vector
    return {key: round(2 * score - 1, 4) for key, score in scores.items() if score > 0}


def _page_hit(ranked: fusion.Ranked, page: Row, similarity: float | None, span: arms.Span | None) -> Hit:
    return _hit(
        ranked,
        similarity,
        page["event_time"],
        tier=page["tier"],
        text="\n".join(said for _, said in _sides(page)),
        sources=_whole(page),
        passage=_passage(page, *span) if span else None,
    )


def _passage(page: Row, side: Side, start: int, end: int) -> Passage | None:
    """The words of a passage, by its offsets into the stored side."""
    text = dict(_sides(page)).get(side, "")[start:end]
    return Passage(side=side, start=start, end=end, text=text) if text else None


def _fact_hit(ranked: fusion.Ranked, fact: Row, similarity: float | None, state: str) -> Hit:
    sources = sorted((Source(**s) for s in fact["sources"]), key=lambda s: (s.event_time, s.page_id, s.start))
    at = sources[0].event_time if sources else fact["valid_from"]
    return _hit(ranked, similarity, at, tier="lpm", text=fact["text"], sources=sources, status=state)


def _segment_hit(ctx: Context, ranked: fusion.Ranked, segment: Row, similarity: float | None) -> Hit:
    warmth = heat(
        ctx.settings.heat_weights,
        n_visit=segment["n_visit"],
        l_interaction=segment["l_interaction"],
        last_visit_at=segment["last_visit_at"],
        newest_event_at=segment["newest_event_at"],
        now=ctx.clock.now(),
    )
    return _hit(
        ranked,
        similarity,
        segment["newest_event_at"],
        tier="mtm",
        text=segment["summary"],
        sources=[source for page in segment["pages"] for source in _whole(page)],
        keywords=segment["keywords"],
        heat=warmth.total,
    )


def _hit(ranked: fusion.Ranked, similarity: float | None, at: datetime, **rest: Any) -> Hit:
    return Hit(
        id=ranked.id,
        kind=ranked.kind,
        score=ranked.score,
        similarity=similarity,
        parts=ranked.parts,
        event_time=at,
        **rest,
    )


def _sides(page: Row) -> list[tuple[Side, str]]:
    sides = (
        (Side.USER, page["user_input"]),
        (Side.ASSISTANT, page["assistant_response"]),
        (Side.TOOL, page["tool_text"]),
    )
    return [(side, text) for side, text in sides if text]


def _whole(page: Row) -> list[Source]:
    """Each side of a page as a source."""
    return [
        Source(
            page_id=page["page_id"],
            side=side,
            quote=text,
            start=0,
            end=len(text),
            event_time=page["event_time"],
            speaker=side,
        )
        for side, text in _sides(page)
    ]


def _within_budget(ctx: Context, hits: list[Hit], budget: int | None) -> tuple[list[Hit], int]:
    """The hits whose texts fit, best first, and how many don't; a short one may fit where a longer one did not."""
    if budget is None:
        return hits, 0
    kept = []
    for hit in hits:
        cost = ctx.tokens.count(hit.text)
        if cost <= budget:
            kept.append(hit)
            budget -= cost
    return kept, len(hits) - len(kept)


def _suppressed(ask: arms.Ask, gathered: arms.Gathered, facts: Sequence[Row], over: int) -> dict[str, int]:
    """By reason: what holds the question's words, and what facts among the hits replaced."""
    left_out = dict(gathered.left_out)
    for fact in facts:
        for fact_id, state in fact["replaced"]:
            reason = state if ask.plain else gathered.facts_out.get(fact_id)
            if reason is not None:
                left_out.setdefault(("fact", fact_id), reason)
    counts = Counter(why for (kind, _), why in left_out.items() if kind in ask.request.kinds)
    if over:
        counts["over_budget"] = over
    return dict(sorted(counts.items()))
