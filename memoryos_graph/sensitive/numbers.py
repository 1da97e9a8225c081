"""Numbers with a form of their own, checked by libraries: payment cards, accounts, identity and phone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.cn import ric
from stdnum.us import ssn

from ..domain.claim import Sensitivity

Span = tuple[int, int]
Found = tuple[Sensitivity, Span]

_DIGITS = re.compile(r"(?<![\d.])\d(?:[ \-.]?\d){12,}")
_CARD = re.compile(  # what issuers' numbers begin with, and how long they are
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14}|6\d{15,18}"
)
_LENGTHS = range(13, 20)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CHINESE_ID = re.compile(r"(?<![0-9A-Za-z])\d{17}[\dXx](?![0-9A-Za-z])")
_US_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_EMAIL = re.compile(
    r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63})*\.[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_DIALLED = re.compile(r"\+?\d[\d\s().\-]{5,18}\d")
_REGIONS = (None, "US", "CN")
_TRIES = 200  # what looks like a number and is none, in one text


def find(text: str) -> Iterator[Found]:
    """Where such numbers stand in a text; by their check digits, so that an order number is none of them."""
    if not any(char.isdigit() for char in text):
        yield from ((Sensitivity.CONTACT, match.span()) for match in _EMAIL.finditer(text))
        return
    for match in _DIGITS.finditer(text):
        yield from ((Sensitivity.CREDENTIALS, span) for span in _cards(match))
    for match in _CHINESE_ID.finditer(text):
        if ric.is_valid(match[0]):
            yield Sensitivity.CREDENTIALS, match.span()
    for match in _US_SSN.finditer(text):
        if ssn.is_valid(match[0]):
            yield Sensitivity.CREDENTIALS, match.span()
    for match in _IBAN.finditer(text):
        if iban.is_valid(match[0], check_country=False):
            yield Sensitivity.FINANCE, match.span()
    for match in _EMAIL.finditer(text):
        yield Sensitivity.CONTACT, match.span()
    if _DIALLED.search(text):
        yield from ((Sensitivity.CONTACT, span) for span in _phones(text))


def _cards(run: re.Match[str]) -> Iterator[Span]:
    """Card numbers in a run of digits, which may go on behind one: they begin and end where groups of digits do."""
    places = [run.start() + n for n, char in enumerate(run[0]) if char.isdigit()]
    text = run.string
    begins = [n for n, at in enumerate(places) if n == 0 or not text[at - 1].isdigit()]
    ends = {n for n, at in enumerate(places) if n == len(places) - 1 or not text[at + 1].isdigit()}
    for begin in begins:
        for length in _LENGTHS:
            if (end := begin + length - 1) in ends:
                digits = "".join(text[at] for at in places[begin : end + 1])
                if _CARD.fullmatch(digits) and luhn.is_valid(digits):
                    yield places[begin], places[end] + 1


def _phones(text: str) -> set[Span]:
    from phonenumbers import Leniency, PhoneNumberMatcher  # 60 ms to import

    return {
        (match.start, match.end)
        for region in _REGIONS
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID, max_tries=_TRIES)
    }
