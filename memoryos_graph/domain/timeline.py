"""What the statements of one slot make of it: stretches of time with one value each, whatever order they are read in.

A slot is what can hold one value at a time: a single-valued predicate with its objects as values, or one object of a
many-valued predicate (with `likes` or `dislikes` as the value, where there is an opposite).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .claim import FactKind, Stance
from .predicates import Policy
from .statement import Statement, key
from .traits import TRAITS
from .validity import NEVER
from .walk import PlanWalk, Slot, Stretch, Walk


@dataclass(frozen=True)
class Settled:
    """The stretches of a slot, and what waits: ends that found nothing to end, and hearsay that fits nothing yet."""

    stretches: list[Stretch]
    waiting: list[Statement]


def settle(slot: Slot) -> Settled:
    """Work a slot out from all its statements. Hearsay moves nothing and makes nothing (cases P7, P10).

    A trait without evidence enough stays proposed.
    """
    spoken = sorted(slot.statements, key=lambda one: one.order)
    first = [one for one in spoken if one.first_hand]
    heard = [one for one in spoken if not one.first_hand]
    denied = _denied(slot, first)
    unproven = _unproven(slot, [one for one in first if one not in denied])
    aside = {*denied, *(one for stretch in unproven for one in stretch.states)}
    stretches, waiting = _walk(slot, [one for one in first if one not in aside])
    stretches += [*_denied_stretches(slot, denied), *unproven]
    return Settled(stretches, [*waiting, *(one for one in heard if not _echoed(slot, one, stretches))])


def _walk(slot: Slot, statements: Sequence[Statement]) -> tuple[list[Stretch], list[Statement]]:
    """The stretches of statements in order of saying, and the ends among them that found nothing."""
    walk = PlanWalk(slot) if slot.policy is Policy.INTERVAL else Walk(slot)
    walk.through(statements)
    if len(walk.open) > 1:
        for stretch in walk.open:
            stretch.conflicts = True
    return walk.stretches, walk.waiting


def _unproven(slot: Slot, statements: Sequence[Statement]) -> list[Stretch]:
    """The levels of a trait that too few pages speak for (traits.py): they wait for more, and move nothing."""
    evidence: dict[str, list[Statement]] = defaultdict(list)
    for one in statements:
        if one.kind is FactKind.TRAIT and one.stance is not Stance.ENDS:
            evidence[slot.value_of(one) or ""].append(one)
    return [
        Stretch(value, min(map(slot.begins_of, states)), states, proposed=True)
        for value, states in evidence.items()
        if not TRAITS[states[0].predicate].proven_by({one.span.page_id: one.said_at for one in states})
    ]


def _denied(slot: Slot, statements: Sequence[Statement]) -> dict[Statement, Statement]:
    """What was never so, with the correction that says it. Corrections work on what was said before them."""
    denied: dict[Statement, Statement] = {}
    corrections = [one for one in (*statements, *slot.blows) if one.stance is Stance.CORRECTS]
    for correction in sorted(corrections, key=lambda one: one.order):
        before = [one for one in statements if one.order < correction.order and one not in denied]
        said = [one for one in before if one.stance is not Stance.ENDS]
        targets = said if correction in slot.blows else _corrected(slot, correction, said, before)
        denied |= dict.fromkeys(targets, correction)
        if targets and correction.begins is None and correction not in slot.blows:
            slot.begins[correction] = min(map(slot.begins_of, targets))
    return denied


def _corrected(
    slot: Slot, correction: Statement, said: Sequence[Statement], before: Sequence[Statement]
) -> list[Statement]:
    """What a correction in its own slot denies: the object it names; else what was believed to hold instead."""
    value = slot.value_of(correction)
    if correction.replaces:
        named = [one for one in said if value != slot.value_of(one) and key(one.object) == key(correction.replaces)]
        if named:
            return named
    stretches, _ = _walk(slot, before)
    return [one for s in stretches if s.until == NEVER and s.value != value for one in s.states]


def _denied_stretches(slot: Slot, denied: Mapping[Statement, Statement]) -> list[Stretch]:
    found: dict[tuple[str | None, Statement], Stretch] = {}
    for one, correction in denied.items():
        place = (slot.value_of(one), correction)
        stretch = found.setdefault(place, Stretch(place[0] or "", slot.begins_of(one), [], denied_by=correction))
        stretch.states.append(one)
        stretch.begins = min(stretch.begins, slot.begins_of(one))
    return list(found.values())


def _echoed(slot: Slot, one: Statement, stretches: Sequence[Stretch]) -> bool:
    """Whether what was heard repeats what is known: then it is a source of the stretch of its time."""
    if one.stance is Stance.ENDS:
        return False
    same = [s for s in stretches if s.value == slot.value_of(one) and s.denied_by is None]
    if not same:
        return False
    begun = [s for s in same if s.begins <= one.said_at]
    (max(begun, key=lambda s: s.begins) if begun else min(same, key=lambda s: s.begins)).states.append(one)
    return True
