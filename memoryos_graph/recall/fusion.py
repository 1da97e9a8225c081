"""One ranking out of what the arms of a search found. Pure; every score is the sum of its named parts.

Source: retrieval.md 2. Scores are scaled by the best of their own arm: neither min-max over a limited list, which would
depend on the limit, nor reciprocal ranks, which cost .06 @5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

NEAR = 0.25  # a lower cosine is that of texts that have nothing to do with each other

Kind = Literal["page", "fact", "segment"]


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each part counts; `behind` is what its pages lend a fact. All optima are flat.

    They are tuned together with what is added by rereading.py.
    """

    vector: float = 0.6
    text: float = 0.44
    fact: float = 0.23
    neighbour: float = 0.245
    behind: float = 0.3
    continues: float = 0.1
    segment: float = 0.0
    date: float = 1.28
    time_words: float = 0.235
    session: float = 0.16


@dataclass(frozen=True)
class PageNote:
    """What ranking needs to know of a page. `at` is its event time in seconds since 1970."""

    page_id: str
    session_id: str
    at: int
    time_words: float


@dataclass
class Found:
    """What the arms found: raw scores by id. Similarities are Neo4j's (1 + cosine) / 2, text scores Lucene's.

    `vector` is the best of a page and its passages, `passage` that of the passages alone. `fact_pages` are the pages
    that a fact is derived from, `replaced_pages` those of the facts it replaced, `neighbours` the pages beside a page
    in its session, `continued` those it continues or that continue it. `segment_words` is the overlap of keywords, 0
    to 1; `page_segments` names the near segments that a page is in.
    """

    notes: dict[str, PageNote] = field(default_factory=dict)
    vector: dict[str, float] = field(default_factory=dict)
    passage: dict[str, float] = field(default_factory=dict)
    near_vector: dict[str, float] = field(default_factory=dict)
    text: dict[str, float] = field(default_factory=dict)
    sessions: dict[str, float] = field(default_factory=dict)
    fact_vector: dict[str, float] = field(default_factory=dict)
    fact_text: dict[str, float] = field(default_factory=dict)
    fact_pages: dict[str, list[str]] = field(default_factory=dict)
    replaced_pages: dict[str, list[str]] = field(default_factory=dict)
    neighbours: dict[str, set[str]] = field(default_factory=dict)
    continued: dict[str, set[str]] = field(default_factory=dict)
    segment_vector: dict[str, float] = field(default_factory=dict)
    segment_words: dict[str, float] = field(default_factory=dict)
    page_segments: dict[str, list[str]] = field(default_factory=dict)

    def link(self, page_id: str, other_id: str, relationship: str = "NEXT") -> None:
        """Note that two pages stand beside each other, or that one continues the other (CONTINUES)."""
        beside = self.neighbours if relationship == "NEXT" else self.continued
        beside.setdefault(page_id, set()).add(other_id)
        beside.setdefault(other_id, set()).add(page_id)


@dataclass(frozen=True)
class Ranked:
    """One result with the parts of its score; parts that add nothing are left out."""

    kind: Kind
    id: str
    parts: dict[str, float]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())


class Similarity:
    """Cosine over the best cosine. What the arm did not return counts as its lowest: it can't be nearer than that.

    Where nothing is near, the best is not blown up: the words then decide.
    """

    def __init__(self, scores: Mapping[str, float], best: float | None = None) -> None:
        self.best = max(NEAR, best or max((2 * s - 1 for s in scores.values()), default=0.0))
        self._scaled = {key: self.scale(score) for key, score in scores.items()}
        self._floor = min(self._scaled.values(), default=0.0)

    def scale(self, score: float) -> float:
        """A raw score of the same question vector on this scale."""
        return max(0.0, 2 * score - 1) / self.best

    def add(self, scores: Mapping[str, float]) -> None:
        """Take in scores measured apart from the arm; they leave its floor alone."""
        self._scaled |= {key: self.scale(score) for key, score in scores.items() if key not in self._scaled}

    def __getitem__(self, key: str) -> float:
        return self._scaled.get(key, self._floor)


class TextScore:
    """Score over the best score; what was not returned counts as 0."""

    def __init__(self, scores: Mapping[str, float], best: float | None = None) -> None:
        self._scores = scores
        self._best = best or max(scores.values(), default=0.0)

    def __getitem__(self, key: str) -> float:
        return self._scores.get(key, 0.0) / self._best if self._best > 0 else 0.0


def rank(
    found: Found,
    weights: Weights,
    *,
    date_match: Callable[[int], float],
    asks_when: bool,
) -> list[Ranked]:
    """All that was found, best first. `date_match` says how well a time fits the question, 0 to 1."""
    facts = FactScores(found, weights)
    segments = Similarity(found.segment_vector, _best_cosine(found.vector, found.segment_vector))
    pages = PageScores(found, weights, facts, segments)
    ranked = [pages.ranked(note, date_match, asks_when) for note in found.notes.values()]
    ranked += [facts.ranked(fact_id, pages, date_match) for fact_id in found.fact_pages]
    ranked += [
        _ranked("segment", key, vector=weights.vector * segments[key], text=weights.text * found.segment_words[key])
        for key in found.segment_vector
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.kind, r.id))


