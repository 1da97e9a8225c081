"""Counts of tokens beside those of two tokenizers of language models (o200k, cl100k), which were counted once."""

from __future__ import annotations

import base64
import hashlib

import pytest

from memoryos_graph.errors import SetupError
from memoryos_graph.llm.embedder import SentenceTransformerEmbedder
from memoryos_graph.llm.tokens import CharacterCounter, ModelCounter, TokenCounter

RANDOM = base64.b64encode(b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(100))).decode()
ENGLISH = "I moved to Bergen in March, and I have come to love the rain that falls there most of the year. "
CODE = "def best(self, text: str) -> int:\n    return max(range(len(spans)), key=lambda i: self.hits(text[i]))\n"
SAMPLES = [  # text, tokens by o200k, tokens by cl100k
    pytest.param(ENGLISH * 20, 461, 461, id="english"),
    pytest.param("我三月搬到了卑尔根，慢慢喜欢上了那里几乎全年都在下的雨。" * 20, 481, 840, id="chinese"),
    pytest.param("저는 3월에 베르겐으로 이사했고 비를 좋아합니다. " * 20, 362, 561, id="korean"),
    pytest.param(
        "Я переехал в Берген в марте и полюбил дождь, хотя сначала скучал по дому. " * 20, 501, 760, id="russian"
    ),
    pytest.param("ฉันย้ายไปอยู่ที่เบอร์เกนในเดือนมีนาคมและชอบฝนที่นั่น" * 20, 460, 980, id="thai"),
    pytest.param("በመጋቢት ወር ወደ በርገን ተዛወርኩ እና ዝናቡን እወዳለሁ። " * 20, 1360, 1781, id="amharic"),
    pytest.param("😀🎉👍🏽❤️🔥" * 100, 800, 1700, id="emoji"),
    pytest.param("3.14159 2026-03-01 4417 12345678901234567890 " * 20, 460, 460, id="numbers"),
    pytest.param(CODE * 20, 580, 560, id="code"),
    pytest.param(RANDOM, 2892, 3039, id="random"),
    pytest.param("x" * 5000, 625, 625, id="one word"),
    pytest.param(" " * 5000, 40, 40, id="blanks"),
]
BY_MODEL = ModelCounter("all-MiniLM-L6-v2", SentenceTransformerEmbedder().tokenizer)


@pytest.mark.parametrize(("text", "o200k", "cl100k"), SAMPLES)
@pytest.mark.parametrize("counter", [BY_MODEL, CharacterCounter()], ids=["model", "characters"])
def test_case_u37_no_kind_of_text_is_undercounted_by_more_than_a_quarter(
    counter: TokenCounter, text: str, o200k: int, cl100k: int
) -> None:
    assert counter.count(text) >= 0.75 * max(o200k, cl100k)
    if text == ENGLISH * 20:
        assert counter.count(text) <= 1.3 * o200k
    assert counter.count("") == 0


def test_a_long_text_is_read_whole() -> None:
    assert BY_MODEL.count(ENGLISH * 1000) == pytest.approx(50 * BY_MODEL.count(ENGLISH * 20), rel=0.01)


def test_without_the_models_tokenizer_characters_are_counted() -> None:
    def missing() -> None:
        raise SetupError("the embedding model needs the extra 'embeddings'")

    counter = ModelCounter("some-model", missing)
    assert counter.count(ENGLISH) == CharacterCounter().count(ENGLISH)
    assert counter.name == "characters"
    assert BY_MODEL.name == "all-MiniLM-L6-v2"
