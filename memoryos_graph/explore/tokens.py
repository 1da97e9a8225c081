"""The tokens of a query, in a part of Cypher in which a text has one meaning only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import QueryRefused

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<comment>//[^\r\n]*|/\*(?s:.*?)\*/)
      | (?P<text>'(?:[^'\\]|\\[\\'"nrtbf])*'|"(?:[^"\\]|\\[\\'"nrtbf])*")
      | (?P<number>0[xo][0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<param>\$[A-Za-z_][A-Za-z0-9_]*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<sign>\.\.|[()\[\]{}.,:=<>+\-*/%^|&!])""",
    re.VERBOSE,
)
_END = re.compile(r"(?>[; \t\r\n]+|//[^\r\n]*|/\*(?>(?s:.*?)\*/))*+\Z")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Token:
    """One token; `low` is what is compared, `mate` the place of the bracket that opens or closes with this one."""

    kind: str
    text: str
    mate: int = -1

    @property
    def low(self) -> str:
        """The text in lower case, as keywords and functions are compared."""
        return self.text.lower()


def tokens_of(query: str) -> tuple[list[Token], str]:
    """The tokens, and the text without its comments, which is the one that runs.

    Raises QueryRefused for what has more than one meaning (back-ticks, unicode escapes and letters outside of strings)
    or is no Cypher.
    """
    found: list[Token] = []
    kept: list[str] = []
    at = 0
    while not _END.match(query, at):
        match = _TOKEN.match(query, at)
        if match is None:
            raise QueryRefused(_unreadable(query, at))
        at, kind = match.end(), str(match.lastgroup)
        kept.append(" " if kind == "comment" else match[0])
        if kind not in ("space", "comment"):
            found.append(Token(kind, match[0]))
    return _paired(found), "".join(kept)


def _unreadable(query: str, at: int) -> str:
    line, column = query.count("\n", 0, at) + 1, at - (query.rfind("\n", 0, at) + 1) + 1
    where = f"line {line}, column {column}"
    match query[at]:
        case "`":
            return f"{where}: back-ticks are not available; all names here are plain words"
        case "'" | '"':
            return f"{where}: a string must end, and may escape only \\\\ \\' \\\" \\n \\r \\t \\b \\f"
        case "~":
            return f"{where}: regular expressions are not available; use CONTAINS, STARTS WITH or ENDS WITH"
        case "$":
            return f"{where}: a parameter is $ and a name"
        case ";":
            return f"{where}: one statement at a time"
        case _:
            return f"{where}: this character can stand in strings only"


def _paired(found: list[Token]) -> list[Token]:
    paired, opened = list(found), list[int]()
    for n, token in enumerate(found):
        if token.text in ("(", "[", "{"):
            opened.append(n)
        elif token.text in _PAIRS:
            if not opened or found[opened[-1]].text != _PAIRS[token.text]:
                raise QueryRefused(f"`{token.text}` closes what was not opened")
            start = opened.pop()
            paired[start] = Token("sign", found[start].text, n)
            paired[n] = Token("sign", token.text, start)
    if opened:
        raise QueryRefused(f"`{found[opened[-1]].text}` is never closed")
    return paired
