"""Quotes: what a claim rests on must stand in the stored text, letter by letter."""

from __future__ import annotations

from .claim import Quote
from .page import Page


def quote_fault(quote: Quote, page: Page | None) -> str | None:
    """Why a quote does not prove its claim, as a short code, or None when it does.

    Source: invariant I13; cases P2 and L15 (claims without a quote in the text).
    """
    if page is None:
        return "page_not_shown"
    if not quote.text.strip():
        return "no_quote"
    if page.side(quote.side)[quote.start : quote.end] != quote.text:
        return "quote_not_in_page"
    return None
