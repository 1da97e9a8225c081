"""What was never so: which statements of a slot are denied by a correction or a caller's decision, and by which."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .act import ActKind
from .predicates import Policy
from .statement import Statement, key
from .validity import NEVER
from .walk import Slot, walk


def denials(slot: Slot, statements: Sequence[Statement]) -> dict[Statement, Statement]:
    """What was never so, with what says it. Denials work on what was said before them.

    Who takes back a correction lets hold again what it alone had denied, and who takes back a restoration denies it
    again. Each denial that says something itself takes over the beginning of what it denies, or of what it says once
    more.
    """
    denied: dict[Statement, Statement] = {}
    earlier: dict[Statement, dict[Statement, Statement]] = {}  # what was denied before each restoration
    unsure = set(unconfirmed(slot, statements))
    for denial in sorted((one for one in (*statements, *slot.blows) if one.denies), key=lambda one: one.order):
        foreign = denial in slot.blows
        known = [one for one in statements if one not in unsure or _withdraws(denial)]
        before = [one for one in known if one.order < denial.order]
        again = [] if foreign else _said_again(slot, denial, before)
        if denial.is_act(ActKind.RESTORE):
            earlier[denial] = dict(denied)
            denied = _all_but(again, denied)
        moot = denial.is_act(ActKind.CONFIRM) and not again  # what it confirmed is forgotten: it just states
        targets: list[Statement] = []
        while not moot:  # a restoration also denies what comes back with its first denials
            left = [one for one in before if one not in denied]
            found = _displaced(slot, denial, left, before) if foreign else _targets(slot, denial, left)
            if denial.is_act(ActKind.RETRACT, ActKind.RESTORE):
                denied = _all_but(again, _without(denied, found, earlier))
            denied |= dict.fromkeys(found, denial)
            targets += found
            if not found or not denial.is_act(ActKind.RESTORE):
                break
        proposals = [one for one in again if one.waits] if denial.is_act(ActKind.CONFIRM) and targets else []
        taken_over = [one for one in again if one not in proposals] or [one for one in targets if one.states]
        if taken_over and denial.begins is None and not foreign and denial.states:
            begins = min(map(slot.begins_of, taken_over))
            unsaid = [one for one in proposals if one.begins is None]
            slot.begins |= dict.fromkeys([denial, *unsaid], begins)
    return denied


def _all_but(again: Collection[Statement], denied: Mapping[Statement, Statement]) -> dict[Statement, Statement]:
    """What is denied, without what holds after all."""
    return {one: by for one, by in denied.items() if one not in again}


def _without(
    denied: Mapping[Statement, Statement],
    denials: Collection[Statement],
    earlier: Mapping[Statement, Mapping[Statement, Statement]],
) -> dict[Statement, Statement]:
    """What is denied when some denials are so no more: of a restoration, what was denied before it."""
    before = {one: by for denial in denials for one, by in earlier.get(denial, {}).items() if by not in denials}
    kept = {one: by for one, by in denied.items() if by not in denials}
    return {one: by for one, by in before.items() if denied.get(one) in (None, *denials)} | kept


def unconfirmed(slot: Slot, statements: Sequence[Statement]) -> list[Statement]:
    """Statements that dispute what holds, or that the policy asks about, until somebody confirms them.

    Where nothing holds, what disputes just states; what is asked about needs no asking where it holds already.
    """
    waiting: list[Statement] = []
    if not any(one.waits for one in statements):
        return waiting
    sure: list[Statement] = []
    for one in sorted(statements, key=lambda one: one.order):
        if one.is_act(ActKind.RETRACT):
            continue
        value = slot.value_of(one)
        confirmed = [c for c in statements if c.is_act(ActKind.CONFIRM) and c.order > one.order]
        if _waits(slot, one, sure) and not any(slot.value_of(c) == value for c in confirmed):
            waiting.append(one)
        else:
            sure.append(one)
    return waiting


def _waits(slot: Slot, one: Statement, sure: Sequence[Statement]) -> bool:
    if not one.waits:
        return False
    holding = {stretch.value for stretch in walk(slot, sure)[0] if stretch.until == NEVER}
    value = slot.value_of(one)
    return (one.asks and value not in holding) or (one.disputes and bool(holding - {value}))


def _withdraws(denial: Statement) -> bool:
    return denial.is_act(ActKind.RETRACT, ActKind.CORRECT)


def changed_then(slot: Slot, statements: Sequence[Statement]) -> None:
    """Let a caller's change hold from the time it names, though what it changed was said once more after that."""
    for change in sorted((*statements, *slot.blows), key=lambda one: one.order):
        if not change.is_act(ActKind.CHANGE) or not change.replaces:
            continue
        before = _named(slot, change, [one for one in statements if one.states and one.order < change.order])
        at = slot.begins_of(change)
        late = [one for one in before if slot.begins_of(one) > at]
        since = min([at, *map(slot.begins_of, before)])
        slot.begins |= dict.fromkeys(late, since)


