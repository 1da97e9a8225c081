"""Markers like [2] in an answer: those that name something shown stay, others are taken out, while the text streams.

A marker is a number, or several ("[1, 3]"), in square or lenticular brackets. Code between backticks is left alone, and
so is an index directly behind a word of code ("rows[0]"), unless it names something that was shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

NOTHING = 0
"""The marker of an answer that says that what was shown does not tell."""

_OPEN = "[［【"
_SPECIAL = f"{_OPEN}` "
_MARKER = re.compile(r"[\[［【]\s*(\d{1,4}(?:\s*[,，、;]\s*\d{1,4})*)\s*[\]］】]")
_LONGEST = 40
_FORGED = re.compile(r"([\[［【])(\s*\d{1,4}(?:\s*[,，、;]\s*\d{1,4})*\s*)([\]］】])")


def harmless(text: str) -> str:
    """A text that can't pass for markers: "[2]" becomes "[ #2 ]"."""
    return _FORGED.sub(lambda match: f"{match[1]} #{match[2].strip()} {match[3]}", text)


@dataclass
class CitedText:
    """An answer as it comes in pieces. `text` holds what was let through; markers are rewritten as [n]."""

    shown: Collection[int]
    text: str = ""
    removed: int = 0
    nothing: bool = False
    places: list[tuple[int, int]] = field(default_factory=list)
    _held: str = ""
    _in_code: bool = False

    def feed(self, piece: str) -> str:
        """Take a piece in, and give what may be shown now; what could become a marker is held back."""
        self._held += piece
        return self._let_through(last=False)

    def finish(self) -> str:
        """Give what was held back, at the end."""
        return self._let_through(last=True)

    @property
    def cited(self) -> list[int]:
        """The markers that stayed, in their order, each once."""
        return list(dict.fromkeys(marker for marker, _ in self.places))

    def _let_through(self, *, last: bool) -> str:
        before = len(self.text)
        while self._held:
            start = next((i for i, char in enumerate(self._held) if char in _SPECIAL), len(self._held))
            if start:
                self._emit(start)
            elif not self._step(last=last):
                break
        return self.text[before:]

    def _step(self, *, last: bool) -> bool:
        """Deal with what is held, which begins with a bracket, a backtick or a blank; False to wait for more.

        A blank before a marker that goes must go with it.
        """
        held = self._held
        if held[0] == "`":
            self._in_code = not self._in_code
        if held[0] == "`" or self._in_code:
            return self._emit(1)
        blank = held[0] == " "
        rest = held[1:] if blank else held
        match = _MARKER.match(rest)
        if match is None:
            return False if not last and _may_become_one(rest) else self._emit(1)
        if blank and self._good(match):
            return self._emit(1)
        if rest == held and rest[0] == "[" and not self._good(match) and self._behind_code():
            return self._emit(match.end())
        self._held = rest
        self._mark(match)
        return True

    def _good(self, match: re.Match[str]) -> list[int]:
        return [number for number in _numbers(match) if number in self.shown]

    def _behind_code(self) -> bool:
        last = self.text[-1:]
        return last.isascii() and (last.isalnum() or last in ("_", ")"))

    def _mark(self, match: re.Match[str]) -> None:
        numbers, good = _numbers(match), self._good(match)
        self._held = self._held[match.end() :]
        self.nothing |= NOTHING in numbers
        self.removed += sum(number not in self.shown and number != NOTHING for number in numbers)
        for number in good:
            self.places.append((number, len(self.text)))
            self.text += f"[{number}]"

    def _emit(self, length: int) -> bool:
        self.text += self._held[:length]
        self._held = self._held[length:]
        return True


def cleaned(text: str, shown: Collection[int]) -> CitedText:
    """A whole answer with its markers checked."""
    cited = CitedText(shown)
    cited.feed(text)
    cited.finish()
    return cited


def _may_become_one(rest: str) -> bool:
    """Whether what is held so far could turn out to be a marker."""
    plain = all(char.isdigit() or char.isspace() or char in ",，、;" for char in rest[1:])
    return plain and len(rest) < _LONGEST and rest[:1] in _OPEN


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", match[1])]
