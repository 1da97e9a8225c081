"""What claims do to facts: the policy applied to what is stored, as the changes that have to be written.

Every slot a claim touches is worked out anew from all its statements (domain.timeline), so that the order of reading
does not matter. What is stored is then changed as little as possible, and nothing that was ever believed is lost: a
fact only grows, is closed once, or is retired; whatever else changes makes a newer version of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations

from .act import ActKind
from .claim import Claim, FactKind, Stance
from .fact import Fact, FactStatus, Retirement, Source
from .slots import SlotKey, slots_from, slots_touched
from .statement import Span, Statement, key, kind_of, statements_of, support_of
from .timeline import settle
from .validity import NEVER
from .walk import Slot, Stretch


@dataclass(frozen=True)
class Supersession:
    """A newer fact takes the place of an older one: by a change, as a correction, or as a newer version of it."""

    newer: str
    older: str
    kind: str


@dataclass
class Ledger:
    """What is known, what claims made of it, and why. What is `new`, `copied` or `changed` has to be written."""

    facts: dict[str, Fact]
    now: datetime
    stem: str = "fact"
    waiting: list[Statement] = field(default_factory=list)
    waited: list[Statement] = field(default_factory=list)
    before: dict[str, Fact] = field(default_factory=dict)
    new: dict[str, Claim] = field(default_factory=dict)
    copied: dict[str, str] = field(default_factory=dict)
    added: dict[str, list[Source]] = field(default_factory=dict)
    supersessions: list[Supersession] = field(default_factory=list)
    conflicts: set[tuple[str, str]] = field(default_factory=set)
    rejected: Counter[str] = field(default_factory=Counter)
    repeats: int = 0
    erasing: bool = False
    _taken: dict[Statement, tuple[str, Claim]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, facts: Iterable[Fact], now: datetime, *, waiting: Iterable[Statement] = (), stem: str = "fact"
    ) -> Ledger:
        """A ledger over the stored facts that claims may touch, and the ends that wait for something to end.

        `stem` begins the ids of newer versions; it must be unique to the execution.
        """
        given = list(facts)
        objects = {fact.fact_id: fact.object for fact in given}
        stored = {fact.fact_id: _resolved(fact, objects) for fact in given}
        waited = [_replacing(one, objects) for one in waiting]
        return cls(dict(stored), now, stem, waited, list(waited), stored)

    @property
    def changed(self) -> set[str]:
        """Stored facts that are not as they were."""
        return {i for i, fact in self.before.items() if i in self.facts and self.facts[i] is not fact}

    @property
    def resolved(self) -> set[str]:
        """Stored facts that were in conflict and are no more."""
        return {
            fact_id
            for fact_id, fact in self.before.items()
            if fact.status is FactStatus.CONFLICTED
            and fact_id in self.facts
            and self.facts[fact_id].status is not FactStatus.CONFLICTED
        }

    def take(self, claim: Claim, fact_id: str, said_at: Mapping[str, datetime]) -> None:
        """Let one checked claim have its effect at the next settle; `said_at` has the event times of its pages.

        Words that were read before have none, whatever became of them: re-reading brings nothing back (I9).
        """
        self._note(claim, fact_id, statements_of(claim, said_at))

    def _note(self, claim: Claim, fact_id: str, said: Iterable[Statement]) -> None:
        known = {_place(one) for fact in self.facts.values() for one in fact.statements}
        known |= {_place(one) for one in (*self.waiting, *self._taken)}
        for one in said:
            if _place(one) not in known:
                self._taken[one] = (fact_id, claim)

    def echo(self, claim: Claim, said_at: Mapping[str, datetime]) -> None:
        """Let somebody else repeat what the user said: a source of what is known, and nothing else."""
        self._note(claim, "", statements_of(claim, said_at, echo=True))

    def decide(self, statement: Statement, claim: Claim, fact_id: str) -> None:
        """Let what a caller decided have its effect at the next settle; a new fact of it gets `fact_id`."""
        objects = {fact.fact_id: fact.object for fact in self.facts.values()}
        self._taken[_replacing(statement, objects)] = (fact_id, claim)

    def holder(self, span: Span) -> Fact | None:
        """The fact that a span of words is a source of now."""
        facts = (fact for fact in self.facts.values() if fact.counts and span in fact.sources | fact.ends)
        return next(facts, None)

    def settle(self, touched: Collection[SlotKey] = ()) -> None:
        """Work out every slot that the claims touch, and those named; once, when all are taken."""
        taken = list(self._taken)
        stored = [one for fact in self.facts.values() if fact.counts for one in fact.statements]
        said = [*stored, *self.waiting, *taken]
        settled = [(slot, settle(slot)) for slot in slots_from(said, {*slots_touched(said, taken), *touched})]
        inside = {one for slot, _ in settled for one in slot.statements}
        self.waiting = [one for one in self.waiting if one not in inside]
        found: dict[Statement, str] = {}
        placed: list[tuple[Slot, Stretch, str]] = []
        for slot, result in settled:
            self.waiting += result.waiting
            self.rejected.update(_reason(one) for one in result.waiting if one in self._taken)
            placed += [(slot, stretch, fact_id) for stretch, fact_id in self._place_all(slot, result.stretches)]
            disagreeing = sorted(i for its, stretch, i in placed if stretch.conflicts and its is slot)
            self.conflicts.update(combinations(disagreeing, 2))
        for _, stretch, fact_id in placed:
            found |= dict.fromkeys(stretch.states, fact_id)
        for _, stretch, fact_id in placed:
            self._link(stretch, fact_id, found)
        self._taken.clear()

    def _place_all(self, slot: Slot, stretches: Sequence[Stretch]) -> list[tuple[Stretch, str]]:
        """Give each stretch its fact: the stored one that fits, else a new one; and retire what is left without."""
        own = set(slot.statements)
        rest = {f.fact_id: f for f in self.before.values() if f.counts and own & set(f.statements)}
        placed = [(stretch, self._place(slot, stretch, rest)) for stretch in stretches]
        for older in rest.values():
            heirs = [(s, fact_id) for s, fact_id in placed if set(older.statements) & {*s.states, *s.ends}]
            kind = Retirement.MERGE if any(i in self.before for _, i in heirs) else Retirement.REFRESH
            self._retire(older, kind)
            self.supersessions += [Supersession(i, older.fact_id, "refresh") for _, i in heirs if i not in self.before]
            self.supersessions += [Supersession(i, older.fact_id, "merge") for _, i in heirs if i in self.before]
        return placed

    def _place(self, slot: Slot, stretch: Stretch, rest: dict[str, Fact]) -> str:
        fits = [fact for fact in rest.values() if self._fits(slot, stretch, fact)]
        if not fits:
            return self._create(slot, stretch)
        if self.erasing:
            return self._restate(slot, stretch, rest.pop(max(fits, key=lambda fact: len(fact.said)).fact_id))
        kept = rest.pop(fits[0].fact_id)
        known = set(kept.statements)
        if stretch.denied_by:
            for fact in fits[1:]:  # each keeps what it had
                known |= set(fact.statements)
                self._deny(rest.pop(fact.fact_id), ())
        added = [s for s in _sources(slot, stretch) if s.statement not in known]
        self._deny(kept, added) if stretch.denied_by else self._grow(stretch, kept, added)
        return kept.fact_id

    def _fits(self, slot: Slot, stretch: Stretch, fact: Fact) -> bool:
        """Whether a stored fact can become a stretch by growing, closing or retiring alone."""
        inside = {*stretch.states, *stretch.ends}
        same = _value(slot, fact) == stretch.value and key(fact.object) == key(_lead(stretch).object)
        if not same or not set(fact.statements) <= inside:
            return False
        if self.erasing or stretch.denied_by:
            return True
        own = [s for s in fact.said if not s.ends and s.statement.first_hand]
        kept = all(s.holds_from == _holds_from(slot, stretch, s.statement) for s in own)
        unmoved = fact.retired_by is None and fact.valid_to in (NEVER, stretch.until)
        return unmoved and kept and fact.proposed == stretch.proposed

    def _restate(self, slot: Slot, stretch: Stretch, fact: Fact) -> str:
        """Make a fact what its stretch says, in its own place, as if what was taken out had never been said."""
        said = _sources(slot, stretch)
        known = set(fact.statements)
        as_new = replace(fact, retired_at=NEVER, retired_by=None, proposed=stretch.proposed)
        restated = self._as_stretch(as_new, stretch, said)
        if stretch.until == NEVER:
            restated = replace(restated, closed_at=NEVER)
        if stretch.denied_by:
            restated = self._retired(replace(restated, retired_at=fact.retired_at), Retirement.CORRECTION)
        self._keep(fact, restated, [source for source in said if source.statement not in known])
        return fact.fact_id

    def _grow(self, stretch: Stretch, fact: Fact, added: Sequence[Source]) -> None:
        self._keep(fact, self._as_stretch(fact, stretch, (*fact.said, *added)), added)

    def _deny(self, fact: Fact, added: Sequence[Source]) -> None:
        begins = min(s.holds_from for s in (*fact.said, *added) if not s.ends)
        denied = replace(fact, said=(*fact.said, *added), valid_from=begins)
        self._keep(fact, self._retired(denied, Retirement.CORRECTION), added)

    def _keep(self, fact: Fact, grown: Fact, added: Sequence[Source]) -> None:
        self.repeats += sum(not s.ends for s in added)
        if grown != fact:
            self.facts[fact.fact_id] = replace(grown, version=fact.version + 1)
        if added:
            self.added[fact.fact_id] = list(added)

    def _create(self, slot: Slot, stretch: Stretch) -> str:
        """A fact for a stretch that has none: the first claim's, or a newer version of what said it before."""
        new = [one for one in stretch.states if one in self._taken]
        lead = _lead(stretch)
        first = next((one for one in new if one.object == lead.object), None)
        if first and self._taken[first][0] not in self.new:
            fact_id, self.new[self._taken[first][0]] = self._taken[first]
        else:
            fact_id = f"{self.stem}-{len(self.copied) + 1}"
            self.copied[fact_id] = self._parent(stretch)
        sources = _sources(slot, stretch)
        fact = Fact(
            fact_id=fact_id,
            kind=lead.kind,
            subject=lead.subject,
            predicate=lead.predicate,
            object=lead.object,
            valid_from=stretch.begins,
            confidence=0,
            proposed=stretch.proposed,
            said=sources,
        )
        fact = self._as_stretch(fact, stretch, sources)
        self.facts[fact_id] = self._retired(fact, Retirement.CORRECTION) if stretch.denied_by else fact
        self.added[fact_id] = list(sources)
        self.repeats += max(0, len({self._taken[one][0] for one in new}) - 1)
        return fact_id

    def _parent(self, stretch: Stretch) -> str:
        """The stored fact that a newer version takes its words from; or the claim of this ledger that said them."""
        for one in stretch.states:
            for fact in self.before.values():
                alike = self.erasing or key(fact.object) == key(_lead(stretch).object)
                if one in fact.statements and alike:
                    return fact.fact_id
        return self._taken[stretch.states[0]][0]

    def _as_stretch(self, fact: Fact, stretch: Stretch, said: Sequence[Source]) -> Fact:
        states = [s.statement for s in said if not s.ends]
        confidence, support = support_of(states)
        kind = kind_of(states)
        lasting = kind is FactKind.PROFILE and fact.kind is FactKind.KNOWLEDGE
        return replace(
            fact,
            kind=kind,
            profiled_at=self.now if lasting and fact.fact_id in self.before else fact.profiled_at,
            valid_from=stretch.begins,
            valid_to=stretch.until,
            closed_at=self.now if fact.valid_to != stretch.until else fact.closed_at,
            status=self._status(stretch, fact, len(said)),
            confidence=confidence,
            support=support,
            said=tuple(said),
        )

    def _status(self, stretch: Stretch, fact: Fact, n_said: int) -> FactStatus:
        if stretch.until <= self.now or stretch.ends or stretch.displaced_by:
            return FactStatus.SUPERSEDED
        if stretch.conflicts:
            return FactStatus.CONFLICTED
        if stretch.proposed:
            return FactStatus.PROPOSED
        asleep = fact.status is FactStatus.ARCHIVED and n_said == len(fact.said)
        return FactStatus.ARCHIVED if asleep else FactStatus.CURRENT

    def _retired(self, fact: Fact, by: Retirement) -> Fact:
        """Believed no longer, from now or from when it was withdrawn before."""
        status = FactStatus.RETRACTED if by is Retirement.CORRECTION else FactStatus.SUPERSEDED
        return replace(fact, retired_at=min(fact.retired_at, self.now), retired_by=by, status=status)

    def _retire(self, fact: Fact, by: Retirement) -> None:
        self.facts[fact.fact_id] = replace(self._retired(fact, by), version=fact.version + 1)

    def _link(self, stretch: Stretch, fact_id: str, found: Mapping[Statement, str]) -> None:
        """Note what took the place of what, and what disagrees."""
        by = [(one, "change") for one in stretch.displaced_by]
        if stretch.denied_by and not stretch.denied_by.is_act(ActKind.RETRACT):
            by += [(stretch.denied_by, "restore" if stretch.denied_by.is_act(ActKind.RESTORE) else "correction")]
        for one, kind in by:
            newer = found.get(one) or self._fact_of(one)
            touched = self.erasing or {newer, fact_id} & {*self.new, *self.copied, *self.changed}
            if newer and newer != fact_id and touched:
                self.supersessions.append(Supersession(newer, fact_id, kind))

    def _fact_of(self, statement: Statement) -> str | None:
        """The fact that a statement of an untouched slot carries."""
        facts = (f for f in self.facts.values() if f.counts and statement in f.statements)
        return next((f.fact_id for f in facts), None)


