from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.heat import Heat, HeatWeights, heat

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WEIGHTS = HeatWeights(alpha=1, beta=1, gamma=1, time_constant_s=1e7)


def _heat(newest: datetime, visited: datetime | None = None, n_visit: int = 0, l_interaction: int = 0) -> Heat:
    return heat(
        WEIGHTS,
        n_visit=n_visit,
        l_interaction=l_interaction,
        last_visit_at=visited,
        newest_event_at=newest,
        now=NOW,
    )


def test_heat_is_the_weighted_sum_of_its_parts() -> None:
    found = heat(
        HeatWeights(alpha=2, beta=3, gamma=5, time_constant_s=100),
        n_visit=4,
        l_interaction=6,
        last_visit_at=None,
        newest_event_at=NOW - timedelta(seconds=100),
        now=NOW,
    )
    assert found.recency == pytest.approx(0.36788, abs=1e-5)
    assert found.total == pytest.approx(2 * 4 + 3 * 6 + 5 * found.recency)


def test_recency_counts_from_the_later_of_visit_and_event() -> None:
    old = NOW - timedelta(days=300)
    assert _heat(old, visited=NOW).recency == 1
    assert _heat(NOW, visited=old).recency == 1


@given(st.integers(-10_000, 10_000))
def test_case_u31_recency_stays_in_bounds_for_times_in_the_future_too(days: int) -> None:
    assert 0 < _heat(NOW - timedelta(days=days / 10)).recency <= 1
