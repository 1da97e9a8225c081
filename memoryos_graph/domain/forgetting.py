"""What a forget takes away: pages, sides of pages, spans of them, single claims; and what must not come back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .claim import Claim, Quote
from .fact import Fact
from .secret import Secret
from .statement import Span, Statement, key

ReasonCode = Literal["user_request", "wrong", "sensitive", "expired", "legal", "other"]
BLACK = "█"
Place = tuple[str, str, str, int, int]


@dataclass
class Gone:
    """What is chosen, and what goes with it. `places` are claims that go though their page stays."""

    pages: set[str] = field(default_factory=set)
    sides: set[tuple[str, str]] = field(default_factory=set)
    spans: set[Span] = field(default_factory=set)
    places: set[Place] = field(default_factory=set)

    def holds(self, one: Statement) -> bool:
        """Whether a statement goes: it stands where words go, or is one of the claims."""
        span = one.span
        return (
            span.page_id in self.pages
            or (span.page_id, span.side) in self.sides
            or any(overlap(span, other) for other in self.spans)
            or (bool(self.places) and place(one) in self.places)
        )

    @property
    def changed_pages(self) -> set[str]:
        """Pages that stay, and lose words."""
        return ({page_id for page_id, _ in self.sides} | {span.page_id for span in self.spans}) - self.pages


def place(one: Statement) -> Place:
    """A claim at its words."""
    return (one.predicate, one.span.page_id, one.span.side, one.span.start, one.span.end)


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    same = (one.page_id, one.side) == (other.page_id, other.side)
    return same and one.start < other.end and other.start < one.end


def same_claims(facts: Mapping[str, Fact], chosen: Iterable[str]) -> set[str]:
    """The chosen facts with all versions of them: those that share a statement about the same object."""
    wanted = set(chosen)
    said = {(place(one), key(one.object)) for i in wanted for one in facts[i].statements}
    return wanted | {
        fact.fact_id
        for fact in facts.values()
        if any(
            (place(source.statement), key(source.statement.object)) in said for source in fact.said if not source.ends
        )
    }


def blackened(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with spans overwritten, so that all offsets hold."""
    chars = list(text)
    for start, end in spans:
        chars[start:end] = BLACK * (end - start)
    return "".join(chars)


def hash_after(page_id: str, sides: Sequence[str]) -> str:
    """The content hash of a page that lost words: it says nothing of what stood there."""
    return hashlib.sha256("\x00".join([page_id, *sides]).encode()).hexdigest()


class TombstoneKeys:
    """The keyed hashes by which forgotten things are known again. The key is the user's own."""

    def __init__(self, key: str) -> None:
        self._secret = Secret(key.encode())

    def turn(self, external_id: str, content_hash: str) -> str:
        """Of a turn with an id of its caller."""
        return self._secret.mac("id", f"{external_id}\x00{content_hash}")

    def content(self, content_hash: str) -> str:
        """Of what a turn says, whatever its id."""
        return self._secret.mac("content", content_hash)

    def claim(self, predicate: str) -> str:
        """Of what kind of thing is claimed."""
        return self._secret.mac("claim", predicate)


@dataclass(frozen=True)
class Ban:
    """Words that nothing may be made from any more; with the keyed hash of a predicate only claims with that."""

    span: Span
    claim_key: str | None = None


@dataclass(frozen=True)
class Bans:
    """What may not be made from some pages."""

    bans: Sequence[Ban]
    keys: TombstoneKeys

    def allowed(self, claim: Claim) -> Claim | None:
        """A claim with the quotes that may carry it; None when there is none."""
        if not self.bans:
            return claim
        quotes = [quote for quote in claim.quotes if not self._forbids(quote, claim.predicate)]
        return claim.with_quotes(quotes) if quotes else None

    def _forbids(self, quote: Quote, predicate: str) -> bool:
        span = Span(quote.page_id, quote.side.value, quote.start, quote.end)
        claim_key = self.keys.claim(predicate)
        return any(ban.claim_key in (None, claim_key) and overlap(ban.span, span) for ban in self.bans)
