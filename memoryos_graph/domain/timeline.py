"""What the statements of one slot make of it: stretches of time with one value each, whatever order they are read in.

A slot is what can hold one value at a time: a single-valued predicate with its objects as values, or one object of a
many-valued predicate (with `likes` or `dislikes` as the value, where there is an opposite).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .act import ActKind
from .claim import FactKind, Stance
from .denial import changed_then, denials, unconfirmed
from .statement import Statement
from .traits import TRAITS
from .walk import Slot, Stretch, walk


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
    denied = denials(slot, first)
    withdrawn = _denied_stretches(slot, first, denied)
    left = [one for one in first if one not in denied]
    unproven = _proposed(slot, unconfirmed(slot, left))
    disputed = {one for stretch in unproven for one in stretch.states}
    unproven += _unproven(slot, [one for one in left if one.states and one not in disputed])
    aside = {*denied, *(one for stretch in (*withdrawn, *unproven) for one in (*stretch.states, *stretch.ends))}
    rest = [one for one in first if one not in aside and not one.is_act(ActKind.RETRACT)]
    changed_then(slot, rest)
    stretches, waiting = walk(slot, rest)
    stretches += [*withdrawn, *unproven]
    kept = {one for stretch in stretches for one in (*stretch.states, *stretch.ends)}
    waiting += [one for one in first if one not in kept and _may_wait(one, slot, first, denied)]
    return Settled(stretches, [*waiting, *(one for one in heard if not _echoed(slot, one, stretches))])


def _may_wait(one: Statement, slot: Slot, first: Sequence[Statement], denied: Collection[Statement]) -> bool:
    """Whether what moves nothing now may do so later: a denied end, and a retraction as long as its fact is known."""
    if one.is_act(ActKind.RETRACT):
        return any(other.states and slot.value_of(other) == slot.value_of(one) for other in first)
    return one.stance is Stance.ENDS and one in denied


def _unproven(slot: Slot, statements: Sequence[Statement]) -> list[Stretch]:
    """The levels of a trait that too few pages speak for (traits.py): they wait for more, and move nothing."""
    evidence: dict[str, list[Statement]] = defaultdict(list)
    for one in statements:
        if one.kind is FactKind.TRAIT and one.stance is not Stance.ENDS:
            evidence[slot.value_of(one) or ""].append(one)
    unproven = [
        one
        for states in evidence.values()
        for one in states
        if not any(other.act for other in states)
        and not TRAITS[one.predicate].proven_by({other.span.page_id: other.said_at for other in states})
    ]
    return _proposed(slot, unproven)


def _proposed(slot: Slot, statements: Sequence[Statement]) -> list[Stretch]:
    """What waits to be believed, by value: it moves nothing."""
    found: dict[str, Stretch] = {}
    for one in statements:
        value = slot.value_of(one) or ""
        stretch = found.setdefault(value, Stretch(value, slot.begins_of(one), [], proposed=True))
        stretch.states.append(one)
        stretch.begins = min(stretch.begins, slot.begins_of(one))
    return list(found.values())


def _denied_stretches(slot: Slot, first: Sequence[Statement], denied: Mapping[Statement, Statement]) -> list[Stretch]:
    """What never was, by value and by what says so; a caller's decision takes along the words that ended it."""
    found: dict[tuple[str | None, Statement], Stretch] = {}
    for one, denial in denied.items():
        if not one.states:
            continue
        place = (slot.value_of(one), denial)
        stretch = found.setdefault(place, Stretch(place[0] or "", slot.begins_of(one), [], denied_by=denial))
        stretch.states.append(one)
        stretch.begins = min(stretch.begins, slot.begins_of(one))
    for (_, denial), stretch in found.items():
        if denial.act is not None:
            before = [one for one in first if one.order < denial.order and not one.is_act(ActKind.RETRACT)]
            ended = [
                s for s in walk(slot, before)[0] if set(s.states) & set(stretch.states) and set(s.states) <= set(denied)
            ]
            stretch.ends += [end for s in ended for end in s.ends if end not in denied]
            stretch.ends += [denial] if denial.is_act(ActKind.RETRACT) else []
    return list(found.values())


def _echoed(slot: Slot, one: Statement, stretches: Sequence[Stretch]) -> bool:
    """Whether what was heard repeats what is known: then it is a source of the stretch of its time."""
    if one.stance is Stance.ENDS:
        return False
    alike = [s for s in stretches if s.value == slot.value_of(one)]
    same = [s for s in alike if s.denied_by is None]
    same = same or [s for s in alike if s.denied_by and s.denied_by.act and one.order < s.denied_by.order]
    if not same:
        return False
    begun = [s for s in same if s.begins <= one.said_at]
    (max(begun, key=lambda s: s.begins) if begun else min(same, key=lambda s: s.begins)).states.append(one)
    return True
