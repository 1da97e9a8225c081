"""The subjects of a batch: its pages grouped by vectors and keywords."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ...domain.page import Page
from ...domain.text import cosine, is_cjk, jaccard
from ..keywords import keywords
from ..provider import Topic
from .continuity import follows_up, stems
from .summary import summary

# Cosine + Jaccard of two groups. Neighbours of one session are alike by the side before, which the vector of the later
# one carries: that is taken off again unless the later one is a follow-up. Chinese goes by words (retrieval.md 4).
TOGETHER_FROM = 0.5
NEIGHBOUR_DISCOUNT = 0.2
CJK_VECTOR_WEIGHT = 0.5
CJK_WORD_WEIGHT = 5.0
KEYWORDS = 10


def topics(pages: Sequence[Page]) -> tuple[Topic, ...]:
    """Groups that cover every page once, the earliest first. Cost: cubic in the size of the batch, which is small.

    Average linkage: the two groups most alike are joined until none are alike enough.
    """
    likeness = _likeness(pages)
    groups = [[i] for i in range(len(pages))]
    while len(groups) > 1:
        best, a, b = max(
            ((_linkage(groups[a], groups[b], likeness), -a, -b) for a, b in combinations(range(len(groups)), 2)),
        )
        if best < TOGETHER_FROM:
            break
        groups[-a] = sorted(groups[-a] + groups.pop(-b))
    return tuple(topic([pages[i] for i in group]) for group in sorted(groups))


def topic(pages: Sequence[Page]) -> Topic:
    """What some pages are about, in their own words."""
    words = keywords("\n".join(page.text for page in pages), KEYWORDS)
    return Topic(summary=summary(pages, words), keywords=words, page_ids=tuple(page.page_id for page in pages))


def _linkage(a: Sequence[int], b: Sequence[int], likeness: dict[tuple[int, int], float]) -> float:
    return sum(likeness[min(i, j), max(i, j)] for i in a for j in b) / (len(a) * len(b))


def _likeness(pages: Sequence[Page]) -> dict[tuple[int, int], float]:
    words = [stems(page) for page in pages]
    return {
        (i, j): _alike(pages[i], pages[j], jaccard(words[i], words[j])) for i, j in combinations(range(len(pages)), 2)
    }


def _alike(a: Page, b: Page, shared: float) -> float:
    vectors = max(0.0, cosine(a.embedding, b.embedding)) if len(a.embedding) == len(b.embedding) else 0.0
    neighbours = a.session_id == b.session_id and abs(a.seq - b.seq) == 1
    if neighbours and follows_up(max(a, b, key=lambda page: page.seq)):
        return 1.0
    if is_cjk(a.text) and is_cjk(b.text):
        return CJK_WORD_WEIGHT * shared + CJK_VECTOR_WEIGHT * vectors
    return shared + (max(0.0, vectors - NEIGHBOUR_DISCOUNT) if neighbours else vectors)
