"""Search: what one user's memory holds about a question, best first, with the parts of every score and its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..context import Context
from ..contract import Hit, SearchRequest, SearchResult, Source
from ..domain.page import Side
from ..store.connection import Row, Tx
from ..store.vectors import Model, Stage, ensure_model
from . import dates, fusion
from .query import Query, Term, lucene, speakers, understand, without_names

CANDIDATES = 200  # of each arm; the exact top 10 of an index are in its first 50 (neo4j.md 3)
SEEDS = 50  # pages of each arm whose neighbours are looked at
NEWEST = 40  # pages whose beginnings tell who speaks
WIDER = 8  # factor for asking a full-text index again
FOREIGN_SHARE = 0.5  # a question with fewer Latin letters is foreign to a model that reads only English
ENGLISH_MODELS = ("all-minilm-l6", "all-minilm-l12", "all-mpnet-base", "bge-small-en", "bge-base-en", "bge-large-en")
FOREIGN = fusion.Weights(vector=0.2, text=0.8)


async def search(ctx: Context, user_id: str, request: SearchRequest) -> SearchResult:
    """Find pages and facts of one user by vectors, words, times, sessions and neighbours.

    Only what is current is found: no archived or hidden pages, no facts that were replaced or withdrawn.
    Cost: one embedding, three statements, no language model; more statements only where an index gave too few that may
    be read. Writes nothing; the segments of returned pages are noted in `ctx.visits`.
    Raises ModelUnavailable, ModelChanged.
    Source: retrieval.md 2; `mode` "flat" is the baseline there.
    """
    query = understand(request.query)
    if query.wordless:
        return SearchResult(query=request.query, hits=[], notes=["the query has no words: nothing was searched"])
    vector = (await ctx.embedder.embed([request.query], "query"))[0]
    named = dates.windows(request.query, ctx.clock.now()) if request.mode == "hybrid" else ()
    ask = _Ask(
        user_id=user_id,
        user_key=ctx.secret.user_key(user_id),
        request=request,
        query=query,
        vector=vector,
        model=Model(ctx.embedder.model_id, ctx.embedder.dimension),
        named=named,
        weights=_weights(ctx.embedder.model_id, query),
        limit=max(CANDIDATES, 2 * request.top_k),
    )

    async def read(tx: Tx) -> _Answer:
        return await _find(tx, ask)

    answer = await ctx.store.read(user_id, read)
    if answer.segment_ids:
        ctx.visits.add(user_id, answer.segment_ids, ctx.clock.now())
    return SearchResult(
        query=request.query,
        hits=answer.hits,
        notes=answer.notes,
        degraded=answer.degraded,
        explain=answer.explain if request.explain else None,
    )


@dataclass(frozen=True, kw_only=True)
class _Ask:
    """A search, ready to be sent; computed before the transaction, which may run twice."""

    user_id: str
    user_key: str
    request: SearchRequest
    query: Query
    vector: list[float]
    model: Model
    named: tuple[dates.Window, ...]
    weights: fusion.Weights
    limit: int


@dataclass(frozen=True)
class _Answer:
    hits: list[Hit]
    notes: list[str]
    segment_ids: set[str]
    explain: dict[str, Any]
    degraded: bool


def _weights(model_id: str, query: Query) -> fusion.Weights:
    """Vectors count less where the model does not know the script. Source: retrieval.md 4, where .5 costs .07."""
    english_only = any(name in model_id.lower() for name in ENGLISH_MODELS)
    return FOREIGN if english_only and query.latin < FOREIGN_SHARE else fusion.Weights()


async def _find(tx: Tx, ask: _Ask) -> _Answer:
    found = fusion.Found()
    names, degraded = await _near(tx, ask, found)
    terms: tuple[Term, ...] = ()
    if ask.request.mode == "flat":
        ranked = fusion.rank_flat(found)
    else:
        terms = without_names(ask.query.terms, names)
        await _words(tx, ask, found, terms)
        ranked = fusion.rank(
            found,
            ask.weights if terms else fusion.Weights(vector=1, text=0),
            date_match=dates.matcher(ask.named),
            asks_when=ask.query.asks_when,
        )
    chosen = [r for r in ranked if r.kind in ask.request.kinds][: ask.request.top_k]
    hits, segment_ids = await _show(tx, ask.user_id, chosen, _similarities(found))
    notes = [] if terms or ask.request.mode == "flat" else ["the query has only stop words: words were not searched"]
    if degraded:
        notes.append("the embedding model is being changed: what has no vector of the new one is found by its words")
    return _Answer(hits, notes, segment_ids, _explain(ask, found, names, terms), degraded)


async def _near(tx: Tx, ask: _Ask, found: fusion.Found) -> tuple[frozenset[str], bool]:
    """Candidates by vector and by time. Gives the names that label who speaks, and whether vectors are missing."""
    row = await tx.one(
        "search_near",
        user_id=ask.user_id,
        vector=ask.vector,
        limit=ask.limit,
        spans=[{"start": start, "end": end} for start, end in dates.spans(ask.named)],
        newest=NEWEST if ask.request.mode == "hybrid" else 0,
    )
    assert row is not None, "the query returns one row"
    ensure_model(row["vectors"], ask.model)
    if row["short"]:
        row |= await tx.one("search_near_exact", user_id=ask.user_id, vector=ask.vector, limit=ask.limit) or {}
    fusion.note_all(found, map(_note, [*row["pages"], *row["dated"]]))
    found.vector = {page[0]: page[4] for page in row["pages"]}
    found.near_vector = {page[0]: page[4] for page in row["dated"]}
    found.fact_vector = _take_facts(found, row["facts"])
    return speakers(row["openings"]), row["vectors"]["reembed"] == Stage.CATCHING_UP


async def _words(tx: Tx, ask: _Ask, found: fusion.Found, terms: Sequence[Term]) -> None:
    """Candidates by words, and the neighbours of the best so far.

    Asks again, wider, while the index gives as many as it may and some of them may not be read: never silently short.
    """
    text = lucene(ask.user_key, terms)
    row = await _ask_words(tx, ask, found, text, ask.limit)
    limit = ask.limit
    while row["full"]:
        limit *= WIDER
        row = await _ask_words(tx, ask, found, text, limit)
    fusion.note_all(found, map(_note, [*row["pages"], *row["neighbours"]]))
    found.text = {page[0]: page[4] for page in row["pages"]}
    found.sessions = dict(row["sessions"])
    found.fact_text = _take_facts(found, row["facts"])
    for neighbour in row["neighbours"]:
        found.near_vector.setdefault(neighbour[0], neighbour[4])
        found.link(neighbour[0], neighbour[5])


async def _ask_words(tx: Tx, ask: _Ask, found: fusion.Found, text: str | None, limit: int) -> Row:
    row = await tx.one(
        "search_words",
        user_id=ask.user_id,
        vector=ask.vector,
        queries=[text] if text else [],
        limit=limit,
        seeds=fusion.seeds(found, SEEDS),
        n_seeds=SEEDS,
    )
    assert row is not None, "the query returns one row"
    return row


def _take_facts(found: fusion.Found, rows: Sequence[Sequence[Any]]) -> dict[str, float]:
    for fact_id, _, pages in rows:
        fusion.note_all(found, map(_note, pages))
        found.fact_pages[fact_id] = [page[0] for page in pages if page[4]]
        found.replaced_pages[fact_id] = [page[0] for page in pages if not page[4]]
    return {row[0]: row[1] for row in rows}


def _note(page: Sequence[Any]) -> fusion.PageNote:
    return fusion.PageNote(page[0], page[1], page[2], page[3] or 0.0)


def _similarities(found: fusion.Found) -> dict[str, float]:
    """Cosines by id, of what has a vector: the statements give (1 + cosine) / 2, and 0 where there is none yet."""
    scores = found.near_vector | found.vector | found.fact_vector
    return {key: round(2 * score - 1, 4) for key, score in scores.items() if score > 0}


async def _show(
    tx: Tx, user_id: str, chosen: Sequence[fusion.Ranked], similarities: Mapping[str, float]
) -> tuple[list[Hit], set[str]]:
    """The chosen with text and sources, in their order, and the segments that the pages belong to."""
    if not chosen:
        return [], set()
    ids = {kind: [r.id for r in chosen if r.kind == kind] for kind in ("page", "fact")}
    row = await tx.one("search_hits", user_id=user_id, page_ids=ids["page"], fact_ids=ids["fact"])
    assert row is not None, "the query returns one row"
    pages = {page["page_id"]: page for page in row["pages"]}
    facts = {fact["fact_id"]: fact for fact in row["facts"]}
    hits = []
    for r in chosen:
        if r.kind == "page" and r.id in pages:
            hits.append(_page_hit(r, pages[r.id], similarities.get(r.id)))
        elif r.kind == "fact" and r.id in facts:
            hits.append(_fact_hit(r, facts[r.id], similarities.get(r.id)))
    return hits, {segment_id for page in row["pages"] for segment_id in page["segment_ids"]}


def _page_hit(ranked: fusion.Ranked, page: Row, similarity: float | None) -> Hit:
    at = page["event_time"]
    sides = (
        (Side.USER, page["user_input"]),
        (Side.ASSISTANT, page["assistant_response"]),
        (Side.TOOL, page["tool_text"]),
    )
    sources = [
        Source(page_id=ranked.id, side=side, quote=text, start=0, end=len(text), event_time=at, speaker=side)
        for side, text in sides
        if text
    ]
    return _hit(ranked, "\n".join(text for _, text in sides if text), at, sources, similarity)


def _fact_hit(ranked: fusion.Ranked, fact: Row, similarity: float | None) -> Hit:
    sources = sorted((Source(**s) for s in fact["sources"]), key=lambda s: (s.event_time, s.page_id, s.start))
    return _hit(ranked, fact["text"], sources[0].event_time if sources else fact["valid_from"], sources, similarity)


def _hit(ranked: fusion.Ranked, text: str, at: datetime, sources: list[Source], similarity: float | None) -> Hit:
    return Hit(
        id=ranked.id,
        kind="page" if ranked.kind == "page" else "fact",
        text=text,
        score=ranked.score,
        similarity=similarity,
        parts=ranked.parts,
        event_time=at,
        sources=sources,
    )


def _explain(ask: _Ask, found: fusion.Found, names: frozenset[str], terms: Sequence[Term]) -> dict[str, Any]:
    return {
        "mode": ask.request.mode,
        "terms": [term.word for term in terms],
        "names_left_out": sorted(names & {term.word for term in ask.query.terms} - {term.word for term in terms}),
        "asks_when": ask.query.asks_when,
        "windows": [[w.start.isoformat(), w.end.isoformat(), w.weight] for w in ask.named],
        "weights": vars(ask.weights),
        "candidates": {
            "vector": len(found.vector),
            "text": len(found.text),
            "sessions": len(found.sessions),
            "facts": len(found.fact_pages),
            "pages": len(found.notes),
        },
    }
