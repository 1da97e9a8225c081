"""What one span of a page says of a fact: the unit that facts are worked out from, and what their sources carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import prod

from .act import Act, ActKind
from .claim import Claim, FactKind, Stance
from .page import Side
from .predicates import PREDICATES

MAX_CONFIDENCE = 0.99
PROFILE_AFTER = timedelta(days=7)
USER_KINDS = (FactKind.PROFILE, FactKind.KNOWLEDGE, FactKind.TRAIT)


@dataclass(frozen=True)
class Span:
    """Where in a page something is said; code point offsets into the stored side."""

    page_id: str
    side: str
    start: int
    end: int
    quote: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One quoted claim, with all that decides what it does to others. `begins` and `until` are None if unsaid.

    With an `act` it is what a caller decided, which goes beyond the words.
    """

    span: Span
    kind: FactKind
    subject: str
    predicate: str
    object: str
    said_at: datetime
    begins: datetime | None = None
    until: datetime | None = None
    speaker: str = Side.USER
    stance: Stance = Stance.STATES
    replaces: str | None = None
    disputes: bool = False
    asks: bool = False
    confidence: float = 0.8
    run_id: str | None = None
    recorded_at: datetime | None = None
    act: Act | None = None

    @property
    def states(self) -> bool:
        """Whether it says that something holds, not that it ended or never was."""
        return self.stance is not Stance.ENDS and not self.is_act(ActKind.RETRACT)

    @property
    def denies(self) -> bool:
        """Whether it says of others that they were never so."""
        return self.stance is Stance.CORRECTS or self.is_act(ActKind.RETRACT, ActKind.RESTORE, ActKind.CONFIRM)

    def is_act(self, *kinds: ActKind) -> bool:
        """Whether it is a caller's decision of one of these kinds."""
        return self.act is not None and self.act.kind in kinds

    @property
    def waits(self) -> bool:
        """Whether it may have to be confirmed before it moves anything."""
        return self.disputes or self.asks

    @property
    def first_hand(self) -> bool:
        """Whether it counts: about the user, only what the user said does; the rest is hearsay (cases P7, P10)."""
        return self.kind not in USER_KINDS or self.speaker == Side.USER

    @property
    def order(self) -> tuple[datetime, str, int]:
        """The order of saying, whatever the order of reading."""
        return (self.said_at, self.span.page_id, self.span.start)

    @property
    def changes(self) -> bool:
        """Whether it takes the place of what was said in the same moment, as a newer result of a tool does."""
        return self.stance is not Stance.STATES or self.kind is FactKind.ENVIRONMENT

    @property
    def over(self) -> bool:
        """Whether it speaks of what was over when it was said."""
        return self.until is not None and self.until <= self.said_at


def statements_of(claim: Claim, said_at: Mapping[str, datetime], *, echo: bool = False) -> list[Statement]:
    """One statement for each quote of a claim; `said_at` has the event time of each page.

    An echo was not said by the user, even if it stands on the user's side: there a tool's result was handed in.

    A claim with several quotes is a judgement over all of them: it holds from the last one on, or as it says.
    """
    begins = claim.valid_from
    if claim.more and begins is None:
        begins = max(said_at[quote.page_id] for quote in claim.quotes)
    return [
        Statement(
            span=Span(quote.page_id, quote.side.value, quote.start, quote.end, quote.text),
            kind=claim.kind,
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            said_at=said_at[quote.page_id],
            speaker=Side.TOOL if echo and quote.side is Side.USER else quote.side.value,
            begins=begins,
            until=claim.valid_to,
            stance=claim.stance,
            replaces=claim.replaces,
            disputes=claim.disputes,
            asks=claim.asks,
            confidence=claim.confidence,
        )
        for quote in claim.quotes
    ]


def support_of(statements: Iterable[Statement]) -> tuple[float, int]:
    """Confidence and support: pages that say it first hand, each once."""
    pages: dict[str, float] = {}
    for one in statements:
        if one.first_hand:
            pages[one.span.page_id] = max(one.confidence, pages.get(one.span.page_id, 0.0))
    return min(MAX_CONFIDENCE, 1 - prod(1 - confidence for confidence in pages.values())), len(pages)


def kind_of(statements: Iterable[Statement]) -> FactKind:
    """Profile or knowledge: profile when the predicate is stable, or it was said by pages a week apart."""
    spoken = list(statements)
    kind = spoken[0].kind
    if kind not in (FactKind.PROFILE, FactKind.KNOWLEDGE):
        return kind
    predicate = PREDICATES.get(spoken[0].predicate)
    times = [one.said_at for one in spoken if one.first_hand]
    lasting = len(times) > 1 and max(times) - min(times) >= PROFILE_AFTER
    return FactKind.PROFILE if lasting or (predicate is not None and predicate.stable) else FactKind.KNOWLEDGE


def key(text: str) -> str:
    """What two objects must have in common to be the same."""
    return " ".join(text.casefold().split()).strip(".!。！")
