"""The packaged model in this process."""

from __future__ import annotations

import asyncio

import pytest

from memoryos_graph.llm.embedder import SentenceTransformerEmbedder

TEXTS = ["When did Anna move to Bergen?", "", "我喜欢弹大提琴。", "A long one. " * 200]


async def test_a_single_text_has_the_vector_it_has_in_a_batch() -> None:
    embedder = SentenceTransformerEmbedder()
    batch = await embedder.embed(TEXTS, "document")
    alone = await asyncio.gather(*(embedder.embed([text], "query") for text in TEXTS))
    for together, (single,) in zip(batch, alone, strict=True):
        assert single == pytest.approx(together, abs=1e-5)
        assert sum(x * x for x in single) == pytest.approx(1, abs=1e-5)
    assert await embedder.embed([], "query") == []
