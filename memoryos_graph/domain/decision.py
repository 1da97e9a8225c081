"""What a caller decides about a fact, as a statement that has its effect when facts are worked out."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from .act import Act, ActKind
from .claim import Claim
from .fact import Fact, FactStatus, Retirement
from .ledger import Ledger
from .predicates import Policy, policy_of
from .slots import replaced_slot, slot_of
from .statement import Span, Statement, key, statements_of
from .validity import NEVER

OLDER_VERSIONS = (Retirement.MERGE, Retirement.REFRESH)


def decide(ledger: Ledger, kind: ActKind, fact: Fact, claim: Claim, fact_id: str, said_at: datetime) -> Fact:
    """Settle the ledger with a decision about a fact, and give the fact as it is then: mostly `fact_id`, if it is new.

    The statement goes by the claim's words, and without a time of its own by the time of what it is about.
    """
    (said,) = statements_of(claim, {claim.page_id: said_at})
    ledger.decide(_with_times(replace(said, act=_act(ledger, kind, fact)), fact), claim, fact_id)
    ledger.settle()
    found = ledger.holder(said.span)
    assert found is not None, "what is decided about is known, so its decision stands with some fact"
    return found


def state(ledger: Ledger, claim: Claim, fact_id: str, said_at: datetime) -> Fact:
    """Settle the ledger with a fact stated by hand, and give it."""
    ledger.take(claim, fact_id, {claim.page_id: said_at})
    ledger.settle()
    found = ledger.holder(Span(claim.page_id, claim.side.value, claim.start, claim.end))
    assert found is not None, "new words of the user stand with some fact"
    return found


def objection(kind: ActKind, fact: Fact, valid_from: datetime | None) -> str | None:
    """Why this can't be decided about a fact as it stands; None when it can."""
    if fact.retired_by in OLDER_VERSIONS:
        return "this is an older version of the fact: decide about the newest one of its history"
    withdrawn = fact.retired_by is not None
    standing = fact.status in (FactStatus.CURRENT, FactStatus.CONFLICTED, FactStatus.ARCHIVED)
    if kind is ActKind.RESTORE:
        return "the fact holds: there is nothing to restore" if standing and not withdrawn else None
    if withdrawn:
        return "the fact is not believed any more: restore it, or decide about what took its place"
    if kind is ActKind.CONFIRM and fact.status is FactStatus.SUPERSEDED:
        return "the fact is over: restore it if it still holds"
    if kind is ActKind.CHANGE:
        if policy_of(fact.predicate, fact.kind) is Policy.FIXED:
            return "what this fact says can't change in the world: correct it"
        if fact.status is FactStatus.SUPERSEDED:
            return "the fact is over already: correct it, or decide about what took its place"
        if valid_from is not None and valid_from <= fact.valid_from:
            return "the fact began later than that: correct it instead"
    return None


def _act(ledger: Ledger, kind: ActKind, fact: Fact) -> Act:
    if kind is ActKind.RESTORE:
        ended = fact.retired_by is not None and fact.valid_to < NEVER
        return Act(kind, _displacing(ledger, fact), fact.valid_from, fact.valid_to if ended else None)
    alike = [other for other in ledger.facts.values() if other is not fact and other.counts and _same(other, fact)]
    since = fact.valid_from if any(other.valid_from < fact.valid_from for other in alike) else None
    until = fact.valid_to if any(other.valid_from >= fact.valid_to for other in alike) else None
    names = kind in (ActKind.CORRECT, ActKind.CHANGE)
    return Act(kind, fact.fact_id if names else None, since, until)


def _displacing(ledger: Ledger, fact: Fact) -> str | None:
    """The fact with another object that took the place of this one, as with a predicate that has many objects.

    Rather one that is believed; else one that is not any more: what withdrew it may be forgotten.
    """
    slots = {slot_of(one) for one in fact.statements}
    facts = [other for other in ledger.facts.values() if other.counts]
    by = [
        (other.retired_by is None, one.order, other.fact_id)
        for other in facts
        for one in other.statements
        if replaced_slot(one) in slots
    ]
    return max(by)[2] if by else None


def _with_times(one: Statement, fact: Fact) -> Statement:
    """A correction of what is bounded keeps its bounds, unless it names others; what was rolled back needs its own."""
    if one.is_act(ActKind.CORRECT):
        planned = policy_of(fact.predicate, fact.kind) is Policy.INTERVAL
        if planned or fact.ends:
            ends = fact.valid_to if fact.valid_to < NEVER else None
            return replace(one, begins=one.begins or fact.valid_from, until=one.until or ends)
    if one.is_act(ActKind.RESTORE) and not fact.counts:
        return replace(one, begins=fact.valid_from)
    return one


def _same(one: Fact, other: Fact) -> bool:
    return (one.subject, one.predicate, key(one.object)) == (other.subject, other.predicate, key(other.object))
