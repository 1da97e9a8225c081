from __future__ import annotations

from memoryos_graph.eval.scores import Scored, grouped, mean, percentile, ranking, recall_at, reciprocal_rank, summary

RANKED = ["a", "b", "b", "d"]


def test_recall_is_the_share_of_the_evidence_found_by_a_depth() -> None:
    assert recall_at(RANKED, frozenset({"b", "d"}), 1) == 0
    assert recall_at(RANKED, frozenset({"b", "d"}), 3) == 0.5
    assert recall_at(RANKED, frozenset({"b", "d"}), 20) == 1
    assert recall_at([], frozenset({"b"}), 5) == 0


def test_reciprocal_rank_is_that_of_the_first_result_with_evidence() -> None:
    assert reciprocal_rank(RANKED, frozenset({"d", "b"})) == 0.5
    assert reciprocal_rank(RANKED, frozenset({"x"})) == 0


def test_groups_have_their_own_means() -> None:
    hit, miss = ranking(RANKED, frozenset({"a"})), ranking(RANKED, frozenset({"x"}))
    scored = [Scored(str(n), category, "talk", r, r, 1.0) for n, (category, r) in enumerate([("y", hit), ("x", miss)])]
    assert dict(grouped(scored, lambda s: s.category)) == {
        "x": {"questions": 1, "5": 0, "10": 0, "20": 0, "mrr": 0},
        "y": {"questions": 1, "5": 1, "10": 1, "20": 1, "mrr": 1},
    }
    assert summary([hit, miss]) == {"5": 0.5, "10": 0.5, "20": 0.5, "mrr": 0.5}


def test_percentiles_and_means() -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], 0.95) == 96
    assert percentile([3.0], 0.5) == 3
    assert percentile([], 0.5) == 0
    assert mean([1, 0, 0]) == 0.3333
    assert mean([]) == 0
