"""Quotes: what a claim rests on must stand in the stored text, letter by letter."""

from __future__ import annotations

from .claim import Claim
from .page import Page


def quote_fault(claim: Claim, page: Page | None) -> str | None:
    """Why a claim's quote does not prove it, as a short code, or None when it does.

    Source: invariant I13; cases P2 and L15 (claims without a quote in the text).
    """
    if page is None:
        return "page_not_shown"
    if not claim.quote.strip():
        return "no_quote"
    if page.side(claim.side)[claim.start : claim.end] != claim.quote:
        return "quote_not_in_page"
    return None
