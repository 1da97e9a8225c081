from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.recall import fusion
from memoryos_graph.recall.fusion import Found, PageNote, Ranked, Weights

W = Weights()


def found(**arms: dict[str, float]) -> Found:
    """Pages p… and facts f… with raw scores; each page in session s, at second 0."""
    result = Found()
    for name, scores in arms.items():
        setattr(result, name, scores)
    pages = {key for arm in (result.vector, result.text, result.near_vector) for key in arm}
    fusion.note_all(result, (PageNote(page_id, "s", 0, 0.5) for page_id in sorted(pages)))
    return result


def rank(found: Found, *, date: float = 0, asks_when: bool = False) -> list[Ranked]:
    return fusion.rank(found, W, date_match=lambda at: date, asks_when=asks_when)


def test_scores_are_scaled_by_the_best_of_their_arm() -> None:
    best, other = rank(found(vector={"p1": 0.9, "p2": 0.7}, text={"p1": 4.0, "p2": 1.0}))
    assert best.parts == pytest.approx({"vector": W.vector, "text": W.text})
    assert other.parts == pytest.approx({"vector": W.vector / 2, "text": W.text / 4})


def test_where_nothing_is_near_the_words_decide() -> None:
    words, vector = rank(found(vector={"p1": 0.55}, text={"p2": 2.0}))
    assert (words.id, vector.id) == ("p2", "p1")
    assert vector.parts["vector"] == pytest.approx(W.vector * 0.1 / 0.25)


def test_a_page_that_the_vectors_did_not_return_counts_as_their_lowest() -> None:
    ranked = {r.id: r for r in rank(found(vector={"p1": 0.9, "p2": 0.7}, text={"p3": 2.0}))}
    assert ranked["p3"].parts["vector"] == ranked["p2"].parts["vector"]
    assert "text" not in ranked["p1"].parts


def test_a_neighbour_lends_its_own_score_and_not_what_it_borrowed() -> None:
    arms = found(vector={"p1": 0.9, "p2": 0.5, "p3": 0.5}, text={"p1": 1.0})
    arms.link("p1", "p2")
    arms.link("p2", "p3")
    ranked = {r.id: r for r in rank(arms)}
    assert ranked["p2"].parts["neighbour"] == pytest.approx(W.neighbour * (W.vector + W.text))
    assert "neighbour" not in ranked["p3"].parts


def test_dates_times_and_sessions_are_added() -> None:
    arms = found(vector={"p1": 0.9}, sessions={"s": 3.0, "t": 6.0})
    (page,) = rank(arms, date=0.6, asks_when=True)
    assert page.parts == pytest.approx(
        {"vector": W.vector, "date": W.date * 0.6, "time_words": W.time_words * 0.5, "session": W.session * 0.5}
    )
    assert "time_words" not in rank(arms)[0].parts


def test_a_fact_is_a_result_and_lifts_its_pages() -> None:
    arms = found(vector={"p1": 0.7, "p2": 0.7}, fact_vector={"f1": 0.9}, fact_text={"f1": 2.0})
    arms.fact_pages = {"f1": ["p2"]}
    fact, lifted, plain = rank(arms)
    assert (fact.kind, fact.id, lifted.id, plain.id) == ("fact", "f1", "p2", "p1")
    assert lifted.parts["fact"] == pytest.approx(W.fact * (W.vector + W.text))
    assert fact.parts["page"] > 0


def test_the_pages_of_what_a_fact_replaced_speak_for_it_but_not_their_times() -> None:
    arms = found(vector={"old": 0.9, "new": 0.6}, text={"old": 1.0}, fact_vector={"f1": 0.7}, sessions={"s": 1.0})
    arms.fact_pages, arms.replaced_pages = {"f1": ["new"]}, {"f1": ["old"]}
    arms.notes["old"] = PageNote("old", "s", 100, 0)
    fact = next(r for r in fusion.rank(arms, W, date_match=lambda at: at / 100, asks_when=False) if r.id == "f1")
    assert fact.parts == pytest.approx(
        {"vector": W.vector / 2, "page": W.behind * (W.vector + W.text), "session": W.session}
    )


def test_flat_is_the_cosine() -> None:
    arms = found(vector={"p1": 0.8, "p2": 0.3}, text={"p2": 9.0}, fact_vector={"f1": 0.7})
    assert [(r.id, round(r.score, 3)) for r in fusion.rank_flat(arms)] == [("p1", 0.6), ("f1", 0.4), ("p2", 0.0)]


def test_nothing_found_is_no_result() -> None:
    assert rank(Found()) == []


scores = st.dictionaries(st.sampled_from([f"p{n}" for n in range(9)]), st.floats(0, 1), max_size=9)


@given(scores, scores, st.dictionaries(st.sampled_from("fgh"), st.floats(0, 1)), st.floats(0, 1), st.booleans())
def test_parts_are_positive_and_add_up(
    vector: dict[str, float], text: dict[str, float], facts: dict[str, float], date: float, asks_when: bool
) -> None:
    arms = found(vector=vector, text=text, fact_vector=facts)
    arms.fact_pages = {fact_id: list(vector)[:2] for fact_id in facts}
    ranked = rank(arms, date=date, asks_when=asks_when)
    assert len({(r.kind, r.id) for r in ranked}) == len(ranked) == len({*vector, *text}) + len(facts)
    assert all(part > 0 for r in ranked for part in r.parts.values())
    assert all(r.score == pytest.approx(sum(r.parts.values())) for r in ranked)
    assert [r.score for r in ranked] == sorted((r.score for r in ranked), reverse=True)
