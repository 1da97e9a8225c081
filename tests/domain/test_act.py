"""Decisions among statements: what they mean stays the same, whatever is read when."""

from __future__ import annotations

from itertools import permutations

from memoryos_graph.domain.act import Act, ActKind
from memoryos_graph.domain.claim import Claim, Stance
from memoryos_graph.domain.decision import decide
from memoryos_graph.domain.fact import Fact, FactStatus
from memoryos_graph.domain.ledger import Ledger
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
