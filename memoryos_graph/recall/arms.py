"""The arms of a search: statements that gather candidates, and what each gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..contract import SearchRequest
from ..domain.page import Side
from ..domain.query import Query, Term, lucene, speakers
from ..store.connection import Row, Tx
from ..store.vectors import Model, Stage, ensure_model
from . import dates, fusion

SEEDS = 50  # pages of each arm whose neighbours are looked at
NEWEST = 40  # pages whose beginnings tell who speaks
WIDER = 8  # factor for asking a full-text index again


Span = tuple[Side, int, int]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A search, ready to be sent; computed before the transaction, which may run twice.

    `scope` is what the queries take (Scope.params), `echo` what the caller gave.
    """

    user_id: str
    user_key: str
    request: SearchRequest
    scope: Mapping[str, Any]
    echo: Mapping[str, Any]
    query: Query
    keywords: tuple[str, ...]
    vector: list[float]
    model: Model
    named: tuple[dates.Window, ...]
    weights: fusion.Weights
    limit: int

    @property
    def plain(self) -> bool:
        """Whether no filter, moment or segment is asked for: all arms are what is current."""
        return not self.scope["scoped"]

    @property
    def spans(self) -> list[dict[str, Any]]:
        """The times that the question names."""
        return [{"start": start, "end": end} for start, end in dates.spans(self.named)]

    @property
    def newest(self) -> int:
        """How many pages are looked at for who speaks."""
        return NEWEST if self.request.mode == "hybrid" else 0


@dataclass
class Gathered:
    """What the arms gave: `found` is what ranking needs, the rest is what people are told.
    `degraded`: some vectors are missing.

    `passages` are the best windows of long pages: side, start and end. `left_out` are the reasons by kind and id of
    what holds the question's words and is not shown; `facts_out` those of facts whatever their words, as far as all
    were looked at.
    """

    found: fusion.Found = field(default_factory=fusion.Found)
    names: frozenset[str] = frozenset()
    degraded: bool = False
    passages: dict[str, Span] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    left_out: dict[tuple[str, str], str] = field(default_factory=dict)
    facts_out: dict[str, str] = field(default_factory=dict)

    def leave_out(self, kind: str, rows: Iterable[Sequence[str]]) -> None:
        """Count ids, each with its reason."""
        self.left_out |= {(kind, row[0]): row[1] for row in rows}


async def near(tx: Tx, ask: Ask) -> Gathered:
    """Candidates by vector and by time, and the names that label who speaks.

    One statement, and a second where an index gave too few that may be read: never silently short.
    """
    row = await (_near_now if ask.plain else _near_scoped)(tx, ask)
    ensure_model(row["vectors"], ask.model)
    if row["short"]:
        row |= await _exact(tx, ask)
    gathered = Gathered(names=speakers(row["openings"]), degraded=row["vectors"]["reembed"] == Stage.CATCHING_UP)
    found = gathered.found
    take_pages(found, row["pages"])
    take_passages(gathered, row["passages"])
    fusion.note_all(found, map(_note, row["dated"]))
    found.near_vector = {page[0]: page[4] for page in row["dated"]}
    found.fact_vector = _take_facts(gathered, row["facts"])
    gathered.facts_out = {fact[0]: fact[2] for fact in row["facts"] if fact[2] is not None}
    _take_segments(found, row["segments"])
    gathered.leave_out("segment", row["segments_left_out"])
    return gathered


async def gate(tx: Tx, ask: Ask, segment_ids: Sequence[str]) -> list[list[Any]]:
    """The pages of these segments that are nearest by vector. One statement."""
    row = await tx.one(
        "search_gate",
        user_id=ask.user_id,
        vector=ask.vector,
        limit=ask.limit,
        scope=ask.scope,
        segment_ids=list(segment_ids),
    )
    return list(row["pages"]) if row else []


async def words(tx: Tx, ask: Ask, gathered: Gathered, terms: Sequence[Term]) -> None:
    """Candidates by words, and what stands beside the best so far.

    One statement; asks again, wider, while an index gives as many as it may and too few of them may be read.
    """
    found = gathered.found
    text = lucene(ask.user_key, terms)
    limit = ask.limit
    row = await _ask_words(tx, ask, found, text, limit)
    while _short(ask, gathered, row, limit):
        limit *= WIDER
        row = await _ask_words(tx, ask, found, text, limit)
    fusion.note_all(found, map(_note, [*row["pages"], *row["neighbours"]]))
    found.text = {page[0]: page[4] for page in row["pages"]}
    found.sessions = dict(row["sessions"])
    gathered.leave_out("page", row["pages_left_out"])
    _take_fact_words(ask, gathered, row["facts"])
    for neighbour in row["neighbours"]:
        found.near_vector.setdefault(neighbour[0], neighbour[4])
        found.link(neighbour[0], neighbour[5], neighbour[6])