def _said_again(slot: Slot, denial: Statement, before: Sequence[Statement]) -> list[Statement]:
    """The statements that a restoration or confirmation repeats."""
    if not denial.is_act(ActKind.RESTORE, ActKind.CONFIRM):
        return []
    value = slot.value_of(denial)
    return [one for one in before if one.states and slot.value_of(one) == value and _meant(slot, denial, one)]


def _displaced(
    slot: Slot, denial: Statement, left: Sequence[Statement], before: Sequence[Statement]
) -> list[Statement]:
    """What a denial from another slot denies; a restoration what took its place, and what let that hold again."""
    said = [one for one in left if one.states and _meant(slot, denial, one)]
    if not denial.is_act(ActKind.RESTORE):
        return said
    known = [one for one in before if one.states and _meant(slot, denial, one)]
    instead = any(_took_the_place_of(one, denial.object) for one in known)
    return [one for one in said if _took_the_place_of(one, denial.object) or (instead and one.is_act(ActKind.RESTORE))]


def _targets(slot: Slot, denial: Statement, before: Sequence[Statement]) -> list[Statement]:
    said = [one for one in before if one.states and _meant(slot, denial, one)]
    value = slot.value_of(denial)
    if denial.is_act(ActKind.RESTORE):
        ends = [one for one in before if not one.states and not one.act and slot.value_of(one) in (None, value)]
        ends = [one for one in ends if _meant(slot, denial, one)]
        return [*(one for one in said if slot.value_of(one) != value), *ends]
    if denial.is_act(ActKind.RETRACT):
        return [one for one in said if slot.value_of(one) == value]
    return _corrected(slot, denial, said, before)


def _took_the_place_of(one: Statement, object: str) -> bool:
    """Whether a statement named an object as replaced; taken to be so of a decision whose fact is forgotten."""
    if one.replaces:
        return key(one.replaces) == key(object)
    return one.act is not None and one.act.on is not None


def _corrected(
    slot: Slot, correction: Statement, said: Sequence[Statement], before: Sequence[Statement]
) -> list[Statement]:
    """What a correction in its own slot denies: the object it names; else what was believed to hold instead."""
    value = slot.value_of(correction)
    if correction.is_act(ActKind.CORRECT):
        return _named(slot, correction, said)
    if correction.replaces:
        named = [one for one in said if value != slot.value_of(one) and key(one.object) == key(correction.replaces)]
        if named:
            return named
    known = [one for one in before if not one.is_act(ActKind.RETRACT)]
    if correction.is_act(ActKind.CONFIRM):  # what it confirms has moved nothing so far
        known = [one for one in known if not (one.waits and slot.value_of(one) == value)]
    return [one for s in walk(slot, known)[0] if s.until == NEVER and s.value != value for one in s.states]


def _named(slot: Slot, act: Statement, said: Sequence[Statement]) -> list[Statement]:
    """The statements of the fact that a caller decided about; of two with one object, those of another value."""
    if not act.replaces:
        return []
    meant = [one for one in said if _meant(slot, act, one)]
    values = {slot.value_of(one) for one in meant if key(one.object) == key(act.replaces)}
    others = values - {slot.value_of(act)}
    wanted = others if slot.policy is Policy.MANY and others else values
    return [one for one in meant if slot.value_of(one) in wanted]


def _meant(slot: Slot, act: Statement, one: Statement) -> bool:
    return act.act is None or act.act.covers(slot.begins_of(one))
