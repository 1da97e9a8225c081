"""Evidence recall, reciprocal rank, percentiles. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

DEPTHS = (5, 10, 20)


@dataclass(frozen=True)
class Ranking:
    """The share of the evidence found by each depth, and 1 / rank of the first piece (0 for none)."""

    recall: Mapping[int, float]
    reciprocal_rank: float


@dataclass(frozen=True)
class Scored:
    """One question with its ranking by pages, and by the sessions of the same pages."""

    id: str
    category: str
    case: str
    pages: Ranking
    sessions: Ranking
    latency_ms: float


def ranking(ranked: Sequence[str], evidence: frozenset[str]) -> Ranking:
    """The scores of ranked ids (repeats count once, but keep their places)."""
    return Ranking({depth: recall_at(ranked, evidence, depth) for depth in DEPTHS}, reciprocal_rank(ranked, evidence))


def recall_at(ranked: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    """Share of the evidence that is among the first `depth` results."""
    return len(evidence.intersection(ranked[:depth])) / len(evidence)


def reciprocal_rank(ranked: Sequence[str], evidence: frozenset[str]) -> float:
    """1 / rank of the first result that is evidence, 0 when there is none."""
    return next((1 / n for n, id in enumerate(ranked, 1) if id in evidence), 0.0)


def summary(rankings: Iterable[Ranking]) -> dict[str, float]:
    """Mean recall by depth, and the mean reciprocal rank as `mrr`."""
    held = list(rankings)
    by_depth = {str(depth): mean(r.recall[depth] for r in held) for depth in DEPTHS}
    return by_depth | {"mrr": mean(r.reciprocal_rank for r in held)}


def grouped(scored: Sequence[Scored], key: Callable[[Scored], str]) -> Iterator[tuple[str, dict[str, float]]]:
    """The summary by pages of each group, in the order of their names."""
    for name in sorted({key(s) for s in scored}):
        group = [s for s in scored if key(s) == name]
        yield name, {"questions": len(group), **summary(s.pages for s in group)}


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean, 0 of nothing, to four digits."""
    all_values = list(values)
    return round(sum(all_values) / len(all_values), 4) if all_values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie (nearest rank), to two digits; 0 of nothing."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2) if ordered else 0.0
