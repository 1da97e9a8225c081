"""How much of a question's words a text has: what is shown of a long page, which sentence a marker stands for."""

from __future__ import annotations

import re
from functools import lru_cache

from ..domain.text import content_words, sentences
from .keywords import stem

Span = tuple[int, int]


_ASKING = re.compile(
    "什么时候|什么|哪里|哪儿|哪[一个些位天年]*|怎么样?|怎样|如何|为什么|为何|多少|多久|几[个点号]?|谁|是否|有没有|吗|呢|还记得|记得"
)


class Nearness:
    """The content words of a question, by their stems; Chinese by pairs of characters, without what only asks."""

    def __init__(self, question: str) -> None:
        self.words = _stems(_ASKING.sub(" ", question))
        self._known: dict[str, tuple[int, list[Span]]] = {}

    def hits(self, text: str) -> int:
        """How many of them a text has."""
        return len(self.words & _stems(text))

    def cover(self, text: str) -> float:
        """Their share that a text has; 0 when the question has none."""
        return self.hits(text) / len(self.words) if self.words else 0.0

    def best_cover(self, text: str) -> float:
        """The largest share of them that one sentence of a text has."""
        place, spans = self.best(text)
        return self.cover(text[slice(*spans[place])])

    def best(self, text: str) -> tuple[int, list[Span]]:
        """Which sentence of a text has most of them, the first of equals, and all its sentences."""
        known = self._known.get(text)
        if known is None:
            spans = sentences(text) or [(0, len(text))]
            place = max(range(len(spans)), key=lambda i: (self.hits(text[slice(*spans[i])]), -i))
            known = self._known[text] = place, spans
        return known


_stem = lru_cache(maxsize=20_000)(stem)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in content_words(text))
