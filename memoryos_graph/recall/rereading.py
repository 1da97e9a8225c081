"""The best pages read once more, for what scores over whole texts can't see. Pure.

The weights were tuned together with those of fusion.py on LoCoMo with pages of one and of two turns, and are flat: a
fifth more or less of any of them changes recall by less than .005 (docs/performance.md).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.query import Query, Term, without_names
from . import asking
from .fusion import Ranked

DEPTH = 50  # pages that are read once more: evidence further down is too seldom to be worth their texts
# The index weighs words by how rare they are in everybody's pages: most of its score makes room for words weighed by
# how rare they are among the pages read, which are this user's.
TEXT_KEPT, WORDS, AROUND = 0.36, 0.178, 0.164
ANSWER, SPEAKER, ASKED, LENGTH = 0.203, 0.144, 0.47, 0.178  # ASKED is a share of what a neighbour lends
LONG_ENOUGH = 100  # words from which on length says nothing more
SATURATION, BY_LENGTH = 1.2, 0.75  # k1 and b of BM25, as in the index

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
    """What to read for: the question, its content words, and the names that label speakers in this user's pages."""

    text: str
    terms: tuple[Term, ...]
    speakers: frozenset[str]

    @property
    def asked_about(self) -> frozenset[str]:
        """The speakers that it names."""
        return self.speakers & {word.lower() for word in _WORD.findall(self.text)}

    @classmethod
    def of(cls, query: Query, speakers: frozenset[str], text: str) -> Question:
        """Read a question, knowing who speaks in this user's pages."""
        return cls(text, without_names(query.terms, speakers), speakers)


def reread(
    ranked: Sequence[Ranked], readings: Mapping[str, Reading], question: Question, stem: Stemmer
) -> list[Ranked]:
    """The results with what was read added to their parts, best first; those without a reading keep their score."""
    words = _Words(question.terms, readings, stem)
    answers = asking.answers(question.text, question.speakers)
    speaker = _speaker(question)

    def parts(r: Ranked) -> dict[str, float]:
        reading = readings[r.id]
        return r.parts | {
            "text": TEXT_KEPT * r.parts.get("text", 0.0),
            "words": WORDS * words.score(r.id),
            "around": AROUND * words.covered(r.id),
            "answer": ANSWER * answers(reading.text),
            "speaker": SPEAKER * speaker(reading),
            "asked": ASKED * asking.is_question(reading.before) * r.parts.get("neighbour", 0.0),
            "length": LENGTH * (1.0 if reading.condensed else _length(reading.text)),
        }

    read = [replace(r, parts=_telling(parts(r))) if r.id in readings else r for r in ranked]
    return sorted(read, key=lambda r: (-r.score, r.kind, r.id))


def _telling(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: part for name, part in parts.items() if part}


def _length(text: str) -> float:
    """How much a page says, 0 to 1: greetings and thanks carry question words and no answer."""
    return min(1.0, math.log1p(_n_words(text)) / math.log1p(LONG_ENOUGH))


def _n_words(text: str) -> int:
    return len(_WORD.findall(text))


def _speaker(question: Question) -> Callable[[Reading], bool]:
    """Whether the one asked about speaks of themselves in a page: the user, or the only speaker that is named."""
    asked_about = question.asked_about
    if len(asked_about) == 1:
        (name,) = asked_about
        label = re.compile(rf"^\s*{re.escape(name)}[^\n:：]{{0,20}}[:：]\s(.*)", re.IGNORECASE | re.MULTILINE)
        return lambda reading: any(asking.says_i(said) for said in label.findall(reading.text))
    if not asked_about and asking.about_user(question.text):
        return lambda reading: asking.says_i(reading.user)
    return lambda reading: False


class _Words:
    """The question's words in what was read: how often in a page (BM25), and how many there and next to it.

    Rare words count more. How rare a word is, is judged by what was read.
    """

    def __init__(self, terms: Iterable[Term], readings: Mapping[str, Reading], stem: Stemmer) -> None:
        self._stem = stem
        self._stems = {stem(term.word) for term in terms if not term.exact}
        self._pattern = re.compile("|".join(map(_beginning, sorted(self._stems))) or r"(?!)")
        self._known: dict[str, str] = {}
        self._lengths = {key: _n_words(reading.text) for key, reading in readings.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(readings)) or 1.0
        self._own = {key: Counter(self._stems_in(reading.text)) for key, reading in readings.items()}
        self._near = {
            key: {*self._own[key], *self._stems_in(r.before), *self._stems_in(r.after)} for key, r in readings.items()
        }
        self._rare = {s: self._rareness(s, self._own) for s in self._stems}
        self._rare_near = {s: self._rareness(s, self._near) for s in self._stems}
        self._best = max(map(self._bm25, readings), default=0.0)

    def score(self, page_id: str) -> float:
        """How well the page's own words fit, as a share of the best, 0 to 1."""
        return self._bm25(page_id) / self._best if self._best else 0.0

    def covered(self, page_id: str) -> float:
        """The share of the question's words that stand in the page or beside it, 0 to 1."""
        total = sum(self._rare_near.values())
        return sum(self._rare_near[s] for s in self._near[page_id]) / total if total else 0.0

    def _bm25(self, page_id: str) -> float:
        damped = SATURATION * (1 - BY_LENGTH + BY_LENGTH * self._lengths[page_id] / self._mean)
        counts = self._own[page_id].items()
        return sum(self._rare[s] * n * (SATURATION + 1) / (n + damped) for s, n in counts)

    def _rareness(self, stemmed: str, found: Mapping[str, Container[str]]) -> float:
        return math.log1p(len(found) / (sum(stemmed in stems for stems in found.values()) + 0.5))

    def _beside(self, reading: Reading) -> list[str]:
        return self._stems_in(f"{reading.before}\n{reading.after}")

    def _stems_in(self, text: str) -> list[str]:
        words = self._pattern.findall(text.lower())
        for word in {*words} - self._known.keys():
            self._known[word] = self._stem(word)
        return [self._known[word] for word in words if self._known[word] in self._stems]


def _beginning(stemmed: str) -> str:
    """What all words of this stem begin with ("happi" is the stem of "happy"), and the rest of the word."""
    if not stemmed.isascii():
        return re.escape(stemmed)
    return rf"\b{re.escape(stemmed.removesuffix('i'))}[^\W_]*"
