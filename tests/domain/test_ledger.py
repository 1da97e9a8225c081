"""What claims do to facts: one policy per predicate, whatever the order of reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.claim import Claim, FactKind, Quote, Stance
from memoryos_graph.domain.fact import Fact, FactStatus, Retirement
from memoryos_graph.domain.ledger import Ledger
from memoryos_graph.domain.page import Side
from memoryos_graph.domain.predicates import touched_predicates
from memoryos_graph.domain.statement import Span
from memoryos_graph.domain.validity import NEVER

from .claims import NOW, T0, Said, day, ledger_after, make_claim, read_one_by_one

CURRENT, SUPERSEDED = FactStatus.CURRENT, FactStatus.SUPERSEDED
RETRACTED, CONFLICTED = FactStatus.RETRACTED, FactStatus.CONFLICTED


def standing(ledger: Ledger) -> list[tuple[str, str]]:
    """Objects and states of what is not a mere older version, in order of the world."""
    facts = [f for f in ledger.facts.values() if f.counts]
    return [(f.object, f.status.value) for f in sorted(facts, key=lambda f: (f.valid_from, f.object))]


def by_object(ledger: Ledger, object: str) -> Fact:
    (fact,) = [f for f in ledger.facts.values() if f.object == object and f.counts]
    return fact


def links(ledger: Ledger) -> set[tuple[str, str, str]]:
    facts = ledger.facts
    return {(facts[s.newer].object, s.kind, facts[s.older].object) for s in ledger.supersessions}


def test_case_c4_a_repeat_adds_its_source_once_and_confidence() -> None:
    claim = make_claim("lives_in", "Oslo")
    ledger = ledger_after((claim, T0), (make_claim("lives_in", "oslo ", "p2"), day(1)), (claim, T0))
    (fact,) = ledger.facts.values()
    assert fact.sources == {Span("p1", "user", 0, 1), Span("p2", "user", 0, 1)}
    assert (fact.support, ledger.repeats) == (2, 1)
    assert fact.confidence == pytest.approx(0.96)
    again = ledger_after((claim, T0), facts=ledger.facts.values())
    assert (again.changed, again.new, again.added) == (set(), {}, {})


def test_a_page_counts_once_however_often_it_says_so() -> None:
    ledger = ledger_after(
        (make_claim("lives_in", "Oslo"), T0), (make_claim("lives_in", "Oslo", start=5, end=9, confidence=0.9), T0)
    )
    (fact,) = ledger.facts.values()
    assert (len(fact.sources), fact.support, fact.confidence) == (2, 1, pytest.approx(0.9))


@pytest.mark.parametrize("side", [Side.ASSISTANT, Side.TOOL, Side.USER])
def test_case_p7_p10_an_echo_is_a_source_with_its_speaker_but_no_support(side: Side) -> None:
    echo = make_claim("allergic_to", "nuts", "p2", side=side)
    ledger = ledger_after((make_claim("allergic_to", "nuts"), T0))
    for _ in range(2):  # the second time nothing is new
        ledger = Ledger.of(ledger.facts.values(), NOW)
        ledger.echo(echo, {"p2": day(1)})
        ledger.settle()
    (fact,) = ledger.facts.values()
    assert {s.statement.speaker for s in fact.said} == {"user", "tool" if side is Side.USER else side.value}
    assert (len(fact.sources), fact.support, fact.confidence) == (2, 1, pytest.approx(0.8))
    assert (ledger.changed, ledger.rejected) == (set(), {})


def test_hearsay_moves_nothing_that_was_said_first_hand() -> None:
    ledger = Ledger.of(ledger_after((make_claim("lives_in", "Oslo"), T0)).facts.values(), NOW)
    ledger.echo(make_claim("lives_in", "Rome", "p2", side=Side.ASSISTANT), {"p2": day(1)})
    ledger.echo(make_claim("likes", "opera", "p2", side=Side.ASSISTANT), {"p2": day(1)})
    ledger.settle()
    assert standing(ledger) == [("Oslo", "current")]
    assert ledger.rejected == {"hearsay": 2}


def test_case_c2_u23_a_change_closes_the_interval_and_stays_believed() -> None:
    ledger = ledger_after((make_claim("drinks", "coffee"), T0), (make_claim("drinks", "tea", "p2"), day(9)))
    old, new = by_object(ledger, "coffee"), by_object(ledger, "tea")
    assert (old.status, old.valid_to, old.closed_at, old.retired_at) == (SUPERSEDED, day(9), NOW, NEVER)
    assert (new.status, new.valid_from, new.valid_to) == (CURRENT, day(9), NEVER)
    assert links(ledger) == {("tea", "change", "coffee")}


def test_a_correction_retires_and_takes_over_the_beginning() -> None:
    corrected = make_claim("has_pet", "Mia", "p2", stance=Stance.CORRECTS, replaces="Maya")
    for said in ([(make_claim("has_pet", "Maya"), T0), (corrected, day(9))],):
        for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
            old, new = by_object(ledger, "Maya"), by_object(ledger, "Mia")
            assert (old.status, old.valid_from, old.valid_to) == (RETRACTED, T0, NEVER)
            assert old.retired_at < NEVER
            assert (new.status, new.valid_from) == (CURRENT, T0)
            assert ("Mia", "correction", "Maya") in links(ledger)


def test_a_correction_without_the_wrong_word_denies_what_was_believed() -> None:
    said: list[Said] = [
        (make_claim("lives_in", "Paris"), T0),
        (make_claim("lives_in", "Oslo", "p2"), day(3)),
        (make_claim("lives_in", "Bergen", "p3", stance=Stance.CORRECTS), day(5)),
    ]
    assert standing(ledger_after(*said)) == [("Paris", "superseded"), ("Bergen", "current"), ("Oslo", "retracted")]
    paris = by_object(ledger_after(*said), "Paris")
    assert paris.valid_to == day(3)


def test_what_is_told_late_is_history_at_once() -> None:
    ledger = read_one_by_one((make_claim("lives_in", "Rome"), day(9)), (make_claim("lives_in", "Oslo", "p2"), T0))
    assert standing(ledger) == [("Oslo", "superseded"), ("Rome", "current")]
    assert ledger.facts["f2"].valid_to == day(9)
    assert links(ledger) == {("Rome", "change", "Oslo")}


def test_what_comes_between_two_repeats_splits_the_fact_and_keeps_what_was_believed() -> None:
    said: list[Said] = [
        (make_claim("lives_in", "Oslo", "p1"), T0),
        (make_claim("lives_in", "Oslo", "p3"), day(20)),
        (make_claim("lives_in", "Rome", "p2"), day(10)),
    ]
    ledger = read_one_by_one(*said)
    assert standing(ledger) == [("Oslo", "superseded"), ("Rome", "superseded"), ("Oslo", "current")]
    before = ledger.facts["f1"]
    assert (before.retired_by, before.valid_to, len(before.sources)) == (Retirement.REFRESH, NEVER, 2)
    assert set(ledger.copied.values()) == {"f1"}


@pytest.mark.parametrize("predicate", ["likes", "uses", "allergic_to", "collects"])
def test_many_valued_and_unknown_predicates_live_side_by_side(predicate: str) -> None:
    ledger = ledger_after((make_claim(predicate, "jazz"), T0), (make_claim(predicate, "tea", "p2"), day(1)))
    assert {f.status for f in ledger.facts.values()} == {CURRENT}


def test_case_c1_a_changed_taste_ends_its_opposite() -> None:
    said: list[Said] = [(make_claim("likes", "jazz"), T0), (make_claim("dislikes", "jazz", "p2"), day(1))]
    for ledger in (ledger_after(*said), read_one_by_one(*reversed(said))):
        assert [(f.predicate, f.status) for f in sorted(ledger.facts.values(), key=lambda f: f.valid_from)] == [
            ("likes", SUPERSEDED),
            ("dislikes", CURRENT),
        ]
        assert {s.kind for s in ledger.supersessions} == {"change"}


def test_case_c8_a_replaced_tool_is_a_change_in_any_language() -> None:
    said: list[Said] = [
        (make_claim("uses", "Postgres", text="用户使用 Postgres。"), T0),
        (
            make_claim("uses", "MySQL", "p2", text="改用 MySQL。", stance=Stance.CHANGES, replaces="Postgres"),
            day(5),
        ),
    ]
    for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
        assert standing(ledger) == [("Postgres", "superseded"), ("MySQL", "current")]
        assert by_object(ledger, "Postgres").valid_to == day(5)
        assert ("MySQL", "change", "Postgres") in links(ledger)


def test_case_c10_unrelated_facts_never_retire_each_other() -> None:
    lessons = [(make_claim("learned", f"lesson {n}", f"p{n}"), day(n)) for n in range(10)]
    ledger = ledger_after(*lessons)
    assert (len(ledger.new), ledger.supersessions) == (10, [])
    assert {f.status for f in ledger.facts.values()} == {CURRENT}


def test_case_c6_the_first_facts_are_new() -> None:
    ledger = ledger_after((make_claim("likes", "jazz", replaces="blues", stance=Stance.CORRECTS), T0))
    assert (list(ledger.new), standing(ledger)) == (["f1"], [("jazz", "current")])


def test_what_cannot_change_is_in_conflict_until_a_correction() -> None:
    first: list[Said] = [(make_claim("birthday", "05-14"), T0), (make_claim("birthday", "05-15", "p2"), day(40))]
    for said in (first, first[::-1]):
        ledger = read_one_by_one(*said)
        assert standing(ledger) == [("05-14", "conflicted"), ("05-15", "conflicted")]
        assert ledger.conflicts == {("f1", "f2")}
    right = make_claim("birthday", "05-14", "p3", stance=Stance.CORRECTS)
    after = ledger_after((right, day(50)), facts=ledger.facts.values())
    assert standing(after) == [("05-14", "current"), ("05-15", "retracted")]
    assert (after.resolved, after.conflicts) == ({"f1", "f2"}, set())
    assert links(after) == {("05-14", "correction", "05-15")}


def test_a_date_with_its_year_says_the_same_more_exactly() -> None:
    said: list[Said] = [(make_claim("birthday", "05-14"), T0), (make_claim("birthday", "1990-05-14", "p2"), day(1))]
    for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
        assert standing(ledger) == [("1990-05-14", "current")]
        assert len(by_object(ledger, "1990-05-14").sources) == 2


def test_two_objects_at_once_without_words_of_change_are_in_conflict() -> None:
    said: list[Said] = [(make_claim("lives_in", "Oslo"), T0), (make_claim("lives_in", "Rome", start=5, end=9), T0)]
    for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
        assert standing(ledger) == [("Oslo", "conflicted"), ("Rome", "conflicted")]
    later = ledger_after((make_claim("lives_in", "Rome", "p2"), day(9)), facts=ledger.facts.values())
    assert standing(later) == [("Oslo", "superseded"), ("Rome", "current")]
    moved = make_claim("lives_in", "Rome", start=5, end=9, stance=Stance.CHANGES)
    assert standing(ledger_after(said[0], (moved, T0))) == [("Oslo", "superseded"), ("Rome", "current")]


@pytest.mark.parametrize("object", ["Oslo", ""])
def test_an_end_closes_without_a_new_fact_and_is_kept_as_its_reason(object: str) -> None:
    end = make_claim("lives_in", object, "p2", stance=Stance.ENDS)
    said: list[Said] = [(make_claim("lives_in", "Oslo"), T0), (end, day(5))]
    for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
        (fact,) = (f for f in ledger.facts.values() if f.counts)
        assert (fact.object, fact.status, fact.valid_to, fact.support) == ("Oslo", SUPERSEDED, day(5), 1)
        assert fact.closed_at < NEVER
        assert ({s.page_id for s in fact.sources}, {s.page_id for s in fact.ends}) == ({"p1"}, {"p2"})
        assert ledger.waiting == []


def test_an_end_of_the_unknown_creates_nothing_and_is_counted() -> None:
    ledger = ledger_after((make_claim("likes", "tennis", stance=Stance.ENDS), T0))
    assert (ledger.facts, ledger.rejected, len(ledger.waiting)) == ({}, {"nothing_to_end": 1}, 1)
    after = Ledger.of([], NOW, waiting=ledger.waiting)
    after.take(make_claim("likes", "tennis", "p2"), "f1", {"p2": day(3)})
    after.settle()
    assert standing(after) == [("tennis", "current")]  # said again later


def test_an_end_and_a_new_job_in_one_breath() -> None:
    said: list[Said] = [
        (make_claim("works_at", "Acme"), T0),
        (make_claim("works_at", "", "p2", stance=Stance.ENDS), day(5)),
        (make_claim("works_at", "Initech", "p2", start=5, end=9, stance=Stance.CHANGES), day(5)),
    ]
    ledger = ledger_after(*said)
    assert standing(ledger) == [("Acme", "superseded"), ("Initech", "current")]
    assert links(ledger) == {("Initech", "change", "Acme")}
    assert by_object(ledger, "Acme").ends


def test_a_claim_about_the_past_is_history_and_no_support() -> None:
    past = make_claim("lives_in", "Oslo", "p2", valid_from=day(-900), valid_to=day(-400))
    said: list[Said] = [(make_claim("lives_in", "Oslo"), T0), (past, day(5))]
    for ledger in (ledger_after(*said), read_one_by_one(*said), read_one_by_one(*reversed(said))):
        old, new = sorted((f for f in ledger.facts.values() if f.counts), key=lambda f: f.valid_from)
        assert (old.status, old.valid_to, new.status, new.support) == (SUPERSEDED, day(-400), CURRENT, 1)


def test_a_plan_holds_for_its_stretch_and_is_revised_or_ended() -> None:
    trip = make_claim("plans_to", "see Rome", valid_from=day(30), valid_to=day(37))
    moved = make_claim("plans_to", "see Rome", "p2", valid_from=day(60), valid_to=day(67))
    said: list[Said] = [(trip, T0), (moved, day(10))]
    for ledger in (ledger_after(*said, now=day(11)), ledger_after(*reversed(said), now=day(11))):
        old, new = sorted(ledger.facts.values(), key=lambda f: f.valid_from)
        assert (old.status, old.valid_from, old.valid_to) == (SUPERSEDED, day(30), day(30))  # it never took place
        assert (new.status, new.valid_from, new.valid_to) == (CURRENT, day(60), day(67))
        assert {s.kind for s in ledger.supersessions} == {"change"}
    off = make_claim("plans_to", "see Rome", "p3", stance=Stance.ENDS)
    ended = ledger_after((off, day(12)), facts=ledger.facts.values(), now=day(12))
    assert {f.status for f in ended.facts.values()} == {SUPERSEDED}
    repeated = ledger_after(
        (make_claim("plans_to", "see Rome", "p4"), day(11)), facts=ledger.facts.values(), now=day(11)
    )
    assert repeated.repeats == 1


def test_knowledge_becomes_profile_when_it_was_said_a_week_apart() -> None:
    said: list[Said] = [(make_claim("likes", "jazz"), T0), (make_claim("likes", "jazz", "p2"), day(7))]
    assert read_one_by_one(said[0]).facts["f1"].kind is FactKind.KNOWLEDGE
    fact = read_one_by_one(*said).facts["f1"]
    assert (fact.kind, fact.profiled_at is not None) == (FactKind.PROFILE, True)
    assert ledger_after(said[0], (said[1][0], day(6))).facts["f1"].kind is FactKind.KNOWLEDGE
    assert ledger_after((make_claim("lives_in", "Oslo"), T0)).facts["f1"].kind is FactKind.PROFILE


def test_a_trait_has_one_level_at_a_time_and_holds_from_its_last_evidence() -> None:
    more = (Quote("p0", Side.USER, 0, 1, "q"),)
    low = make_claim("openness", "low", kind=FactKind.TRAIT, more=more, reason="Says so.")
    high = make_claim("openness", "high", "p9", kind=FactKind.TRAIT, more=(Quote("p8", Side.USER, 0, 1, "q"),))
    ledger = Ledger.of([], NOW)
    ledger.take(low, "f1", {"p0": T0, "p1": day(4)})
    ledger.take(high, "f2", {"p8": day(8), "p9": day(9)})
    ledger.settle()
    assert standing(ledger) == [("low", "superseded"), ("high", "current")]
    assert (ledger.facts["f1"].valid_from, len(ledger.facts["f1"].sources)) == (day(4), 2)


def test_the_opposite_is_looked_up_too() -> None:
    assert touched_predicates(["likes"]) == ["dislikes", "likes"]


PLACES = st.sampled_from(["Oslo", "Rome", "Bergen"])
STANCES = st.sampled_from([Stance.STATES, Stance.STATES, Stance.CHANGES, Stance.CORRECTS, Stance.ENDS])
HISTORY = st.lists(st.tuples(PLACES, st.integers(0, 20), STANCES, st.none() | PLACES), max_size=7)


def _told(predicate: str, history: list[tuple[str, int, Stance, str | None]]) -> list[Said]:
    return [
        (
            make_claim(predicate, place, f"p{n}", stance=stance, replaces=old if stance is Stance.CORRECTS else None),
            day(at),
        )
        for n, (place, at, stance, old) in enumerate(history)
    ]


def _outcome(ledger: Ledger) -> set[object]:
    return {
        (f.predicate, f.object, f.valid_from, f.valid_to if f.retired_by is None else None, f.status, f.sources, f.ends,
         f.support, f.kind)
        for f in ledger.facts.values()
        if f.counts and f.retired_by is None
    }  # fmt: skip


@pytest.mark.parametrize("predicate", ["lives_in", "from", "has_pet", "plans_to"])
@given(history=HISTORY, data=st.data())
def test_the_order_of_reading_does_not_matter(
    predicate: str, history: list[tuple[str, int, Stance, str | None]], data: st.DataObject
) -> None:
    said = _told(predicate, history)
    shuffled = data.draw(st.permutations(said))
    at_once = ledger_after(*said)
    assert _outcome(read_one_by_one(*shuffled)) == _outcome(at_once)
    assert _outcome(ledger_after(*shuffled)) == _outcome(at_once)


@given(history=HISTORY)
def test_one_current_object_forward_intervals_and_exact_sources(
    history: list[tuple[str, int, Stance, str | None]],
) -> None:
    ledger = read_one_by_one(*_told("lives_in", history))
    facts = [f for f in ledger.facts.values() if f.counts]
    assert len({f.object for f in facts if f.status is CURRENT}) <= 1
    assert all(f.valid_from <= f.valid_to for f in ledger.facts.values())
    assert all(f.valid_from == min(s.holds_from for s in f.said if not s.ends) for f in ledger.facts.values())
    spans = [span for f in facts for span in f.sources]
    ends = [span for f in facts for span in f.ends] + [one.span for one in ledger.waiting]
    assert sorted(s.page_id for s in (*spans, *ends)) == sorted(f"p{n}" for n in range(len(history)))


@given(history=HISTORY)
def test_nothing_believed_is_lost(history: list[tuple[str, int, Stance, str | None]]) -> None:
    """What a reader saw at some time can be worked out ever after: facts only grow, are closed once, or are retired."""
    seen: dict[str, Fact] = {}
    said = _told("lives_in", history)
    for n in range(len(said) + 1):
        for fact_id, fact in read_one_by_one(*said[:n]).facts.items():
            if old := seen.get(fact_id):
                assert old.sources <= fact.sources
                assert old.valid_to in (NEVER, fact.valid_to)
                assert old.retired_at in (NEVER, fact.retired_at)
            seen[fact_id] = fact


def _trait(page: str, level: str = "high", dimension: str = "music") -> Claim:
    return make_claim(dimension, level, page, kind=FactKind.TRAIT)


def test_hearsay_alone_is_no_fact_and_becomes_a_source_once_the_user_says_so() -> None:
    heard = (make_claim("lives_in", "Oslo", "p1", side=Side.ASSISTANT), T0)
    ledger = ledger_after(heard)
    assert (ledger.facts, ledger.rejected, len(ledger.waiting)) == ({}, {"hearsay": 1}, 1)
    (fact,) = read_one_by_one(heard, (make_claim("lives_in", "Oslo", "p2"), day(1))).facts.values()
    assert {s.side for s in fact.sources} == {"user", "assistant"}
    assert fact.support == 1


def test_a_trait_is_proposed_until_two_days_speak_for_it() -> None:
    assert standing(ledger_after((_trait("p1"), T0))) == [("high", "proposed")]
    assert standing(ledger_after((_trait("p1"), T0), (_trait("p2"), T0))) == [("high", "proposed")]
    ledger = read_one_by_one((_trait("p1"), T0), (_trait("p2"), day(1)))
    assert standing(ledger) == [("high", "current")]
    (fact,) = (f for f in ledger.facts.values() if f.counts)
    assert len(fact.sources) == 2


def test_a_careful_trait_needs_three_pages() -> None:
    two = [(_trait("p1", dimension="family"), T0), (_trait("p2", dimension="family"), day(1))]
    assert standing(read_one_by_one(*two)) == [("high", "proposed")]
    assert standing(read_one_by_one(*two, (_trait("p3", dimension="family"), day(2)))) == [("high", "current")]


def test_one_page_does_not_move_a_proven_level_and_two_do() -> None:
    proven = [(_trait("p1"), T0), (_trait("p2"), day(1)), (_trait("p3", "low"), day(5))]
    assert standing(read_one_by_one(*proven)) == [("high", "current"), ("low", "proposed")]
    moved = read_one_by_one(*proven, (_trait("p4", "low"), day(6)))
    assert standing(moved) == [("high", "superseded"), ("low", "current")]
