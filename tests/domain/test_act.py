"""Decisions among statements: what they mean stays the same, whatever is read when."""

from __future__ import annotations

from itertools import permutations

from memoryos_graph.domain.act import Act, ActKind
from memoryos_graph.domain.claim import Claim, Stance
from memoryos_graph.domain.decision import decide
from memoryos_graph.domain.fact import Fact, FactStatus
from memoryos_graph.domain.ledger import Ledger
from memoryos_graph.domain.unsaid import unsay
from memoryos_graph.domain.validity import NEVER

from .claims import NOW, day, ledger_after, make_claim


def _current(ledger: Ledger) -> list[str]:
    return sorted(f.object for f in ledger.facts.values() if f.status is FactStatus.CURRENT)


def _decided(ledger: Ledger, kind: ActKind, fact: Fact, claim: Claim, n: int) -> tuple[Ledger, Fact]:
    again = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem=f"d{n}")
    return again, decide(again, kind, fact, claim, f"n{n}", day(100 + n))


def _of(ledger: Ledger, object: str) -> Fact:
    (fact,) = [f for f in ledger.facts.values() if f.object == object and f.counts]
    return fact


def test_one_of_two_times_in_oslo_is_corrected_and_the_other_stays() -> None:
    told = [
        (make_claim("lives_in", "Oslo"), day(1)),
        (make_claim("lives_in", "Rome", "p2"), day(2)),
        (make_claim("lives_in", "Oslo", "p3"), day(3)),
    ]
    ledger = ledger_after(*told)
    (second,) = [f for f in ledger.facts.values() if f.object == "Oslo" and f.valid_to == NEVER]
    claim = make_claim("lives_in", "Bergen", "c1", stance=Stance.CORRECTS)
    ledger, new = _decided(ledger, ActKind.CORRECT, second, claim, 1)
    assert (new.object, new.valid_from, _current(ledger)) == ("Bergen", day(3), ["Bergen"])
    kept = [f for f in ledger.facts.values() if f.object == "Oslo" and f.retired_by is None]
    assert [(f.valid_from, f.valid_to) for f in kept] == [(day(1), day(2))]


def test_a_dispute_waits_whatever_is_read_first() -> None:
    told = [
        (make_claim("lives_in", "Oslo"), day(1)),
        (make_claim("lives_in", "Bergen", "p2", disputes=True), day(2)),
        (make_claim("likes", "jazz", "p3"), day(3)),
    ]
    for order in permutations(told):
        ledger = ledger_after(*order)
        assert _current(ledger) == ["Oslo", "jazz"]
        assert _of(ledger, "Bergen").status is FactStatus.PROPOSED
    later = [*told, (make_claim("lives_in", "Rome", "p4"), day(4))]
    assert _current(ledger_after(*later)) == ["Rome", "jazz"]


def test_what_a_decision_means_is_bounded_by_beginnings() -> None:
    act = Act(ActKind.CORRECT, "f1", day(1), day(3))
    assert [act.covers(day(n)) for n in (0, 1, 2, 3)] == [False, True, True, False]
    assert Act(ActKind.RETRACT).covers(day(0))


def _retold(ledger: Ledger, kind: ActKind, object: str, n: int, new: str | None = None, topic: str = "likes") -> Ledger:
    fact = _of(ledger, object)
    stance = {ActKind.CORRECT: Stance.CORRECTS, ActKind.CHANGE: Stance.CHANGES}.get(kind, Stance.STATES)
    return _decided(ledger, kind, fact, make_claim(topic, new or object, f"d{n}", stance=stance), n)[0]


def test_a_correction_that_was_undone_and_is_restored_holds_again_wholly() -> None:
    ledger = ledger_after((make_claim("likes", "jazz"), day(1)))
    ledger = _retold(ledger, ActKind.CORRECT, "jazz", 1, "blues")
    ledger = _retold(ledger, ActKind.RESTORE, "jazz", 2)
    assert _current(ledger) == ["jazz"]
    ledger = _retold(ledger, ActKind.RESTORE, "blues", 3)
    assert _current(ledger) == ["blues"]


def test_a_restoration_denies_what_comes_back_with_what_it_denies() -> None:
    ledger = ledger_after((make_claim("lives_in", "Oslo"), day(1)))
    for n, (old, new) in enumerate([("Oslo", "Rome"), ("Rome", "Bonn"), ("Bonn", "Riga")]):
        ledger = _retold(ledger, ActKind.CORRECT, old, n, new, "lives_in")
    ledger = _retold(ledger, ActKind.RESTORE, "Oslo", 4, topic="lives_in")
    assert _current(ledger) == ["Oslo"]
    ledger = _retold(ledger, ActKind.RETRACT, "Oslo", 5, topic="lives_in")
    assert _current(ledger) == ["Riga"]


