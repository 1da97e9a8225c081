"""Taking words out of what is known: what is left is what would be known had they never been said."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_graph.domain.claim import Claim, Stance
from memoryos_graph.domain.fact import FactStatus
from memoryos_graph.domain.ledger import Ledger
from memoryos_graph.domain.unsaid import Unsaid, unsay
from memoryos_graph.domain.validity import NEVER

from .claims import NOW, Said, day, make_claim, read_one_by_one

SAYINGS = st.builds(
    lambda predicate, object, stance, replaces, says: make_claim(
        predicate, object, stance=stance, replaces=replaces, start=says, end=says + 1
    ),
    st.sampled_from(["lives_in", "likes", "dislikes", "allergic_to"]),
    st.sampled_from(["Oslo", "Bergen", "Rome"]),
    st.sampled_from(list(Stance)),
    st.none() | st.sampled_from(["Oslo", "Bergen"]),
    st.just(0),
)


def _said(claims: list[Claim]) -> list[Said]:
    return [(make_page(claim, n), day(n)) for n, claim in enumerate(claims)]


def make_page(claim: Claim, n: int) -> Claim:
    return Claim(**{**vars(claim), "page_id": f"p{n:02}"})


def forget(ledger: Ledger, pages: set[str]) -> tuple[Ledger, Unsaid]:
    again = Ledger.of(ledger.facts.values(), NOW, waiting=ledger.waiting, stem="w")
    return again, unsay(again, lambda one: one.span.page_id in pages)


def standing(ledger: Ledger) -> list[tuple[object, ...]]:
    """What is believed, without ids, versions and times of belief."""
    return sorted(
        (
            f.predicate,
            f.object,
            f.status.value,
            f.valid_from,
            f.valid_to,
            f.support,
            round(f.confidence, 6),
            sorted(s.page_id for s in f.sources),
            sorted(s.page_id for s in f.ends),
        )
        for f in ledger.facts.values()
        if f.retired_at == NEVER
    )


def withdrawn(ledger: Ledger) -> set[tuple[str, str, str]]:
    """What never was so, by who said it; which of several such facts carries it depends on the order of reading."""
    return {
        (f.predicate, f.object, span.page_id)
        for f in ledger.facts.values()
        if f.counts and f.retired_at < NEVER
        for span in f.sources
    }


@settings(max_examples=300, derandomize=True)
@given(claims=st.lists(SAYINGS, min_size=1, max_size=7), gone=st.sets(st.integers(0, 6), min_size=1))
def test_what_is_left_is_what_would_be_known_had_it_never_been_said(claims: list[Claim], gone: set[int]) -> None:
    said = _said(claims)
    pages = {f"p{n:02}" for n in gone}
    left, result = forget(read_one_by_one(*said), pages)
    never_said = read_one_by_one(*[one for one in said if one[0].page_id not in pages])
    assert (standing(left), withdrawn(left)) == (standing(never_said), withdrawn(never_said))
    for fact in left.facts.values():
        assert not pages & {one.span.page_id for one in fact.statements}
    assert not result.forgotten & left.facts.keys()


def test_case_f2_a_fact_said_twice_stays_with_the_source_that_is_left() -> None:
    ledger = read_one_by_one((make_claim("lives_in", "Oslo"), day(0)), (make_claim("lives_in", "Oslo", "p2"), day(1)))
    left, result = forget(ledger, {"p1"})
    (fact,) = left.facts.values()
    assert ({s.page_id for s in fact.sources}, fact.support, fact.valid_from) == ({"p2"}, 1, day(1))
    assert (result.forgotten, set(result.lost)) == (set(), {fact.fact_id})


def test_case_f21_what_the_forgotten_had_ended_holds_again_and_never_ended() -> None:
    moved = make_claim("lives_in", "Rome", "p2", stance=Stance.CHANGES)
    ledger = read_one_by_one((make_claim("lives_in", "Oslo"), day(0)), (moved, day(9)))
    left, result = forget(ledger, {"p2"})
    (oslo,) = left.facts.values()
    assert (oslo.fact_id, oslo.object, oslo.status, oslo.valid_to) == ("f1", "Oslo", FactStatus.CURRENT, NEVER)
    assert (oslo.closed_at, oslo.retired_at) == (NEVER, NEVER)
    assert result.forgotten == {"f2"}
