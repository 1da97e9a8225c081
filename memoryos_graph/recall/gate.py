"""The published MemoryOS search, for comparison: first segments, then only their pages.

Source: the MemoryOS paper and package: segments by cosine + Jaccard of keywords, pages by cosine. As a hard filter it
loses a quarter of the evidence (retrieval.md 3), so it is a mode and never the default.
"""

from __future__ import annotations

from ..store.connection import Tx
from . import arms, fusion


async def through_gate(tx: Tx, ask: arms.Ask, gathered: arms.Gathered) -> None:
    """Make the pages of the chosen segments the only candidates. One statement.

    Pages of short-term memory are in no segment: the published package shows them in every prompt instead.
    """
    found = gathered.found
    rows = await arms.gate(tx, ask, list(found.segment_vector))
    found.notes = {}
    arms.take_pages(found, rows)
    for page_id, score in found.passage.items():
        if page_id in found.vector:
            found.vector[page_id] = max(found.vector[page_id], score)


def rank(found: fusion.Found) -> list[fusion.Ranked]:
    """Pages and facts by cosine, segments by cosine and keywords."""
    segments = [
        fusion.Ranked("segment", key, {"vector": max(0.0, 2 * s - 1), "text": found.segment_words[key]})
        for key, s in found.segment_vector.items()
    ]
    return sorted(fusion.rank_flat(found) + segments, key=lambda r: (-r.score, r.kind, r.id))
