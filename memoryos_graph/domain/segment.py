"""Topics of a batch meet the segments that are there: join or open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

SUMMARY_LENGTH = 400
KEYWORDS = 12


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A segment as a decision sees it. `version` 0 means that it is not stored yet."""

    segment_id: str
    version: int
    summary: str
    keywords: tuple[str, ...]
    embedding: tuple[float, ...]
    n_pages: int


@dataclass(frozen=True, kw_only=True)
class JoinScore:
    """score = cosine(topic, segment) + Jaccard(keywords), beside the threshold it was held against."""

    score: float
    cosine: float
    jaccard: float
    threshold: float


def join_score(vector: Sequence[float], keywords: Iterable[str], segment: Segment, threshold: float) -> JoinScore:
    """How well a topic fits a segment. Source: MemoryOS paper, segment similarity."""
    mine, theirs = set(keywords), set(segment.keywords)
    cosine = sum(a * b for a, b in zip(vector, segment.embedding, strict=True))
    jaccard = len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0
    return JoinScore(score=cosine + jaccard, cosine=cosine, jaccard=jaccard, threshold=threshold)


@dataclass(frozen=True)
class Choice:
    """The segment that a topic joins, or one that it would join if it were not full: then it opens one that goes on."""

    segment: Segment
    score: JoinScore
    full: bool


def choose(
    vector: Sequence[float],
    keywords: Iterable[str],
    segments: Iterable[Segment],
    *,
    threshold: float,
    cosine_floor: float,
    room_for: int,
    max_pages: int,
) -> Choice | None:
    """The best segment that a topic of `room_for` pages fits, one with room before any full one; None when none does.

    Joins need score ≥ threshold and cosine ≥ floor: the floor keeps shared keywords from joining what means other
    things (design.md 4.3).
    """
    words = tuple(keywords)
    fitting = [
        Choice(segment, score, full=segment.n_pages + room_for > max_pages)
        for segment in segments
        for score in [join_score(vector, words, segment, threshold)]
        if score.score >= threshold and score.cosine >= cosine_floor
    ]
    return max(
        fitting, key=lambda choice: (not choice.full, choice.score.score, choice.segment.segment_id), default=None
    )


def topic_text(summary: str, keywords: Sequence[str]) -> str:
    """What the vector of a topic is made of."""
    return f"{summary}\n{', '.join(keywords)}"


def mean_vector(vectors: Sequence[Sequence[float]]) -> list[float]:
    """The unit vector in the middle of unit vectors."""
    return _unit([sum(column) for column in zip(*vectors, strict=True)])


def joined(
    segment: Segment, *, summary: str, keywords: Sequence[str], vector: Sequence[float], n_pages: int
) -> Segment:
    """The next version of a segment that took a topic in: newest words first, the vector a mean weighted by pages."""
    weight = segment.n_pages / (segment.n_pages + n_pages)
    mixed = [weight * a + (1 - weight) * b for a, b in zip(segment.embedding, vector, strict=True)]
    return replace(
        segment,
        version=segment.version + 1,
        summary=_summary(summary, segment.summary),
        keywords=tuple(dict.fromkeys([*keywords, *segment.keywords]))[:KEYWORDS],
        embedding=tuple(_unit(mixed)),
        n_pages=segment.n_pages + n_pages,
    )


def summed_up(newest: Sequence[str], older: str) -> str:
    """Lines about what a segment holds, the first ones first, and as much of the older summary as has room."""
    return _summary(newest[0], "\n".join([*newest[1:], older]))


def _unit(vector: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / norm for x in vector]


def _summary(newest: str, older: str) -> str:
    lines = [newest, *(line for line in older.split("\n") if line not in ("", newest))]
    kept: list[str] = []
    for line in lines:
        if kept and sum(map(len, kept)) + len(line) > SUMMARY_LENGTH:
            break
        kept.append(line)
    return "\n".join(kept)
