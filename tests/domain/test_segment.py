from __future__ import annotations

import pytest

from memoryos_graph.domain.segment import SUMMARY_LENGTH, Segment, choose, join_score, joined


def make_segment(segment_id: str = "s1", vector: tuple[float, ...] = (1.0, 0.0), **over: object) -> Segment:
    fields: dict[str, object] = {
        "segment_id": segment_id,
        "version": 1,
        "summary": "about tea",
        "keywords": ("tea", "cup"),
        "embedding": vector,
        "n_pages": 3,
    }
    return Segment(**(fields | over))  # type: ignore[arg-type]


def _choose(vector: tuple[float, ...], keywords: tuple[str, ...], *segments: Segment) -> Segment | None:
    found = choose(vector, keywords, segments, threshold=0.6, cosine_floor=0.25, room_for=2, max_pages=5)
    return found.segment if found and not found.full else None


def test_the_score_is_cosine_plus_jaccard() -> None:
    score = join_score((0.6, 0.8), ("tea", "milk"), make_segment(), 0.6)
    assert (score.cosine, score.jaccard) == (pytest.approx(0.6), pytest.approx(1 / 3))
    assert score.score == pytest.approx(0.6 + 1 / 3)


def test_the_best_fitting_segment_is_joined() -> None:
    near, far = make_segment("near", (0.6, 0.8)), make_segment("far", (1.0, 0.0))
    assert _choose((0.6, 0.8), ("tea",), far, near) == near


def test_shared_keywords_do_not_join_what_means_something_else() -> None:
    assert _choose((0.0, 1.0), ("tea", "cup"), make_segment()) is None


def test_a_full_segment_takes_no_more() -> None:
    assert _choose((1.0, 0.0), ("tea",), make_segment(n_pages=4)) is None


def test_joining_renews_summary_keywords_and_vector() -> None:
    after = joined(make_segment(), summary="about milk", keywords=("milk",), vector=(0.0, 1.0), n_pages=1)
    assert (after.version, after.n_pages, after.summary) == (2, 4, "about milk\nabout tea")
    assert after.keywords == ("milk", "tea", "cup")
    assert after.embedding[0] / after.embedding[1] == pytest.approx(3)
    assert sum(x * x for x in after.embedding) == pytest.approx(1)


def test_a_summary_stays_short_over_many_joins() -> None:
    segment = make_segment()
    for n in range(50):
        segment = joined(segment, summary=f"line {n} " + "x" * 90, keywords=(), vector=(1.0, 0.0), n_pages=1)
    assert len(segment.summary) <= SUMMARY_LENGTH + 110
    assert segment.summary.startswith("line 49")
