"""Search: what one user's memory holds about a question, best first, with the parts of every score and its sources.

scope.py     what may be found
arms.py      candidates, by statements
fusion.py    one ranking out of them; gate.py is the published way instead
showing.py   texts and sources of the best, what was suppressed
explain.py   the numbers behind it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..contract import SearchRequest, SearchResult
from ..domain.query import Query, Term, understand, without_names
from ..domain.segment import mean_vector
from ..llm.keywords import keywords
from ..store.connection import Tx
from ..store.vectors import Model
from . import arms, dates, fusion, gate
from .explain import explain
from .scope import Scope
from .showing import Shown, show

CANDIDATES = 200  # of each arm; the exact top 10 of an index are in its first 50 (neo4j.md 3)
FOREIGN_SHARE = 0.5  # a question with fewer Latin letters is foreign to a model that reads only English
ENGLISH_MODELS = ("all-minilm-l6", "all-minilm-l12", "all-mpnet-base", "bge-small-en", "bge-base-en", "bge-large-en")
FOREIGN = fusion.Weights(vector=0.2, text=0.8)


async def search(ctx: Context, user_id: str, request: SearchRequest) -> SearchResult:
    """Find pages, facts and segments of one user by vectors, words, times, sessions and neighbours.

    By default only what is current is found: no archived or hidden pages, no facts that were replaced or withdrawn.
    Cost: one embedding, three statements, no language model; more statements only where an index gave too few that may
    be read. Writes nothing; the segments of returned pages are noted in `ctx.visits`.
    Raises ModelUnavailable, ModelChanged.
    Source: retrieval.md 2; `mode` "flat" is the baseline there.
    """
    query = understand(request.query)
    scope = Scope(request, ctx.clock.now())
    if query.wordless:
        notes = ["the query has no words: nothing was searched"]
        return SearchResult(query=request.query, hits=[], notes=notes, suppressed={}, scope=scope.shown)
    ask = await _ask(ctx, user_id, scope, query)

    async def read(tx: Tx) -> _Answer:
        return await _find(ctx, tx, ask)

    answer = await ctx.store.read(user_id, read)
    if answer.shown.segment_ids:
        ctx.visits.add(user_id, answer.shown.segment_ids, ctx.clock.now())
    return SearchResult(
        query=request.query,
        hits=answer.shown.hits,
        notes=answer.notes,
        degraded=answer.degraded,
        suppressed=answer.shown.suppressed,
        scope=scope.shown,
        explain=answer.explain if request.explain else None,
    )


@dataclass(frozen=True)
class _Answer:
    shown: Shown
    notes: list[str]
    explain: dict[str, Any]
    degraded: bool


async def _ask(ctx: Context, user_id: str, scope: Scope, query: Query) -> arms.Ask:
    request = scope.request
    weights = _weights(ctx.embedder.model_id, query)
    by_segments = request.mode == "memoryos" or "segment" in request.kinds or weights.segment > 0
    return arms.Ask(
        user_id=user_id,
        user_key=ctx.secret.user_key(user_id),
        request=request,
        scope=scope.params(pages=request.mode != "memoryos", segments=request.top_m if by_segments else 0),
        echo=scope.shown.model_dump(mode="json"),
        query=query,
        keywords=keywords(request.query) if by_segments else (),
        model=Model(ctx.embedder.model_id, ctx.embedder.dimension),
        vector=await _vector(ctx, request, query),
        named=dates.windows(request.query, scope.then) if request.mode == "hybrid" else (),
        weights=weights,
        limit=max(CANDIDATES, 2 * request.top_k),
    )


async def _vector(ctx: Context, request: SearchRequest, query: Query) -> list[float]:
    """The question's vector; in the whole recipe half of it is that of its subject, in the same call of the model."""
    texts = [request.query]
    if request.mode == "hybrid" and query.subject:
        texts.append(query.subject)
    vectors = await ctx.embedder.embed(texts, "query")
    return mean_vector(vectors) if len(vectors) > 1 else vectors[0]


def _weights(model_id: str, query: Query) -> fusion.Weights:
    """Vectors count less where the model does not know the script. Source: retrieval.md 4, where .5 costs .07."""
    english_only = any(name in model_id.lower() for name in ENGLISH_MODELS)
    return FOREIGN if english_only and query.latin < FOREIGN_SHARE else fusion.Weights()


async def _find(ctx: Context, tx: Tx, ask: arms.Ask) -> _Answer:
    gathered = await arms.near(tx, ask)
    terms: tuple[Term, ...] = ()
    notes: list[str] = []
    if ask.request.mode == "hybrid":
        terms = without_names(ask.query.terms, gathered.names)
        if not terms:
            notes.append("the query has only stop words: words were not searched")
        await arms.words(tx, ask, gathered, terms)
        ranked = fusion.rank(
            gathered.found,
            ask.weights if terms else fusion.Weights(vector=1, text=0),
            date_match=dates.matcher(ask.named),
            asks_when=ask.query.asks_when,
        )
    else:
        if ask.request.mode == "memoryos":
            await gate.through_gate(tx, ask, gathered)
        ranked = gate.rank(gathered.found)
    if gathered.degraded:
        notes.append("the embedding model is being changed: what has no vector of the new one is found by its words")
    shown = await show(ctx, tx, ask, gathered, ranked)
    return _Answer(shown, notes, explain(ask, gathered, terms, shown), gathered.degraded)
