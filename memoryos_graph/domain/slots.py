"""Which statements meet: the slots of a set of statements, and how one slot acts on another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from .act import ActKind
from .claim import FactKind, Stance
from .predicates import PREDICATES, Policy, policy_of
from .statement import Statement, key
from .walk import Slot

_TRAITS = (FactKind.TRAIT, FactKind.ASSISTANT_TRAIT)


@dataclass(frozen=True, order=True)
class SlotKey:
    """What can hold one value at a time; `object` is empty where the object is the value."""

    subject: str
    predicate: str
    object: str
    trait: bool


def slot_of(statement: Statement, *, object: str | None = None) -> SlotKey:
    """The slot of a statement, or of another object of its predicate."""
    policy = policy_of(statement.predicate, statement.kind)
    opposite = PREDICATES[statement.predicate].opposite if statement.predicate in PREDICATES else None
    single = policy in (Policy.SINGLE, Policy.FIXED)
    return SlotKey(
        statement.subject,
        min(statement.predicate, opposite or statement.predicate),
        "" if single else key(statement.object if object is None else object),
        statement.kind in _TRAITS,
    )


def replaced_slot(statement: Statement) -> SlotKey | None:
    """The other slot that a statement acts on by `replaces`; None when it names nothing, or its own slot."""
    if not statement.replaces:
        return None
    slot = slot_of(statement, object=statement.replaces)
    return None if slot == slot_of(statement) else slot


def slots_touched(said: Iterable[Statement], new: Iterable[Statement]) -> set[SlotKey]:
    """The slots that new statements may change: their own, those they replace, and those that replace them.

    Also those that what is withdrawn had replaced.
    """
    stored = list(said)
    touched = {slot_of(one) for one in new} | {slot for one in new if (slot := replaced_slot(one))}
    touched |= {slot for one in stored if slot_of(one) in touched and (slot := replaced_slot(one))}
    return touched | {slot_of(one) for one in stored if replaced_slot(one) in touched}


def slots_from(said: Sequence[Statement], wanted: Iterable[SlotKey]) -> list[Slot]:
    """The wanted slots with all their statements."""
    inside: dict[SlotKey, list[Statement]] = defaultdict(list)
    blows: dict[SlotKey, list[Statement]] = defaultdict(list)
    for one in said:
        inside[slot_of(one)].append(one)
        if (replaced := replaced_slot(one)) and one.stance is not Stance.ENDS:
            blows[replaced].append(one)
    begins = _inherited(inside, blows)
    for restoration in [one for one in said if one.is_act(ActKind.RESTORE)]:
        for slot in {slot_of(one) for one in said if _undone_by(restoration, one, begins)}:
            if restoration not in blows[slot]:
                blows[slot].append(restoration)
    for slot, acting in blows.items():
        acting[:] = [one for one in acting if not _withdrawn(one, slot, said, begins)]
    return [_slot(inside[wish], blows[wish], dict(begins)) for wish in sorted(wanted) if inside[wish]]


def _slot(statements: Sequence[Statement], blows: Sequence[Statement], begins: dict[Statement, datetime]) -> Slot:
    one = statements[0]
    policy = policy_of(one.predicate, one.kind)
    precise = _precise(statements) if policy is Policy.FIXED else {}

    def value_of(statement: Statement) -> str | None:
        if policy is Policy.MANY:
            return statement.predicate
        if policy is Policy.INTERVAL:
            return f"{statement.begins}/{statement.until}"
        said = key(statement.object)
        return precise.get(said, said) or None

    return Slot(policy, value_of, statements, blows, begins)


def _precise(statements: Sequence[Statement]) -> dict[str, str]:
    """Dates without a year that are said with one elsewhere: they say the same, less exactly."""
    dates = {key(one.object) for one in statements}
    return {
        vague: full for vague in dates for full in dates if len(vague) == 5 and len(full) == 10 and full[5:] == vague
    }


def _inherited(
    inside: dict[SlotKey, list[Statement]], blows: dict[SlotKey, list[Statement]]
) -> dict[Statement, datetime]:
    """When corrections of other objects begin to hold: when what they correct was said to."""
    begins: dict[Statement, datetime] = {}
    corrections = {one: slot for slot, acting in blows.items() for one in acting if one.stance is Stance.CORRECTS}
    for correction in sorted(corrections, key=lambda one: one.order):
        denied = [one for one in inside.get(corrections[correction], ()) if one.order < correction.order]
        times = [_begins_of(one, begins) for one in denied if one.states]
        times = [at for at in times if correction.act is None or correction.act.covers(at)]
        if times and correction.begins is None:
            begins[correction] = min(times)
    return begins


def _begins_of(one: Statement, begins: Mapping[Statement, datetime]) -> datetime:
    """When a statement begins to hold: as it says itself, else as it has inherited, else when it was said."""
    return one.begins or begins.get(one, one.said_at)


def _undone_by(restoration: Statement, blow: Statement, begins: dict[Statement, datetime]) -> bool:
    """Whether a blow took the place of what holds after all."""
    if blow.order > restoration.order or replaced_slot(blow) != slot_of(restoration):
        return False
    return restoration.act is not None and restoration.act.covers(_begins_of(blow, begins))


def _withdrawn(blow: Statement, slot: SlotKey, said: Sequence[Statement], begins: dict[Statement, datetime]) -> bool:
    """Whether a caller said last that the words of a blow are not so, or that what they replaced holds after all."""
    at, withdrawn = _begins_of(blow, begins), False
    acts = [one for one in said if one.act and one.order > blow.order and slot_of(one).subject == slot_of(blow).subject]
    for one in sorted(acts, key=lambda one: one.order):
        meant = one.act is not None and one.act.covers(at)
        same = meant and slot_of(one) == slot_of(blow) and one.predicate == blow.predicate
        back = meant and slot_of(one) == slot
        if (one.is_act(ActKind.RETRACT) and same) or (one.is_act(ActKind.RESTORE) and back):
            withdrawn = True
        elif one.is_act(ActKind.RESTORE) and same:
            withdrawn = False
    return withdrawn
