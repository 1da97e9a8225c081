"""How much of a question's words a text has: what is shown of a long page, which sentence a marker stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
        spans = sentences(text) or [(0, len(text))]
        return self.best_of(text, spans), spans

    def best_of(self, text: str, spans: Sequence[Span]) -> int:
        """The place in `spans` of the sentence that has most of them."""
        return max(range(len(spans)), key=lambda i: (self.hits(text[slice(*spans[i])]), -i))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(text))
