"""Extractive summaries: the sentences of the pages themselves that carry most of the keywords."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from ...domain.page import Page
from ...domain.text import sentences
from ..keywords import stem, words

SUMMARY_LENGTH = 200
LINE_LENGTH = 120
# What a page is about is said in its first characters; the rest only costs.
READ_LENGTH = 20_000


def summary(pages: Sequence[Page], keywords: Iterable[str]) -> str:
    """At most 200 characters of verbatim sentences of these pages, the most telling ones, in the order of the pages."""
    candidates = _candidates(pages)
    weights = _weights(candidates, keywords)
    chosen: list[int] = []
    room = SUMMARY_LENGTH
    for i in sorted(range(len(candidates)), key=lambda i: -weights[i]):
        if not chosen or (len(candidates[i]) < room and weights[i] > 0):
            chosen.append(i)
            room -= len(candidates[i]) + 1
    return cut(" ".join(candidates[i] for i in sorted(chosen)), SUMMARY_LENGTH)


def line(page: Page) -> str:
    """One line of at most 120 characters that says what is going on in a page, in its own words."""
    candidates = _candidates([page])
    weights = _weights(candidates, page.keywords)
    best = max(range(len(candidates)), key=lambda i: weights[i], default=None)
    return "" if best is None else cut(candidates[best], LINE_LENGTH)


def cut(text: str, length: int) -> str:
    """A text cut to a length, at the last space if there is one late enough, never before a combining mark."""
    if len(text) <= length:
        return text
    end = text.rfind(" ", length * 2 // 3, length + 1)
    if end < 0:
        end = length
        while end > 1 and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f"):
            end -= 1
    return text[:end].rstrip()


def _candidates(pages: Sequence[Page]) -> list[str]:
    """The sentences of the user sides, or of the assistant where the user said nothing; white space evened out."""
    found: list[str] = []
    for page in pages:
        side = (page.user_input if page.user_input.strip() else page.assistant_response)[:READ_LENGTH]
        spans = sentences(side)
        found.extend(" ".join(side[start:end].split()) for start, end in spans)
    return list(dict.fromkeys(sentence for sentence in found if sentence))


def _weights(candidates: Sequence[str], keywords: Iterable[str]) -> list[float]:
    """Keywords in each sentence, against its length so that a short telling one beats a long one."""
    wanted = {stem(word) for word in keywords}
    hits = [len(wanted.intersection(stem(word) for word in words(sentence))) for sentence in candidates]
    return [hit / (1 + len(sentence) / SUMMARY_LENGTH) for hit, sentence in zip(hits, candidates, strict=True)]
