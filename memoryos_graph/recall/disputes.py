"""What disagrees among the things that are shown: facts in conflict, and facts that newer words of the user deny."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..contract import FactOut, MemoryConflict
from ..domain.claim import Claim, Stance
from ..domain.page import Page
from ..domain.predicates import PREDICATES, Policy, policy_of
from ..domain.statement import USER_KINDS
from ..llm.rules.claims import claims


def disputes(
    facts: Sequence[FactOut], pages: Sequence[Page], markers: Mapping[str, int], most: int
) -> list[MemoryConflict]:
    """Conflicts among facts and pages (with the words shown of them) whose markers are given by id.

    Words newer than all that a fact rests on are read by the offline rules, whatever provider is set: what they say of
    the same thing wins over the fact, which a promotion has not caught up with yet.
    """
    return [*_unsettled(facts, markers), *_newer(facts, pages, markers)][:most]


def _unsettled(facts: Sequence[FactOut], markers: Mapping[str, int]) -> Iterator[MemoryConflict]:
    by_id = {fact.fact_id: fact for fact in facts}
    pairs = {tuple(sorted((fact.fact_id, other))) for fact in facts for other in fact.conflicts_with if other in by_id}
    for one, other in sorted(pairs):
        yield MemoryConflict(
            kind="unsettled",
            markers=[markers[one], markers[other]],
            newest=None,
            fact_ids=[one, other],
            page_ids=[],
            text=f"{by_id[one].text} / {by_id[other].text}",
        )


def _newer(facts: Sequence[FactOut], pages: Sequence[Page], markers: Mapping[str, int]) -> Iterator[MemoryConflict]:
    by_id = {page.page_id: page for page in pages}
    said = claims(sorted(pages, key=lambda page: page.seq))
    for fact in facts:
        against = next(iter(_against(fact, said, by_id)), None)
        if against is not None:
            yield MemoryConflict(
                kind="newer_evidence",
                markers=[markers[fact.fact_id], markers[against.page_id]],
                newest=markers[against.page_id],
                fact_ids=[fact.fact_id],
                page_ids=[against.page_id],
                text=f"{fact.text} / {against.quote}",
            )


def _against(fact: FactOut, said: Iterable[Claim], pages: Mapping[str, Page]) -> list[Claim]:
    """Newer claims that deny a fact, the newest first."""
    if fact.kind not in USER_KINDS or not fact.sources:
        return []
    newest = max(
        (source.event_time, pages[source.page_id].seq if source.page_id in pages else 0) for source in fact.sources
    )
    denying = [
        one for one in said if _denies(one, fact) and (pages[one.page_id].event_time, pages[one.page_id].seq) > newest
    ]
    return sorted(denying, key=lambda one: (pages[one.page_id].event_time, pages[one.page_id].seq), reverse=True)


def _denies(claim: Claim, fact: FactOut) -> bool:
    same = claim.object.casefold() == fact.object.casefold()
    if claim.predicate != fact.predicate:
        known = PREDICATES.get(fact.predicate)
        return same and known is not None and known.opposite == claim.predicate
    if claim.stance is Stance.ENDS:
        return same
    if claim.replaces and claim.replaces.casefold() == fact.object.casefold():
        return True
    one_at_a_time = policy_of(fact.predicate, fact.kind) in (Policy.SINGLE, Policy.FIXED)
    return one_at_a_time and not same
