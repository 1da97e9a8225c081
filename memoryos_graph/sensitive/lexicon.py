"""Words that tell of a sensitive class, in one language: some always, some only in a sentence about somebody close."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..domain.claim import Sensitivity
from ..domain.text import sentences

Span = tuple[int, int]


@dataclass(frozen=True)
class Words:
    """Patterns of one class: `always`, and `about_people` where the sentence speaks of a person."""

    always: re.Pattern[str]
    about_people: re.Pattern[str]


class Lexicon:
    """The words of all classes in one language.

    `person` matches what makes a sentence speak of a person; `spaced`: words stand between spaces.
    """

    def __init__(self, person: str, words: Mapping[Sensitivity, tuple[str, str]], *, spaced: bool) -> None:
        self._person = re.compile(person, re.IGNORECASE)
        self._words = {
            kind: Words(_pattern(always, spaced), _pattern(people, spaced)) for kind, (always, people) in words.items()
        }

    def find(self, text: str) -> Iterator[tuple[Sensitivity, Span]]:
        """Where such words stand."""
        spoken: list[Span] | None = None
        for kind, words in self._words.items():
            yield from ((kind, match.span()) for match in words.always.finditer(text))
            for match in words.about_people.finditer(text):
                if spoken is None:
                    spoken = [(a, b) for a, b in sentences(text) if self._person.search(text, a, b)]
                if any(a <= match.start() < b for a, b in spoken):
                    yield kind, match.span()


def _pattern(table: str, spaced: bool) -> re.Pattern[str]:
    """One pattern of a table with patterns on each line; upper case in it means upper case only as (?-i:[A-Z])."""
    lines = "|".join(line.strip() for line in table.strip().splitlines() if line.strip())
    return re.compile(rf"(?<!\w)(?:{lines})(?!\w)" if spaced else f"(?:{lines})", re.IGNORECASE)
