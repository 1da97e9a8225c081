"""Which proposed claims may become facts: their words stand on a page, and the right speaker said them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from .claim import Claim, FactKind, Level, Quote, Stance
from .dispute import disputes
from .orders import reads_like_orders
from .page import Page, Side
from .provenance import quote_fault
from .traits import TRAITS

# Who can say what: an assistant or a tool never makes a fact about the user by itself (cases P7, P10).
_SPEAKERS: Mapping[FactKind, frozenset[Side]] = {
    FactKind.PROFILE: frozenset({Side.USER}),
    FactKind.KNOWLEDGE: frozenset({Side.USER}),
    FactKind.TRAIT: frozenset({Side.USER}),
    FactKind.ASSISTANT_KNOWLEDGE: frozenset({Side.USER, Side.ASSISTANT, Side.SYSTEM}),
    FactKind.ASSISTANT_TRAIT: frozenset({Side.USER, Side.ASSISTANT, Side.SYSTEM}),
    FactKind.ENVIRONMENT: frozenset({Side.TOOL}),
}
_ECHOED = frozenset({FactKind.PROFILE, FactKind.KNOWLEDGE})


@dataclass
class Admitted:
    """Claims with only the quotes that prove them; `echoes` may support what is known, and never make a fact."""

    claims: list[Claim] = field(default_factory=list)
    echoes: list[Claim] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)


def admit(claims: Iterable[Claim], shown: Mapping[str, Page]) -> Admitted:
    """Sort proposed claims; what is turned away is counted by a short code. Cases P2, L15, U27, U56."""
    result = Admitted()
    for claim in claims:
        proven = [quote for quote in claim.quotes if quote_fault(quote, shown.get(quote.page_id)) is None]
        spoken = [quote for quote in proven if _may_say(claim.kind, quote, shown[quote.page_id])]
        if not proven:
            result.rejected[quote_fault(claim.quotes[0], shown.get(claim.page_id)) or "no_quote"] += 1
        elif fault := _content_fault(claim):
            result.rejected[fault] += 1
        elif spoken:
            result.claims.append(_as_meant(claim.with_quotes(spoken), shown))
        elif claim.kind in _ECHOED:
            result.echoes.append(claim.with_quotes(proven))
        else:
            result.rejected["wrong_speaker"] += 1
    return result


def _as_meant(claim: Claim, shown: Mapping[str, Page]) -> Claim:
    """A claim of words that only dispute something waits to be confirmed, whatever a provider made of them."""
    if claim.kind not in _ECHOED or not disputes(claim, shown[claim.page_id]):
        return claim
    return replace(claim, disputes=True, stance=Stance.STATES, replaces=None)


def _may_say(kind: FactKind, quote: Quote, page: Page) -> bool:
    told_by_tool = page.origin == "tool" and quote.side is Side.USER
    return quote.side in _SPEAKERS[kind] and not told_by_tool


def _content_fault(claim: Claim) -> str | None:
    if not claim.text.strip() or not claim.predicate.strip():
        return "empty"
    if any(map(reads_like_orders, (claim.text, *(quote.text for quote in claim.quotes)))):
        return "reads_like_orders"
    if claim.kind is FactKind.TRAIT:
        trait = TRAITS.get(claim.predicate)
        if trait is None:
            return "unknown_dimension"
        if trait.closed:
            return "closed_dimension"
        if claim.object not in set(Level):
            return "no_level"
    return None
