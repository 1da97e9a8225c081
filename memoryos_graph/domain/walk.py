"""One pass through the time of a slot: what begins, what ends, and what disagrees.

A slot is what can hold one value at a time: a single-valued predicate with its objects as values, or one object of a
many-valued predicate (with `likes` or `dislikes` as the value, where there is an opposite).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from .claim import Stance
from .predicates import Policy
from .statement import Statement
from .validity import NEVER

ValueOf = Callable[[Statement], str | None]


@dataclass(eq=False)
class Stretch:
    """One value for a time. `displaced_by` says what took its place, `denied_by` what says that it never was."""

    value: str
    begins: datetime
    states: list[Statement]
    until: datetime = NEVER
    ends: list[Statement] = field(default_factory=list)
    displaced_by: list[Statement] = field(default_factory=list)
    denied_by: Statement | None = None
    conflicts: bool = False
    proposed: bool = False


@dataclass
class Slot:
    """The statements of one slot, and `blows`: statements about other objects that name this one as replaced."""

    policy: Policy
    value_of: ValueOf
    statements: Sequence[Statement]
    blows: Sequence[Statement] = ()
    begins: dict[Statement, datetime] = field(default_factory=dict)

    def begins_of(self, statement: Statement) -> datetime:
        """When what a statement says begins to hold; a correction takes over the beginning of what it corrects."""
        return self.begins.get(statement) or statement.begins or statement.said_at


class _Pass:
    """What a pass has found so far; `open` is what holds at the moment, `waiting` the ends that found nothing."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.stretches: list[Stretch] = []
        self.open: list[Stretch] = []
        self.waiting: list[Statement] = []


class Walk(_Pass):
    """Values that displace each other; `open` has more than one where statements disagree."""

    def through(self, statements: Sequence[Statement]) -> None:
        """Let the statements have their effect in the order of the world."""
        events = sorted(self._events(statements), key=lambda event: (event[0], event[1].order))
        for at, group in groupby(events, key=lambda event: event[0]):
            happened = list(group)
            states = [one for _, one, is_end in happened if not is_end]
            ends = [one for _, one, is_end in happened if is_end]
            late = [one for one in ends if not self._end(one, at, states)]
            self._state(states, at)
            for one in late:
                self._end_late(one, at, states)

    def _events(self, statements: Sequence[Statement]) -> Iterator[tuple[datetime, Statement, bool]]:
        """When statements take effect; True for an end."""
        for one in statements:
            if one.stance is Stance.ENDS:
                yield one.begins or one.said_at, one, True
                continue
            begins = self.slot.begins_of(one)
            if not _begins_unknown(one):
                yield begins, one, False
            if one.until is not None:
                yield one.until if _begins_unknown(one) else max(one.until, begins), one, True
        for blow in self.slot.blows:
            if not blow.denies:
                yield self.slot.begins_of(blow), blow, True

    def _end(self, one: Statement, at: datetime, states: Sequence[Statement]) -> bool:
        """End what held until now; False when there is nothing, or when it was said again in the same moment."""
        if one in self.slot.blows:
            found = list(self.open)
        else:
            value = self.slot.value_of(one)
            if any(self.slot.value_of(state) == value and state.order <= one.order for state in states):
                return False
            found = [s for s in self.open if value in (None, s.value)]
            if value is None and len(found) != 1:
                return False
        for stretch in found:
            self._close(stretch, at, one)
        return bool(found)

    def _end_late(self, one: Statement, at: datetime, states: Sequence[Statement]) -> None:
        """End what began in this moment, or note why it ended; what has nothing to end waits."""
        value = self.slot.value_of(one)
        said_before = any(self.slot.value_of(state) == value and state.order <= one.order for state in states)
        found = [s for s in self.open if said_before and s.value == value]
        found += [s for s in self.stretches if s.until == at and value in (None, s.value)]
        if found:
            self._close(found[0], at, one)
        elif one.stance is Stance.ENDS:
            self.waiting.append(one)
        elif _begins_unknown(one) and value is not None:
            self.stretches.append(Stretch(value, at, [one], until=at))

    def _close(self, stretch: Stretch, at: datetime, by: Statement) -> None:
        stretch.until = at
        if stretch in self.open:
            self.open.remove(stretch)
        if by in self.slot.blows:
            stretch.displaced_by.append(by)
        elif by not in stretch.states:
            stretch.ends.append(by)

    def _state(self, states: Sequence[Statement], at: datetime) -> None:
        """What is said to hold from now on. Without words of change, two values at once contradict each other."""
        if self.slot.policy is Policy.FIXED:
            together = [states] if states else []
            keeps = {s.value for s in self.open}
        else:
            plain = [one for one in states if not one.changes]
            changes = [one for one in states if one.changes]
            together = [group for group in (plain, *([one] for one in changes)) if group]
            keeps = set()
        for group in together:
            values = keeps | {self.slot.value_of(one) for one in group}
            for stretch in [s for s in self.open if s.value not in values]:
                stretch.until = at
                stretch.displaced_by.append(group[0])
                self.open.remove(stretch)
            for one in group:
                self._hold(one, at)

    def _hold(self, one: Statement, at: datetime) -> None:
        value = self.slot.value_of(one) or ""
        if found := next((s for s in self.open if s.value == value), None):
            found.states.append(one)
            return
        for ended in self.stretches:
            if ended.until == at and ended.value != value and not ended.displaced_by:
                ended.displaced_by.append(one)
        stretch = Stretch(value, at, [one])
        self.stretches.append(stretch)
        self.open.append(stretch)


