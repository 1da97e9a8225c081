"""What benches load: texts of recombined sentences of the sample conversation, and vectors for them without a model."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import numpy as np

from ...demo.load import sample_turns
from ...domain.passages import Span, windows
from ...llm.embedder import Embedder

NOISE = 0.05


class MixedEmbedder:
    """Vectors for texts of recombined sentences, without a model: mixtures of two real sentence vectors with noise.

    So that 100,000 pages can be loaded in minutes, and a search is timed without its embedding.
    """

    def __init__(self, model_id: str, dimension: int, known: dict[str, list[float]]) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self._known = {sentence: np.array(vector) for sentence, vector in known.items()}

    @classmethod
    async def of(cls, real: Embedder) -> MixedEmbedder:
        """Embed the sentences of the sample conversation once with the real model."""
        known = sentences()
        vectors = await real.embed(known, "document")
        return cls(real.model_id, real.dimension, dict(zip(known, vectors, strict=True)))

    async def windows(self, text: str) -> list[Span]:
        """One: texts of the bench are short."""
        return windows(text, (), 1)

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        """A unit vector per text, the same for the same text."""
        return [self.mixed(text) for text in texts]

    async def warm_up(self) -> None:
        """Nothing has to be loaded."""

    @property
    def ready(self) -> bool:
        """Always."""
        return True

    def mixed(self, text: str) -> list[float]:
        """The vector of a text: of two sentences in it, or of any two for a text that has none, such as a question."""
        digest = hashlib.sha256(text.encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8]))
        held = [s for s in _split(text) if s in self._known] or [
            sentences()[n] for n in rng.integers(len(sentences()), size=2)
        ]
        first, second = self._known[held[-1]], self._known[held[len(held) // 2 - 1]]
        mixture = _unit(first + rng.uniform(0.3, 1) * second)
        noise = _unit(rng.standard_normal(self.dimension))
        return [float(x) for x in _unit(mixture + NOISE * noise)]


def _unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def text(n: int) -> str:
    """The n-th text: two sentences and its number."""
    rng = random.Random(n)
    return f"{' '.join(rng.sample(sentences(), 2))} ({n})"


def question(n: int) -> str:
    """The n-th question: words of three sentences."""
    rng = random.Random(n)
    words = re.findall(r"[A-Za-z]{4,}", " ".join(rng.sample(sentences(), 3)))
    return " ".join(rng.sample(words, min(8, len(words))))


def _split(text: str) -> list[str]:
    return [s.strip() for s in re.split(r"(?<=[.!?。！？])\s*|\n", text) if s.strip()]


@cache
def sentences() -> tuple[str, ...]:
    """The English sentences of the sample conversation."""
    said = (sentence for turn in sample_turns() for side in turn.sides() for sentence in _split(side))
    return tuple(dict.fromkeys(s for s in said if s.isascii() and len(s) > 20))
