"""Facts: their states, and what a new claim does to what is known already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from .claim import Claim, Stance
from .predicates import PREDICATES
from .validity import NEVER

MAX_CONFIDENCE = 0.99


class FactStatus(StrEnum):
    """A cache of how a fact stands now; never used for questions about another time."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    CONFLICTED = "conflicted"
    ARCHIVED = "archived"
    PROPOSED = "proposed"


@dataclass(frozen=True)
class Span:
    """Where in a page a fact is said."""

    page_id: str
    side: str
    start: int
    end: int
    quote: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A stored fact as far as the policy needs it. `version` counts changes; `denies` is the object it corrected."""

    fact_id: str
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime = NEVER
    closed_at: datetime = NEVER
    retired_at: datetime = NEVER
    status: FactStatus = FactStatus.CURRENT
    confidence: float
    support: int = 1
    version: int = 1
    sources: frozenset[Span] = frozenset()
    denies: str | None = None


@dataclass(frozen=True)
class Supersession:
    """A newer fact takes the place of an older one: by a change in the world, or as a correction."""

    newer: str
    older: str
    kind: str


@dataclass
class Ledger:
    """What is known, what claims made of it, and why; `new` and `changed` are what has to be written."""

    facts: dict[str, Fact]
    now: datetime
    new: dict[str, Claim] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    added_sources: list[tuple[str, Span]] = field(default_factory=list)
    supersessions: list[Supersession] = field(default_factory=list)
    repeats: int = 0

    @classmethod
    def of(cls, facts: Iterable[Fact], now: datetime) -> Ledger:
        """A ledger over the stored facts that claims may touch."""
        return cls({fact.fact_id: fact for fact in facts}, now)

    def take(self, claim: Claim, fact_id: str, said_at: datetime) -> None:
        """Let one checked claim have its effect; `said_at` is the event time of its page.

        A repeat adds its span to the fact's sources, and support only if the span is new. A new object of a
        single-valued
        predicate supersedes the older one from its `valid_from` on; if it is the older in the world, it is history
        at once.
        A correction retires what it denies: it was never so (design.md 5).
        """
        span = Span(claim.page_id, claim.side.value, claim.start, claim.end, claim.quote)
        begins = claim.valid_from or said_at
        if repeated := self._repeated(claim):
            self._support(repeated, claim, span)
            return
        rivals = [fact for fact in self.facts.values() if fact.status is FactStatus.CURRENT and _rivals(claim, fact)]
        fact = Fact(
            fact_id=fact_id,
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            valid_from=begins,
            valid_to=claim.valid_to or NEVER,
            closed_at=self.now if claim.valid_to else NEVER,
            status=FactStatus.SUPERSEDED if claim.valid_to else FactStatus.CURRENT,
            confidence=claim.confidence,
            sources=frozenset({span}),
            denies=claim.replaces if claim.stance is Stance.CORRECTS else None,
        )
        self.new[fact_id] = claim
        self.facts[fact_id] = fact
        self.added_sources.append((fact_id, span))
        if denier := self._denier(claim, begins):
            self.facts[fact_id] = replace(fact, retired_at=self.now, status=FactStatus.RETRACTED)
            self.supersessions.append(Supersession(denier.fact_id, fact_id, "correction"))
            return
        for rival in rivals:
            self._displace(rival, fact_id, begins, correction=claim.stance is Stance.CORRECTS)

    def _repeated(self, claim: Claim) -> Fact | None:
        for fact in self.facts.values():
            same = (fact.subject, fact.predicate, _key(fact.object)) == (
                claim.subject,
                claim.predicate,
                _key(claim.object),
            )
            if same and fact.status is FactStatus.CURRENT:
                return fact
        return None

    def _denier(self, claim: Claim, begins: datetime) -> Fact | None:
        """A current fact that was said later and corrects exactly this: read first, it must still hold (I9)."""
        for fact in self.facts.values():
            same = (fact.subject, fact.predicate) == (claim.subject, claim.predicate)
            denied = fact.denies is not None and _key(fact.denies) == _key(claim.object)
            if same and denied and fact.valid_from >= begins and fact.status is FactStatus.CURRENT:
                return fact
        return None

    def _support(self, fact: Fact, claim: Claim, span: Span) -> None:
        if span in fact.sources:
            return
        self.repeats += 1
        confidence = min(MAX_CONFIDENCE, 1 - (1 - fact.confidence) * (1 - claim.confidence))
        self.facts[fact.fact_id] = replace(
            fact,
            confidence=confidence,
            support=fact.support + 1,
            sources=fact.sources | {span},
            version=fact.version + 1,
        )
        self.changed.add(fact.fact_id)
        self.added_sources.append((fact.fact_id, span))

    def _displace(self, rival: Fact, newer: str, begins: datetime, *, correction: bool) -> None:
        fact = self.facts[newer]
        if correction:
            ended = replace(rival, retired_at=self.now, status=FactStatus.RETRACTED, version=rival.version + 1)
            self._end(ended, newer, "correction")
        elif begins >= rival.valid_from:
            ended = replace(
                rival, valid_to=begins, closed_at=self.now, status=FactStatus.SUPERSEDED, version=rival.version + 1
            )
            self._end(ended, newer, "change")
        elif fact.status is FactStatus.CURRENT:  # told late: it was over before the rival began
            self.facts[newer] = replace(
                fact, valid_to=rival.valid_from, closed_at=self.now, status=FactStatus.SUPERSEDED
            )
            self.supersessions.append(Supersession(rival.fact_id, newer, "change"))

    def _end(self, ended: Fact, newer: str, kind: str) -> None:
        self.facts[ended.fact_id] = ended
        self.changed.add(ended.fact_id)
        self.supersessions.append(Supersession(newer, ended.fact_id, kind))


def touched_predicates(claims: Iterable[Claim]) -> list[str]:
    """The predicates whose facts these claims may repeat or displace."""
    names = {claim.predicate for claim in claims}
    opposites = {PREDICATES[name].opposite for name in names if name in PREDICATES}
    return sorted(names | {name for name in opposites if name})


def _rivals(claim: Claim, fact: Fact) -> bool:
    """Whether a claim and a current fact can't both hold."""
    rule = PREDICATES.get(claim.predicate)
    if fact.subject != claim.subject or rule is None or claim.valid_to is not None:
        return False
    if fact.predicate == rule.opposite:
        return _key(fact.object) == _key(claim.object)
    if fact.predicate != claim.predicate:
        return False
    replaced = claim.replaces is not None and _key(claim.replaces) == _key(fact.object)
    return replaced or rule.cardinality == "single"


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).strip(".!。！")
