"""Loops inside an expression, which no time limit ends: each over what was matched, none in another."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import QueryRefused
from .tokens import Token

PREDICATES = {"any", "all", "none", "single"}
MATCHED = {"nodes", "relationships", "labels", "keys", "collect"}


def check_loops(tokens: Sequence[Token], words: Collection[str]) -> None:
    """Raises QueryRefused for a comprehension over anything but what was matched, for one in another, and for one that
    uses more than its own variable: such loops cost the product of their lengths, in time or in memory.

    `words` are those of the language in expressions.
    """
    inside_until = -1
    for n, token in enumerate(tokens):
        if token.mate <= n or token.text not in ("[", "("):
            continue
        start = _loop(tokens, n)
        if start is None:
            continue
        if n < inside_until:
            raise QueryRefused("a comprehension, or any(), all(), none() or single(), may not stand in another")
        inside_until = token.mate
        if start == "list":
            _check_list(tokens, n, words)
        else:
            bar = _top_level(tokens, n + 1, token.mate, "|")
            pattern = {t.text for t in tokens[n + 1 : bar] if t.kind == "word"}
            _check_variables(tokens, bar + 1, token.mate, pattern, words)


def _loop(tokens: Sequence[Token], n: int) -> str | None:
    """Whether a loop begins at this bracket: over a list, or over a pattern."""
    first, second = tokens[n + 1], tokens[min(n + 2, len(tokens) - 1)]
    called = n > 0 and tokens[n - 1].low in PREDICATES and tokens[n].text == "("
    if first.kind == "word" and second.low == "in" and second.kind == "word" and (called or tokens[n].text == "["):
        return "list"
    if called:
        raise QueryRefused(f"{tokens[n - 1].low}() takes `x IN list WHERE …`")
    if tokens[n].text == "[" and _top_level(tokens, n + 1, tokens[n].mate, "|") < tokens[n].mate:
        relationship = n > 0 and tokens[n - 1].text == "-"
        return None if relationship else "pattern"
    return None


def _check_list(tokens: Sequence[Token], n: int, words: Collection[str]) -> None:
    variable, end = tokens[n + 1].text, tokens[n].mate
    rest = min(_top_level(tokens, n + 3, end, "where"), _top_level(tokens, n + 3, end, "|"))
    if not _matched(tokens[n + 3 : rest], n + 3):
        raise QueryRefused(
            f"`{variable} IN …` goes over what was matched only: a variable, a property, nodes(), relationships(), "
            "labels(), keys(), collect() or COLLECT { }; for other lists there is UNWIND"
        )
    _check_variables(tokens, rest, end, {variable}, words)


def _matched(source: Sequence[Token], offset: int) -> bool:
    if not source or source[0].kind != "word":
        return False
    if len(source) > 1 and source[1].text in ("(", "{"):
        named = source[0].low in MATCHED if source[1].text == "(" else source[0].low == "collect"
        return named and source[1].mate == offset + len(source) - 1
    names = all(token.kind == "word" for token in source[::2])
    return names and len(source) % 2 == 1 and all(token.text == "." for token in source[1::2])


def _check_variables(
    tokens: Sequence[Token], start: int, end: int, own: Collection[str], words: Collection[str]
) -> None:
    for n in range(start, end):
        token, before, after = tokens[n], tokens[n - 1].text, tokens[n + 1].text
        if token.kind != "word" or before in (".", ":") or after in ("(", ":"):
            continue
        if token.text not in own and (token.low not in words or token.low == "in"):
            raise QueryRefused(f"in a comprehension only its own variable may be used, not `{token.text}`")


def _top_level(tokens: Sequence[Token], start: int, end: int, wanted: str) -> int:
    n = start
    while n < end:
        if tokens[n].low == wanted:
            return n
        n = tokens[n].mate + 1 if tokens[n].mate > n else n + 1
    return end
