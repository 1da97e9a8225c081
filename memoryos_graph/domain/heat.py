"""Heat of a segment: visits, length, recency."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class HeatWeights:
    """alpha, beta, gamma without unit; `time_constant_s` is µ in seconds."""

    alpha: float
    beta: float
    gamma: float
    time_constant_s: float


@dataclass(frozen=True, kw_only=True)
class Heat:
    """A heat with its parts; `recency` is in (0, 1], `idle_s` is Δt in seconds."""

    total: float
    n_visit: int
    l_interaction: int
    recency: float
    idle_s: float


def heat(
    weights: HeatWeights,
    *,
    n_visit: int,
    l_interaction: int,
    last_visit_at: datetime | None,
    newest_event_at: datetime,
    now: datetime,
) -> Heat:
    """alpha·N + beta·L + gamma·exp(−Δt/µ); Δt from the later of last visit and newest event, never negative.

    Source: MemoryOS paper, heat; the clamp is for event times in the future (case U31).
    """
    latest = newest_event_at if last_visit_at is None else max(last_visit_at, newest_event_at)
    idle_s = max(0.0, (now - latest).total_seconds())
    recency = math.exp(-idle_s / weights.time_constant_s)
    total = weights.alpha * n_visit + weights.beta * l_interaction + weights.gamma * recency
    return Heat(total=total, n_visit=n_visit, l_interaction=l_interaction, recency=recency, idle_s=idle_s)
