"""Which of the things shown an answer repeats words of, so that it goes when they are forgotten (design.md 3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from .text import content_words

IN_A_ROW = 4
LEAST_LETTERS = 4
_MARKER = re.compile(r"\[\d+\]")
_NUMBER = re.compile(r"\d[\d.,:/-]*")


def repeated(answer: str, question: str, shown: Mapping[str, str]) -> set[str]:
    """Ids of the shown texts that share with the answer a number, four content words in a row, or a rare word.

    Rare is a word that stands in at most one of the texts. What the question says itself is no repeat.
    """
    answer = _MARKER.sub(" ", answer)
    words, numbers, rows = _words(answer) - _words(question), _numbers(answer) - _numbers(question), _rows(answer)
    texts = {key: _words(text) for key, text in shown.items()}
    counts = Counter(word for found in texts.values() for word in found)
    rare = {word for word in words if counts[word] == 1}
    return {
        key
        for key, text in shown.items()
        if rare & texts[key] or numbers & _numbers(text) or not rows.isdisjoint(_rows(text))
    }


def _words(text: str) -> set[str]:
    """Words that may be rare; Chinese has no such words without a segmenter, only rows of characters."""
    return {word for word in content_words(text) if len(word) >= LEAST_LETTERS}


def _numbers(text: str) -> set[str]:
    return {token.rstrip(".,:/-") for token in _NUMBER.findall(text)}


def _rows(text: str) -> set[tuple[str, ...]]:
    return set(_in_a_row(content_words(text)))


def _in_a_row(words: list[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(words[i : i + IN_A_ROW]) for i in range(len(words) - IN_A_ROW + 1))
