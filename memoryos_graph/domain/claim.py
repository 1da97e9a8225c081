"""A claim: what a provider proposes and nobody has checked yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from .page import Side


class FactKind(StrEnum):
    """What a fact is about."""

    PROFILE = "profile"
    KNOWLEDGE = "knowledge"
    TRAIT = "trait"
    ASSISTANT_KNOWLEDGE = "assistant_knowledge"
    ASSISTANT_TRAIT = "assistant_trait"
    ENVIRONMENT = "environment"


class Sensitivity(StrEnum):
    """Whether a fact belongs to a class that wants care."""

    NONE = "none"
    HEALTH = "health"
    FINANCE = "finance"
    CREDENTIALS = "credentials"
    CONTACT = "contact"
    MINORS = "minors"
    POLITICAL = "political"
    RELIGIOUS = "religious"
    SEXUAL = "sexual"


class Stance(StrEnum):
    """How a claim relates to what was said before.

    A new statement, a change in the world, 'it was never so', or 'it is so no longer' with nothing in its place.
    """

    STATES = "states"
    CHANGES = "changes"
    CORRECTS = "corrects"
    ENDS = "ends"


class Level(StrEnum):
    """How strong a trait is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True)
class Quote:
    """Verbatim words of one side of a page; `start` and `end` are code point offsets into the stored side."""

    page_id: str
    side: Side
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One proposed statement with the words that carry it.

    `start` and `end` are code point offsets into the stored text of `side` of page `page_id`;
    the slice there must equal `quote` (domain.provenance checks it).
    `valid_from` is when it began to hold in the world; None means the time of the page.
    `replaces` is the object of an older fact that the words themselves deny ("not Maya" in "Mia, not Maya").
    `disputes`: the words before it say that what was said or remembered is wrong ("that's wrong, I live in Bergen").
    `asks`: the user's policy wants it confirmed before it is believed (domain.policy).
    `more` holds further quotes that carry the same claim, as traits need (traits.md); `reason` is a trait's sentence.
    """

    page_id: str
    side: Side
    quote: str
    start: int
    end: int
    kind: FactKind
    subject: str
    predicate: str
    object: str
    text: str
    confidence: float = 0.8
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    sensitivity: Sensitivity = Sensitivity.NONE
    stance: Stance = Stance.STATES
    replaces: str | None = None
    disputes: bool = False
    asks: bool = False
    more: tuple[Quote, ...] = ()
    reason: str = ""

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All quotes, the first one first."""
        return (Quote(self.page_id, self.side, self.start, self.end, self.quote), *self.more)

    def with_quotes(self, quotes: Sequence[Quote]) -> Claim:
        """The same claim carried by some quotes only; at least one."""
        first, *more = quotes
        return replace(
            self,
            page_id=first.page_id,
            side=first.side,
            start=first.start,
            end=first.end,
            quote=first.text,
            more=tuple(more),
        )
