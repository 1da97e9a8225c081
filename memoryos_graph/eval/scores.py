"""Evidence recall, reciprocal rank, percentiles. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DEPTHS = (5, 10, 20)


@dataclass(frozen=True)
class Scored:
    """One question: the share of its evidence found by each depth, and 1 / rank of the first piece (0 for none)."""

    category: str
    conversation: str
    recall: dict[int, float]
    reciprocal_rank: float
    latency_ms: float


def recall_at(ranked: Sequence[frozenset[str]], evidence: frozenset[str], depth: int) -> float:
    """Share of the evidence that is in the first `depth` results; a result holds the ids of what it contains."""
    found = frozenset().union(*ranked[:depth]) & evidence
    return len(found) / len(evidence)


def reciprocal_rank(ranked: Sequence[frozenset[str]], evidence: frozenset[str]) -> float:
    """1 / rank of the first result with evidence, 0 when there is none."""
    return next((1 / n for n, ids in enumerate(ranked, 1) if ids & evidence), 0.0)


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean, 0 of nothing, to four digits."""
    all_values = list(values)
    return round(sum(all_values) / len(all_values), 4) if all_values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie (nearest rank), to two digits; 0 of nothing."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2) if ordered else 0.0
