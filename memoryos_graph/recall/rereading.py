"""The best pages read once more, for what scores over whole texts can't see. Pure.

The weights were tuned together with those of fusion.py on LoCoMo with pages of one and of two turns, and are flat: any
of them may be halved for less than .005 (docs/performance.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from . import asking
from .fusion import Ranked
from .query import Query, Term, without_names

DEPTH = 50  # pages that are read once more: evidence further down is too seldom to be worth their texts
WORDS, ANSWER, SPEAKER, LENGTH = 0.15, 0.2, 0.12, 0.23
LONG_ENOUGH = 100  # words from which on length says nothing more

_WORD = re.compile(r"[^\W_]+")
Stemmer = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A page or fact as it is read: what the user said, all that was said, and what stands before and after it.

    `condensed` is a text that says nothing but what counts, as facts do.
    """

    user: str
    text: str
    before: str = ""
    after: str = ""
    condensed: bool = False


@dataclass(frozen=True)
class Question:
    """What to read for: the question, its content words, and names that label speakers and are asked about."""

    text: str
    terms: tuple[Term, ...]
    names: frozenset[str]

    @classmethod
    def of(cls, query: Query, speakers: frozenset[str], text: str) -> Question:
        """Read a question, knowing who speaks in this user's pages."""
        words = {term.word for term in query.terms}
        return cls(text, without_names(query.terms, speakers), frozenset(words & speakers))


def reread(
    ranked: Sequence[Ranked], readings: Mapping[str, Reading], question: Question, stem: Stemmer
) -> list[Ranked]:
    """The results with what was read added to their parts, best first; those without a reading keep their score."""
    covered = _Coverage(question.terms, readings, stem)
    wanted = asking.answers(question.text)
    speaker = _speaker(question)

    def parts(r: Ranked) -> dict[str, float]:
        reading = readings[r.id]
        return {
            "words": WORDS * covered.share(r.id),
            "answer": ANSWER * any(pattern.search(reading.text) for pattern in wanted),
            "speaker": SPEAKER * speaker(reading),
            "asked": asking.is_question(reading.before) * r.parts.get("neighbour", 0.0),
            "length": LENGTH * (1.0 if reading.condensed else _length(reading.text)),
        }

    read = [replace(r, parts=r.parts | _telling(parts(r))) if r.id in readings else r for r in ranked]
    return sorted(read, key=lambda r: (-r.score, r.kind, r.id))


def _telling(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: part for name, part in parts.items() if part}


def _length(text: str) -> float:
    """How much a page says, 0 to 1: greetings and thanks carry question words and no answer."""
    return min(1.0, math.log1p(len(_WORD.findall(text))) / math.log1p(LONG_ENOUGH))


def _speaker(question: Question) -> Callable[[Reading], bool]:
    """Whether the one asked about speaks of themselves in a page: the user, or the only speaker that is named."""
    if len(question.names) == 1:
        (name,) = question.names
        label = re.compile(rf"^\s*{re.escape(name)}[^\n:：]{{0,20}}[:：]\s(.*)", re.IGNORECASE | re.MULTILINE)
        return lambda reading: any(asking.says_i(said) for said in label.findall(reading.text))
    if not question.names and asking.about_user(question.text):
        return lambda reading: asking.says_i(reading.user)
    return lambda reading: False


class _Coverage:
    """How many of the question's words stand in a page or next to it; rare ones count more.

    How rare a word is, is judged by the pages read: they are those of this user that fit best.
    """

    def __init__(self, terms: Iterable[Term], readings: Mapping[str, Reading], stem: Stemmer) -> None:
        self._stem = stem
        self._stems = {stem(term.word): term for term in terms if not term.exact}
        self._pattern = re.compile("|".join(_beginning(s) for s in self._stems) or r"(?!)")
        self._known: dict[str, str] = {}
        self._found = {key: self._stems_in(r.before, r.text, r.after) for key, r in readings.items()}
        self._weight = {s: self._rareness(s) for s in self._stems}
        self._total = sum(self._weight.values()) or 1.0

    def share(self, page_id: str) -> float:
        """The share of the question's words that is covered, weighted, 0 to 1."""
        return sum(self._weight[s] for s in self._found[page_id]) / self._total

    def _rareness(self, stemmed: str) -> float:
        return math.log1p(len(self._found) / (sum(stemmed in found for found in self._found.values()) + 0.5))

    def _stems_in(self, *texts: str) -> set[str]:
        matched = {word for text in texts for word in self._pattern.findall(text.lower())}
        for word in matched - self._known.keys():
            self._known[word] = self._stem(word)
        return {self._known[word] for word in matched} & self._stems.keys()


def _beginning(stemmed: str) -> str:
    """What all words of this stem begin with ("happi" is the stem of "happy"), and the rest of the word."""
    if not stemmed.isascii():
        return re.escape(stemmed)
    return rf"\b{re.escape(stemmed.removesuffix('i'))}[^\W_]*"
