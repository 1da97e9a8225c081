"""What the vector of a question costs."""

from __future__ import annotations

import itertools
from typing import Any

from ...llm.embedder import SentenceTransformerEmbedder
from .timing import figures, in_turn, ratio

QUESTION = "When did my sister Anna say that she moved to Bergen {}"  # twelve words


async def bench_embed(embedder: SentenceTransformerEmbedder, rounds: int) -> dict[str, Any]:
    """The vector of a question of twelve words: the library's plain call, and ours; they take turns."""
    await embedder.warm_up()
    numbers = itertools.count()

    async def plain() -> None:
        embedder.encode([QUESTION.format(next(numbers))])

    async def ours() -> None:
        embedder.encode_few([QUESTION.format(next(numbers))])

    plain_ms, ours_ms = await in_turn(plain, ours, rounds)
    return {"plain_ms": figures(plain_ms), "ours_ms": figures(ours_ms), "ratio": ratio(ours_ms, plain_ms)}