def test_a_confirmation_whose_fact_is_forgotten_says_nothing_of_others() -> None:
    ledger = ledger_after((make_claim("lives_in", "Oslo"), day(1)), (make_claim("lives_in", "Rome", "p2"), day(9)))
    ledger = _retold(ledger, ActKind.CONFIRM, "Rome", 1, topic="lives_in")
    again = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem="u")
    unsay(again, lambda one: one.span.page_id == "p2")
    shown = sorted((f.object, f.valid_to == NEVER, f.retired_at == NEVER) for f in again.facts.values() if f.counts)
    assert shown == [("Oslo", False, True), ("Rome", True, True)]


def test_an_end_stays_with_what_still_holds_when_a_part_of_it_is_withdrawn() -> None:
    ledger = ledger_after((make_claim("likes", "tea"), day(1)))
    ledger = _retold(ledger, ActKind.CORRECT, "tea", 1, "mate")
    ledger = _retold(ledger, ActKind.RESTORE, "tea", 2)
    for claim, at in (
        (make_claim("likes", "tea", "p8"), day(200)),
        (make_claim("likes", "tea", "p9", stance=Stance.ENDS), day(210)),
    ):
        ledger = Ledger.of(ledger.facts.values(), day(300), waiting=ledger.waiting, stem=f"t{claim.page_id}")
        ledger.take(claim, f"f{claim.page_id}", {claim.page_id: at})
        ledger.settle()
    fact, claim = _of(ledger, "mate"), make_claim("likes", "mate", "d9")
    decide(ledger, ActKind.RESTORE, fact, claim, "n9", day(301))
    (tea,) = [f for f in ledger.facts.values() if f.object == "tea" and f.counts and f.retired_at == NEVER]
    assert ({s.page_id for s in tea.sources}, {s.page_id for s in tea.ends}) == ({"p8"}, {"p9"})
    assert tea.valid_to == day(210)


def test_a_restoration_also_speaks_of_a_correction_that_was_corrected_then() -> None:
    """I10: with the later correction forgotten, the first one stays withdrawn, since what it had put right holds."""
    ledger = ledger_after((make_claim("likes", "tea"), day(1)))
    ledger = _retold(ledger, ActKind.CORRECT, "tea", 1, "mate")
    ledger = _retold(ledger, ActKind.CORRECT, "mate", 2, "cocoa")
    ledger = _retold(ledger, ActKind.RESTORE, "tea", 3)
    again = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem="u")
    unsay(again, lambda one: one.span.page_id == "d2")
    assert _current(again) == ["tea"]


def test_a_restoration_undoes_all_that_took_the_place_of_what_holds_after_all() -> None:
    """Tea was corrected to cocoa, said once more, changed to coffee: restored, it holds, and neither of them does."""
    ledger = ledger_after((make_claim("likes", "tea"), day(1)))
    tea = _of(ledger, "tea")
    cocoa = make_claim("likes", "cocoa", "c1", stance=Stance.CORRECTS)
    ledger, _ = _decided(ledger, ActKind.CORRECT, tea, cocoa, 1)
    ledger = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem="said")
    ledger.take(make_claim("likes", "tea", "p2"), "again", {"p2": day(102)})
    ledger.settle()
    (again,) = [f for f in ledger.facts.values() if f.object == "tea" and f.status is FactStatus.CURRENT]
    coffee = make_claim("likes", "coffee", "c2", stance=Stance.CHANGES)
    ledger, _ = _decided(ledger, ActKind.CHANGE, again, coffee, 3)
    assert _current(ledger) == ["cocoa", "coffee"]
    (first,) = [f for f in ledger.facts.values() if f.object == "tea" and f.retired_by is not None and f.counts]
    ledger, restored = _decided(ledger, ActKind.RESTORE, first, make_claim("likes", "tea", "r1"), 4)
    assert (restored.object, restored.valid_from, _current(ledger)) == ("tea", day(1), ["tea"])
    assert [_of(ledger, object).status for object in ("cocoa", "coffee")] == [FactStatus.RETRACTED] * 2


def test_a_restoration_of_one_time_leaves_what_took_the_place_of_another() -> None:
    ledger = ledger_after((make_claim("likes", "tea"), day(1)))
    ledger, _ = _decided(
        ledger, ActKind.CHANGE, _of(ledger, "tea"), make_claim("likes", "cocoa", "c1", stance=Stance.CHANGES), 1
    )
    ledger = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem="said")
    ledger.take(make_claim("likes", "tea", "p2"), "again", {"p2": day(102)})
    ledger.settle()
    (again,) = [f for f in ledger.facts.values() if f.object == "tea" and f.status is FactStatus.CURRENT]
    ledger, _ = _decided(ledger, ActKind.RETRACT, again, make_claim("likes", "tea", "d1", stance=Stance.ENDS), 3)
    (again,) = [f for f in ledger.facts.values() if f.object == "tea" and f.retired_by is not None]
    ledger, _ = _decided(ledger, ActKind.RESTORE, again, make_claim("likes", "tea", "r1"), 4)
    assert _current(ledger) == ["cocoa", "tea"]
