"""The packaged model in this process."""

from __future__ import annotations

import asyncio
from itertools import pairwise

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


async def test_windows_are_cut_by_the_models_own_tokenizer() -> None:
    embedder = SentenceTransformerEmbedder()
    assert await embedder.windows("") == []
    assert await embedder.windows("short 🎉") == [(0, 7)]
    text = "".join(f"Line {n}: the café e\u0301 of 北京 🎉.\r\n" for n in range(120)) + "The key hangs in the barn."
    spans = await embedder.windows(text)
    assert len(spans) > 4
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(b[0] < a[1] for a, b in pairwise(spans))
    tokenizer = embedder._load().tokenizer
    assert all(len(tokenizer(text[start:end])["input_ids"]) <= 256 for start, end in spans)
    question = "where is the key of the barn?"
    vectors = await embedder.embed([text, text[slice(*spans[-1])], question], "document")
    whole, last = (sum(a * b for a, b in zip(v, vectors[2], strict=True)) for v in vectors[:2])
    assert last > whole + 0.1
