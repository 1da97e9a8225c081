"""A long text in windows that an embedding model can read, as spans in code points. No I/O."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

Span = tuple[int, int]

SHARED = 4  # a quarter of a window is shared with the next one, so that a sentence is whole in one of them
_ROUGH_TOKEN = re.compile(r"[\x00-\x7f]{1,4}|[^\x00-\x7f]")
_JOINERS = "\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def rough_tokens(text: str) -> list[Span]:
    """About the tokens of an unknown tokenizer, rather too many: four ASCII characters, or one other, to each."""
    return [match.span() for match in _ROUGH_TOKEN.finditer(text)]


def windows(text: str, tokens: Sequence[Span], length: int) -> list[Span]:
    """Spans of at most about `length` tokens, in order and overlapping, together the whole text.

    One for a text that fits, none for an empty one. No span begins or ends inside a line break, between a letter and
    the marks on it, or inside a joined emoji; that may add a few code points to it.
    """
    if not text:
        return []
    if len(tokens) <= length:
        return [(0, len(text))]
    step = max(1, length - length // SHARED)
    spans = []
    for first in range(0, len(tokens), step):
        last = min(first + length, len(tokens))
        start = _back(text, tokens[first][0]) if first else 0
        end = _forth(text, tokens[last - 1][1]) if last < len(tokens) else len(text)
        spans.append((start, end))
        if last == len(tokens):
            break
    return spans


def _back(text: str, at: int) -> int:
    while 0 < at < len(text) and _inside(text, at):
        at -= 1
    return at


def _forth(text: str, at: int) -> int:
    while 0 < at < len(text) and _inside(text, at):
        at += 1
    return at


def _inside(text: str, at: int) -> bool:
    """Whether a cut at this place would part what belongs together."""
    before, after = text[at - 1], text[at]
    joined = before == "\u200d" or after in _JOINERS or unicodedata.combining(after) != 0
    return joined or (before == "\r" and after == "\n")
