"""Taking statements out of what is known, as if they had never been said: what a forget does to facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from .fact import Fact, Source
from .ledger import Ledger
from .slots import SlotKey, replaced_slot, slot_of, slots_touched
from .statement import Statement, support_of


@dataclass
class Unsaid:
    """Facts that go, having no source left; the sources that others lose; what takes the place of what from now on."""

    forgotten: set[str] = field(default_factory=set)
    lost: dict[str, list[Source]] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)
    reworked: set[str] = field(default_factory=set)


def unsay(ledger: Ledger, gone: Callable[[Statement], bool]) -> Unsaid:
    """Take statements out and work out anew all that they touched (I2, I10): a fact survives if a statement does.

    Unlike anything else that happens to facts it leaves no trace: a fact that the lost words had ended or retired is
    open again in its own place, at every time of belief.
    """
    known = ledger.before
    everything = [one for fact in known.values() if fact.counts for one in fact.statements] + ledger.waiting
    result = Unsaid()
    kept: dict[str, Fact] = {}
    orphaned: list[Statement] = []  # they may end something else now
    for fact in known.values():
        lost: list[Source] = []
        said: list[Source] = []
        for source in fact.said:
            (lost if gone(source.statement) else said).append(source)
        if lost and all(source.ends for source in said):
            result.forgotten.add(fact.fact_id)
            orphaned += [source.statement for source in said] if fact.counts else []
            continue
        if lost:
            result.lost[fact.fact_id] = lost
        kept[fact.fact_id] = _with(fact, tuple(said)) if lost else fact
    removed = [one for one in everything if gone(one)]
    ledger.before, ledger.facts = kept, dict(kept)
    ledger.waiting = [one for one in ledger.waiting if not gone(one)] + orphaned
    ledger.erasing = True
    touched = _touched(everything, removed)
    ledger.settle(touched)
    result.reworked = {i for i, fact in ledger.facts.items() if {*slots_touched((), fact.statements)} & touched}
    result.links = {(one.newer, one.older) for one in ledger.supersessions}
    ledger.before = known
    return result


def _touched(everything: Sequence[Statement], removed: Sequence[Statement]) -> set[SlotKey]:
    """The slots of what is taken out, and all that follow from them: corrections inherit when things began."""
    touched, more = slots_touched(everything, removed), True
    while more:
        following = {slot_of(one) for one in everything if replaced_slot(one) in touched}
        more = not following <= touched
        touched |= following
    return touched


def _with(fact: Fact, said: tuple[Source, ...]) -> Fact:
    confidence, support = support_of(source.statement for source in said if not source.ends)
    begins = min(source.holds_from for source in said if not source.ends)
    version = fact.version + 1
    return replace(fact, said=said, confidence=confidence, support=support, valid_from=begins, version=version)