def rank_flat(found: Found) -> list[Ranked]:
    """Pages and facts by cosine alone, the way of most systems."""
    pages = [Ranked("page", key, {"vector": max(0.0, 2 * s - 1)}) for key, s in found.vector.items()]
    facts = [Ranked("fact", key, {"vector": max(0.0, 2 * s - 1)}) for key, s in found.fact_vector.items()]
    return sorted(pages + facts, key=lambda r: (-r.score, r.kind, r.id))


class FactScores:
    """Facts by themselves, and what each lends to the pages it is derived from."""

    def __init__(self, found: Found, weights: Weights) -> None:
        self._found = found
        self._weights = weights
        self.vector = Similarity(found.fact_vector, _best_cosine(found.vector, found.fact_vector))
        self.text = TextScore(found.fact_text, max([*found.text.values(), *found.fact_text.values()], default=0.0))
        self._lift: dict[str, float] = {}
        for fact_id, page_ids in found.fact_pages.items():
            for page_id in page_ids:
                self._lift[page_id] = max(self._lift.get(page_id, 0.0), self.base(fact_id))

    def base(self, fact_id: str) -> float:
        """The fact's own nearness to the question, 0 to 1."""
        return self._weights.vector * self.vector[fact_id] + self._weights.text * self.text[fact_id]

    def lift(self, page_id: str) -> float:
        """The best fact that quotes the page."""
        return self._lift.get(page_id, 0.0)

    def ranked(self, fact_id: str, pages: PageScores, date_match: Callable[[int], float]) -> Ranked:
        """A fact as a result, beside pages: its own score, and what they get, from the best of the pages behind it.

        Where it is asked for what it replaced ("I live in Hamburg"), the fact must come before that page: so the pages
        of the facts it replaced speak for it too.
        """
        weights, notes = self._weights, self._found.notes
        own = [notes[page_id] for page_id in self._found.fact_pages[fact_id]]
        behind = own + [notes[page_id] for page_id in self._found.replaced_pages.get(fact_id, ())]
        return _ranked(
            "fact",
            fact_id,
            vector=weights.vector * self.vector[fact_id],
            text=weights.text * self.text[fact_id],
            page=weights.behind * max((pages.base(note.page_id) for note in behind), default=0.0),
            date=weights.date * max((date_match(note.at) for note in own), default=0.0),
            session=weights.session * max((pages.session(note) for note in behind), default=0.0),
        )


class PageScores:
    """Pages by vector, text and facts, then with what stands beside them."""

    def __init__(self, found: Found, weights: Weights, facts: FactScores, segments: Similarity) -> None:
        self._found = found
        self._weights = weights
        self._facts = facts
        self._segments = segments
        self._vector = Similarity(found.vector)
        self._vector.add(found.near_vector)
        self._text = TextScore(found.text)
        self._session = TextScore(found.sessions)

        self._bases: dict[str, dict[str, float]] = {}

    def base(self, page_id: str) -> float:
        """Vector, text and facts, without what stands beside the page."""
        return sum(self._base_parts(page_id).values())

    def ranked(self, note: PageNote, date_match: Callable[[int], float], asks_when: bool) -> Ranked:
        """The page as a result."""
        weights, page_id = self._weights, note.page_id
        found = self._found
        return _ranked(
            "page",
            page_id,
            **self._base_parts(page_id),
            neighbour=max(
                weights.neighbour * self._best(found.neighbours.get(page_id, ())),
                weights.continues * self._best(found.continued.get(page_id, ())),
            ),
            segment=weights.segment * self._topic(page_id),
            date=weights.date * date_match(note.at),
            time_words=weights.time_words * note.time_words if asks_when else 0.0,
            session=weights.session * self.session(note),
        )

    def _best(self, page_ids: Iterable[str]) -> float:
        return max(map(self.base, page_ids), default=0.0)

    def _topic(self, page_id: str) -> float:
        return max((self._segments[key] for key in self._found.page_segments.get(page_id, ())), default=0.0)

    def session(self, note: PageNote) -> float:
        """How well the words fit the page's whole session."""
        return self._session[note.session_id]

    def _base_parts(self, page_id: str) -> dict[str, float]:
        parts = self._bases.get(page_id)
        if parts is None:
            weights = self._weights
            parts = self._bases[page_id] = {
                "vector": weights.vector * self._vector[page_id],
                "text": weights.text * self._text[page_id],
                "fact": weights.fact * self._facts.lift(page_id),
            }
        return parts


def seeds(found: Found, limit: int) -> list[str]:
    """The pages nearest by vector, whose neighbours are worth looking at."""
    return sorted(found.vector, key=lambda key: (-found.vector[key], key))[:limit]


def _best_cosine(*arms: Mapping[str, float]) -> float:
    return max((2 * score - 1 for arm in arms for score in arm.values()), default=0.0)


def _ranked(kind: Kind, id: str, **parts: float) -> Ranked:
    return Ranked(kind, id, {name: part for name, part in parts.items() if part})


def note_all(found: Found, notes: Iterable[PageNote]) -> None:
    """Remember pages as candidates."""
    for note in notes:
        found.notes.setdefault(note.page_id, note)