def _resolved(fact: Fact, objects: Mapping[str, str]) -> Fact:
    said = tuple(replace(source, statement=_replacing(source.statement, objects)) for source in fact.said)
    return replace(fact, said=said)


def _replacing(one: Statement, objects: Mapping[str, str]) -> Statement:
    """A caller's decision with the object that it takes the place of, as long as that fact is known."""
    if one.act is None or one.act.on is None:
        return one
    return replace(one, replaces=objects.get(one.act.on))


def _reason(waiting: Statement) -> str:
    return "nothing_to_end" if waiting.stance is Stance.ENDS else "hearsay"


def _sources(slot: Slot, stretch: Stretch) -> tuple[Source, ...]:
    states = [Source(one, _holds_from(slot, stretch, one)) for one in stretch.states]
    return (*states, *(Source(one, one.begins or one.said_at, ends=True) for one in stretch.ends))


def _holds_from(slot: Slot, stretch: Stretch, statement: Statement) -> datetime:
    """When a statement makes its stretch hold, so that the earliest of them is its beginning."""
    return max(stretch.begins, slot.begins_of(statement)) if stretch.begins < stretch.until else stretch.begins


def _lead(stretch: Stretch) -> Statement:
    """The statement that gives a stretch its words: the first one that names its value exactly."""
    return next((one for one in stretch.states if key(one.object) == stretch.value), stretch.states[0])


def _value(slot: Slot, fact: Fact) -> str | None:
    states = [s.statement for s in fact.said if not s.ends]
    return slot.value_of(states[0]) if states else None


def _place(statement: Statement) -> tuple[str, str, str, str, int, int]:
    span = statement.span
    return (statement.predicate, key(statement.object), span.page_id, span.side, span.start, span.end)
