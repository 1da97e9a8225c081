"""Facts as they are stored, with all that was said for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .claim import FactKind
from .statement import Span, Statement
from .validity import NEVER


class FactStatus(StrEnum):
    """A cache of how a fact stands now; never used for questions about another time."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    CONFLICTED = "conflicted"
    ARCHIVED = "archived"
    PROPOSED = "proposed"


class Retirement(StrEnum):
    """Why a fact is believed no longer: it was never so, a newer version tells the same better, or a rollback."""

    CORRECTION = "correction"
    MERGE = "merge"
    REFRESH = "refresh"
    ROLLBACK = "rollback"


@dataclass(frozen=True)
class Source:
    """A statement in its role: `holds_from` is when it makes the fact begin, `ends` that it only ends it."""

    statement: Statement
    holds_from: datetime
    ends: bool = False

    @property
    def span(self) -> Span:
        """Where it is said."""
        return self.statement.span


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact and its sources; `version` counts changes. Not believed any more once `retired_at` has passed.

    `proposed`: never believed so far, as a trait with too little evidence; with enough it is told by a newer version.
    """

    fact_id: str
    kind: FactKind
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime = NEVER
    closed_at: datetime = NEVER
    retired_at: datetime = NEVER
    retired_by: Retirement | None = None
    profiled_at: datetime | None = None
    status: FactStatus = FactStatus.CURRENT
    proposed: bool = False
    confidence: float
    support: int = 1
    version: int = 1
    said: Sequence[Source] = ()

    @property
    def sources(self) -> frozenset[Span]:
        """Where it is said that it holds."""
        return frozenset(source.span for source in self.said if not source.ends)

    @property
    def ends(self) -> frozenset[Span]:
        """Where it is said that it holds no longer."""
        return frozenset(source.span for source in self.said if source.ends)

    @property
    def statements(self) -> list[Statement]:
        """What was said for it and of its end."""
        return [source.statement for source in self.said]

    @property
    def counts(self) -> bool:
        """Whether its statements still have a say: not what newer versions took over, nor what a rollback undid."""
        return self.retired_by in (None, Retirement.CORRECTION)
