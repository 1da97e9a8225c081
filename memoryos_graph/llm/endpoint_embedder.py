"""Text to vectors by an OpenAI-compatible embedding endpoint."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..domain.passages import Span, rough_tokens, windows
from ..errors import ModelReplyInvalid, ModelUnavailable
from .embedder import known_dimension
from .endpoint import Endpoint, Refused

BATCH = 256  # texts in one request; every step needs one at most


class EndpointEmbedder:
    """An Embedder behind HTTP. Vectors are made unit length; all have `dimension` numbers, or as many as the first.

    `options` are fields of the request, such as `dimensions`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        dimension: int | None,
        window_tokens: int = 512,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model_id = model
        self.dimension = dimension or known_dimension(model)
        self._options = dict(options or {})
        self._endpoint = endpoint
        self._window_tokens = window_tokens

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        """One unit vector per text, in their order. Raises ModelUnavailable, ModelReplyInvalid."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            vectors.extend(await self._batch(list(texts[start : start + BATCH])))
        return vectors

    async def windows(self, text: str) -> list[Span]:
        """Spans of a text of about `embedding_window_tokens` each: the server's tokenizer is not known here."""
        return windows(text, rough_tokens(text), self._window_tokens)

    async def warm_up(self) -> None:
        """Nothing has to be loaded."""

    @property
    def ready(self) -> bool:
        """Always."""
        return True

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        try:
            response, _ = await self._endpoint.send(
                lambda: self._endpoint.client.embeddings.create(
                    model=self.model_id,
                    input=[text or " " for text in texts],
                    encoding_format="float",
                    extra_body=self._options or None,
                ),
                lambda outcome, ms: None,
            )
        except Refused:
            raise ModelUnavailable(
                "the embedding server refuses the request (400; settings embedding_model, embedding_base_url)",
                code="model_bad_request",
            ) from None
        return await asyncio.to_thread(self._checked, response, len(texts))

    def _checked(self, response: Any, wanted: int) -> list[list[float]]:
        rows = getattr(response, "data", None)
        if not isinstance(rows, list) or len(rows) != wanted:
            raise ModelReplyInvalid("the embedding server gave another number of vectors than texts")
        rows = sorted(rows, key=lambda row: getattr(row, "index", None) or 0)
        return [self._unit(getattr(row, "embedding", None)) for row in rows]

    def _unit(self, vector: Any) -> list[float]:
        if not isinstance(vector, list) or not all(isinstance(x, int | float) and math.isfinite(x) for x in vector):
            raise ModelReplyInvalid("the embedding server gave something that is no vector")
        self.dimension = self.dimension or len(vector)
        if len(vector) != self.dimension:
            raise ModelReplyInvalid(
                f"the embedding server gives vectors of {len(vector)} numbers, not {self.dimension} "
                "(setting embedding_dimension)",
                code="embedding_dimension",
            )
        norm = math.sqrt(sum(x * x for x in vector))
        if not norm:
            raise ModelReplyInvalid("the embedding server gave a vector of zeros")
        return [x / norm for x in vector]
