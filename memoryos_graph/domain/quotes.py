"""Where a quote stands in a stored text, though a model wrote it down with other spaces, quotation marks or case.

Both are normalised alike: compatibility forms taken apart (NFKD), case folded, white space evened out, typographic
quotation marks and dashes plain, invisible characters left out. Each normalised character remembers the stored one it
comes from, so that what is found is given as code point offsets into the stored text, never into the normalised one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from .text import CJK_CHAR

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
        **dict.fromkeys("“”„‟″«»「」『』＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    }
)
# Variation selectors, zero-width marks and soft hyphens: nobody sees them, and models lose them.
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u2060\ufe0e\ufe0f\ufeff")
# What belongs to the character before it, though its combining class is 0: joined emoji and skin tones.
_JOINED = frozenset("\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_WRAPPING = " \t\r\n\"'*_.…"
_MARKS_IN_A_ROW = 30  # as in stream-safe text; more are no writing


class QuoteIndex:
    """One stored text, ready to be searched for many quotes. Cost: linear in its length, once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded, self._origin = _fold(text)

    def find(self, quote: str) -> tuple[int, int] | None:
        """Start and end of a quote in the stored text, or None; whole words only.

        Letter by letter equal occurrences go before alike ones, then the first counts. Quotation marks, dots and stars
        around the quote are left out if it isn't found with them.
        """
        return self._find(quote) or self._find(quote.strip(_WRAPPING))

    def _find(self, quote: str) -> tuple[int, int] | None:
        wanted = normalised(quote).strip()
        alike = None
        for start, end in self._occurrences(wanted):
            span = self._span(start, end)
            if self._text[slice(*span)] == quote:
                return span
            alike = alike or span
        return alike

    def _occurrences(self, wanted: str) -> Iterator[tuple[int, int]]:
        at = self._folded.find(wanted) if wanted else -1
        while at >= 0:
            if self._parts_here(at) and self._parts_here(at + len(wanted)):
                yield at, at + len(wanted)
            at = self._folded.find(wanted, at + 1)

    def _parts_here(self, at: int) -> bool:
        """Whether one may cut before this normalised character: not inside a word, nor inside one stored character."""
        if at in (0, len(self._folded)):
            return True
        before, after = self._folded[at - 1], self._folded[at]
        if self._origin[at - 1] == self._origin[at] or _belongs_to_the_one_before(after) or before == "\u200d":
            return False
        return not (_in_word(before) and _in_word(after))

    def _span(self, start: int, end: int) -> tuple[int, int]:
        first, last = self._origin[start], self._origin[end - 1]
        return first, last + 1 + self._trailing(last + 1)

    def _trailing(self, at: int) -> int:
        """How many stored characters after this place belong to the one before it."""
        count = 0
        while at + count < len(self._text) and _is_mark(self._text[at + count]):
            count += 1
        return count


def normalised(text: str) -> str:
    """A text as quotes are compared: case, white space, forms and marks of no meaning evened out."""
    return _fold(text)[0]


def _fold(text: str) -> tuple[str, list[int]]:
    folded: list[str] = []
    origin: list[int] = []
    for i, char in enumerate(text):
        for piece in _pieces(char):
            if piece == " " and folded and folded[-1] == " ":
                continue
            at = _place_of_mark(folded, piece)
            folded.insert(at, piece)
            origin.insert(at, i)
    return "".join(folded), origin


def _pieces(char: str) -> str:
    if char.isascii():
        return " " if char.isspace() else "'" if char == "`" else char.lower()
    if char in _INVISIBLE:
        return ""
    if char.isspace() or char in "\u0085\u2028\u2029":
        return " "
    plain = char.translate(_PLAIN)
    if plain != char:
        return plain
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    if apart.startswith(" "):  # an accent that stands alone: no space
        return char
    return "".join(piece for piece in apart if piece not in _INVISIBLE)


def _place_of_mark(folded: list[str], piece: str) -> int:
    """Where a character goes: at the end, or a combining mark before those of a higher class (canonical order)."""
    at = len(folded)
    rank = 0 if piece.isascii() else unicodedata.combining(piece)
    lowest = max(0, at - _MARKS_IN_A_ROW)
    while rank and at > lowest and unicodedata.combining(folded[at - 1]) > rank:
        at -= 1
    return at


def _belongs_to_the_one_before(char: str) -> bool:
    return char in _JOINED or _is_mark(char)


def _is_mark(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char).startswith("M")


def _in_word(char: str) -> bool:
    return char.isalnum() and not CJK_CHAR.match(char)
