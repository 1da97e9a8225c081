"""From the text of a reply to its JSON: reasoning dropped, fences taken off, the value found in prose.

What can't be read for certain is a fault with a code, never an empty value. Source: cases L10, L12, L13, U06, U18, U53.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_REASONING = re.compile(r"<(think|thinking|reasoning|thought)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_REASONING_CUT = re.compile(r"\A.*?</(?:think|thinking|reasoning|thought)\s*>", re.DOTALL | re.IGNORECASE)
_REASONING_OPEN = re.compile(r"\A\s*<(?:think|thinking|reasoning|thought)\b", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_BEGINS = re.compile(r"[{\[]")
_LOOKS_LIKE_JSON = re.compile(r"[{\[]\s*(?:[\"{\[]|\Z)")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_BRACKETS = re.compile(r"[{}\[\]]")
_DEEPEST = 200
_MOST_PLACES = 50
_DECODER = json.JSONDecoder(strict=False)


class Unfit(Exception):
    """A reply that can't be used: `code` for the count of outcomes, `why` for the model, in one sentence."""

    def __init__(self, code: str, why: str) -> None:
        self.code = code
        self.why = why
        super().__init__(code)


def without_reasoning(text: str) -> str:
    """A structured reply without its reasoning blocks, also one whose opening tag the server swallowed."""
    text = _REASONING.sub("", text) if _REASONING.search(text) else _REASONING_CUT.sub("", text)
    return "" if _REASONING_OPEN.match(text) else text.strip()


def json_values(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The objects and lists that a reply holds, the likeliest first: the whole, what is fenced, what stands in prose.

    None at all for a text without JSON. Raises Unfit: `empty`, `broken_json`.
    """
    bare = without_reasoning(text)
    if not bare:
        raise Unfit("empty", "It was empty.")
    if _depth(text) > _DEEPEST:
        raise Unfit("broken_json", f"It was nested deeper than {_DEEPEST} levels.")
    whole = False
    for candidate in [text.strip(), bare, *(fenced.strip() for fenced in _FENCE.findall(bare))]:
        value = _loaded(candidate)
        if isinstance(value, dict | list):
            whole = True
            yield value
    if not whole:
        yield from _in_prose(bare)


def _depth(text: str) -> int:
    """How deep brackets are nested, those in strings counted too: the parser itself must not run out of stack."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth = depth + 1 if bracket in "{[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _in_prose(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """Every outermost value, from left to right; bounded, since each try may read to the end.

    What begins like JSON and breaks off is not searched for whole pieces inside: the rest of it would be lost unseen.
    """
    at, places = 0, 0
    while (match := _BEGINS.search(text, at)) and places < _MOST_PLACES:
        places += 1
        try:
            value, at = _DECODER.raw_decode(text, match.start())
        except ValueError:
            if _LOOKS_LIKE_JSON.match(text, match.start()):
                raise Unfit("broken_json", "Its JSON was broken or incomplete.") from None
            at = match.start() + 1
        else:
            yield value


def _loaded(text: str) -> Any:
    for form in (text, _TRAILING_COMMA.sub("", text)):
        try:
            value = json.loads(form, strict=False)
            return json.loads(value, strict=False) if isinstance(value, str) else value
        except ValueError:
            continue
    return None