def take_pages(found: fusion.Found, rows: Sequence[Sequence[Any]]) -> None:
    """Make these pages the candidates by vector."""
    fusion.note_all(found, map(_note, rows))
    found.vector = {page[0]: page[4] for page in rows}


def take_passages(gathered: Gathered, rows: Sequence[Sequence[Any]]) -> None:
    """A long page is as near as the nearest of its own vector and those of its passages."""
    found = gathered.found
    fusion.note_all(found, map(_note, rows))
    for page_id, _, _, _, score, side, start, end in sorted(rows, key=lambda row: (-row[4], row[0], row[5:])):
        if page_id not in gathered.passages:
            gathered.passages[page_id] = (side, start, end)
            found.passage[page_id] = score
            found.vector[page_id] = max(found.vector.get(page_id, 0.0), score)


async def _near_now(tx: Tx, ask: Ask) -> Row:
    row = await tx.one(
        "search_near",
        user_id=ask.user_id,
        vector=ask.vector,
        limit=ask.limit,
        now=ask.scope["now"],
        spans=ask.spans,
        newest=ask.newest,
    )
    assert row is not None, "the query returns one row"
    return row


async def _near_scoped(tx: Tx, ask: Ask) -> Row:
    row = await tx.one(
        "search_near_scoped",
        user_id=ask.user_id,
        vector=ask.vector,
        limit=ask.limit,
        scope=ask.scope,
        keywords=list(ask.keywords),
        spans=ask.spans,
        newest=ask.newest,
    )
    assert row is not None, "the query returns one row"
    return row


async def _exact(tx: Tx, ask: Ask) -> Row:
    row = await tx.one("search_near_exact", user_id=ask.user_id, vector=ask.vector, limit=ask.limit, scope=ask.scope)
    assert row is not None, "the query returns one row"
    return row


async def _ask_words(tx: Tx, ask: Ask, found: fusion.Found, text: str | None, limit: int) -> Row:
    row = await tx.one(
        "search_words",
        user_id=ask.user_id,
        vector=ask.vector,
        scope=ask.scope,
        queries=[text] if text else [],
        limit=limit,
        seeds=fusion.seeds(found, SEEDS),
        n_seeds=SEEDS,
    )
    assert row is not None, "the query returns one row"
    return row


def _short(ask: Ask, gathered: Gathered, row: Row, limit: int) -> bool:
    """Whether an index was asked for too few: it may hold more, and fewer than wanted may be read."""
    facts = sum(1 for fact in row["facts"] if _why_not(ask, gathered, fact) is None)
    pages = len(row["pages"])
    return any(given == limit > kept < ask.limit for given, kept in ((row["n_pages"], pages), (row["n_facts"], facts)))


def _why_not(ask: Ask, gathered: Gathered, fact: Sequence[Any]) -> str | None:
    """Why a fact is left out: as the statement says, or where all facts were looked at, as was found there."""
    if ask.plain:
        reason: str | None = fact[2]
        return reason
    known = fact[0] in gathered.found.fact_pages
    return None if known else gathered.facts_out.get(fact[0], "hidden")


def _take_fact_words(ask: Ask, gathered: Gathered, rows: Sequence[Sequence[Any]]) -> None:
    reasons = {row[0]: _why_not(ask, gathered, row) for row in rows}
    within = [row for row in rows if reasons[row[0]] is None]
    if ask.plain:
        _take_facts(gathered, within)
    gathered.found.fact_text = {row[0]: row[1] for row in within}
    gathered.leave_out("fact", [(key, why) for key, why in reasons.items() if why and why != "hidden"])


def _take_facts(gathered: Gathered, rows: Sequence[Sequence[Any]]) -> dict[str, float]:
    found = gathered.found
    within = [row for row in rows if row[2] is None]
    for fact_id, _, _, state, pages in within:
        fusion.note_all(found, map(_note, pages))
        found.fact_pages[fact_id] = [page[0] for page in pages if page[4]]
        found.replaced_pages[fact_id] = [page[0] for page in pages if not page[4]]
        gathered.states[fact_id] = state
    return {row[0]: row[1] for row in within}


def _take_segments(found: fusion.Found, rows: Sequence[Sequence[Any]]) -> None:
    for segment_id, score, overlap, page_ids in rows:
        found.segment_vector[segment_id] = score
        found.segment_words[segment_id] = overlap
        for page_id in page_ids:
            found.page_segments.setdefault(page_id, []).append(segment_id)


def _note(page: Sequence[Any]) -> fusion.PageNote:
    return fusion.PageNote(page[0], page[1], page[2], page[3] or 0.0)