class PlanWalk(_Pass):
    """Stretches that are announced: another one for the same object revises the last, from the moment it is said."""

    def through(self, statements: Sequence[Statement]) -> None:
        """Let the statements have their effect in the order of saying."""
        blows = [blow for blow in self.slot.blows if not blow.denies]
        for one in sorted((*statements, *blows), key=lambda one: one.order):
            self.open = [s for s in self.open if s.until > one.said_at]
            if one.stance is Stance.ENDS or one in self.slot.blows:
                self._end(one)
            elif not self._repeats(one):
                self._revise(one)

    def _end(self, one: Statement) -> None:
        if not self.open and one.stance is Stance.ENDS:
            self.waiting.append(one)
        for stretch in self.open:
            _cut(stretch, one.begins or one.said_at)
            (stretch.displaced_by if one in self.slot.blows else stretch.ends).append(one)
        self.open = []

    def _repeats(self, one: Statement) -> bool:
        unsaid = one.begins is None and one.until is None
        found = next((s for s in self.open if unsaid or s.value == self.slot.value_of(one)), None)
        if found:
            found.states.append(one)
        return found is not None

    def _revise(self, one: Statement) -> None:
        begins = self.slot.begins_of(one)
        ends = NEVER if one.until is None else one.until
        stretch = Stretch(self.slot.value_of(one) or "", min(begins, ends), [one], until=ends)
        self.stretches.append(stretch)
        if one.over:
            return
        for revised in self.open:
            _cut(revised, one.said_at)
            revised.displaced_by.append(one)
        self.open = [stretch]


def walk(slot: Slot, statements: Sequence[Statement]) -> tuple[list[Stretch], list[Statement]]:
    """The stretches of statements in order of saying, and the ends among them that found nothing."""
    going = PlanWalk(slot) if slot.policy is Policy.INTERVAL else Walk(slot)
    going.through(statements)
    if len(going.open) > 1:
        for stretch in going.open:
            stretch.conflicts = True
    return going.stretches, going.waiting


def _cut(stretch: Stretch, at: datetime) -> None:
    stretch.until = max(stretch.begins, min(stretch.until, at))


def _begins_unknown(one: Statement) -> bool:
    return one.over and one.begins is None
