from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.claim import Claim, FactKind, Stance
from memoryos_graph.domain.fact import FactStatus, Ledger, Span, touched_predicates
from memoryos_graph.domain.page import Side
from memoryos_graph.domain.validity import NEVER

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def make_claim(predicate: str, object: str, page_id: str = "p1", **over: object) -> Claim:
    fields: dict[str, object] = {
        "page_id": page_id,
        "side": Side.USER,
        "quote": "q",
        "start": 0,
        "end": 1,
        "kind": FactKind.PROFILE,
        "subject": "user",
        "predicate": predicate,
        "object": object,
        "text": f"The user {predicate} {object}.",
    }
    return Claim(**(fields | over))  # type: ignore[arg-type]


def ledger_after(*claims: tuple[Claim, datetime]) -> Ledger:
    ledger = Ledger.of([], NOW)
    for n, (claim, said_at) in enumerate(claims, 1):
        ledger.take(claim, f"f{n}", said_at)
    return ledger


def _day(n: int) -> datetime:
    return T0 + timedelta(days=n)


def test_a_repeat_adds_its_source_once_and_confidence() -> None:
    claim = make_claim("lives_in", "Oslo")
    ledger = ledger_after((claim, T0), (make_claim("lives_in", "oslo ", "p2"), _day(1)), (claim, T0))
    (fact,) = ledger.facts.values()
    assert fact.sources == {Span("p1", "user", 0, 1), Span("p2", "user", 0, 1)}
    assert (fact.support, ledger.repeats) == (2, 1)
    assert 0.8 < fact.confidence < 1


def test_a_change_closes_the_interval_and_stays_believed() -> None:
    ledger = ledger_after((make_claim("lives_in", "Oslo"), T0), (make_claim("lives_in", "Rome", "p2"), _day(9)))
    old, new = ledger.facts["f1"], ledger.facts["f2"]
    assert (old.status, old.valid_to, old.closed_at, old.retired_at) == (FactStatus.SUPERSEDED, _day(9), NOW, NEVER)
    assert (new.status, new.valid_from, new.valid_to) == (FactStatus.CURRENT, _day(9), NEVER)
    assert [(s.newer, s.older, s.kind) for s in ledger.supersessions] == [("f2", "f1", "change")]


def test_a_correction_retires_and_leaves_the_interval() -> None:
    corrected = make_claim("name", "Mia", "p2", stance=Stance.CORRECTS, replaces="Maya")
    ledger = ledger_after((make_claim("name", "Maya"), T0), (corrected, _day(9)))
    old = ledger.facts["f1"]
    assert (old.status, old.retired_at, old.valid_from, old.valid_to) == (FactStatus.RETRACTED, NOW, T0, NEVER)
    assert ledger.supersessions[0].kind == "correction"


def test_a_correction_that_is_read_first_holds_against_what_it_corrects() -> None:
    corrected = make_claim("name", "Mia", "p2", stance=Stance.CORRECTS, replaces="Maya")
    ledger = ledger_after((corrected, _day(9)), (make_claim("name", "Maya"), T0))
    assert [f.status for f in ledger.facts.values()] == [FactStatus.CURRENT, FactStatus.RETRACTED]
    assert [(s.newer, s.older, s.kind) for s in ledger.supersessions] == [("f1", "f2", "correction")]


def test_what_is_told_late_is_history_at_once() -> None:
    ledger = ledger_after((make_claim("lives_in", "Rome"), _day(9)), (make_claim("lives_in", "Oslo", "p2"), T0))
    assert ledger.facts["f1"].status is FactStatus.CURRENT
    assert (ledger.facts["f2"].status, ledger.facts["f2"].valid_to) == (FactStatus.SUPERSEDED, _day(9))


def test_many_valued_facts_live_side_by_side() -> None:
    ledger = ledger_after((make_claim("likes", "jazz"), T0), (make_claim("likes", "tea", "p2"), _day(1)))
    assert {f.status for f in ledger.facts.values()} == {FactStatus.CURRENT}


def test_a_changed_taste_ends_its_opposite() -> None:
    ledger = ledger_after((make_claim("likes", "jazz"), T0), (make_claim("dislikes", "jazz", "p2"), _day(1)))
    assert [f.status for f in ledger.facts.values()] == [FactStatus.SUPERSEDED, FactStatus.CURRENT]


def test_the_opposite_is_looked_up_too() -> None:
    assert touched_predicates([make_claim("likes", "jazz")]) == ["dislikes", "likes"]


@given(st.lists(st.tuples(st.sampled_from(["Oslo", "Rome", "Bergen"]), st.integers(0, 30)), max_size=12))
def test_a_single_valued_predicate_has_one_current_fact_and_no_interval_runs_backwards(
    said: list[tuple[str, int]],
) -> None:
    ledger = ledger_after(*((make_claim("lives_in", place, f"p{n}"), _day(day)) for n, (place, day) in enumerate(said)))
    assert sum(f.status is FactStatus.CURRENT for f in ledger.facts.values()) == min(1, len(said))
    assert all(f.valid_from <= f.valid_to for f in ledger.facts.values())
    spans = [span for f in ledger.facts.values() for span in f.sources]
    assert len(spans) == len(set(spans)) == len(said)
