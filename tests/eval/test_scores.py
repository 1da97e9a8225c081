from __future__ import annotations

from memoryos_graph.eval.scores import mean, percentile, recall_at, reciprocal_rank

RANKED = [frozenset({"a"}), frozenset({"b", "c"}), frozenset({"d"})]


def test_recall_is_the_share_of_the_evidence_found_by_a_depth() -> None:
    assert recall_at(RANKED, frozenset({"c", "d"}), 1) == 0
    assert recall_at(RANKED, frozenset({"c", "d"}), 2) == 0.5
    assert recall_at(RANKED, frozenset({"c", "d"}), 20) == 1
    assert recall_at([], frozenset({"c"}), 5) == 0


def test_reciprocal_rank_is_that_of_the_first_result_with_evidence() -> None:
    assert reciprocal_rank(RANKED, frozenset({"d", "c"})) == 0.5
    assert reciprocal_rank(RANKED, frozenset({"x"})) == 0


def test_percentiles_and_means() -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], 0.95) == 96
    assert percentile([3.0], 0.5) == 3
    assert percentile([], 0.5) == 0
    assert mean([1, 0, 0]) == 0.3333
    assert mean([]) == 0
