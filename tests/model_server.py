"""The scripted model of the tests: one real HTTP server for the run, a clean scenario for each test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from memoryos_graph.demo.scripted_model import MODEL, Scene, ScriptedModel
from memoryos_graph.llm.endpoint import Endpoint
from memoryos_graph.llm.openai_provider import OpenAIProvider, model_provider

__all__ = ["MODEL", "Scene", "ScriptedModel", "open_endpoint", "open_provider"]


@asynccontextmanager
async def open_endpoint(base_url: str, **over: Any) -> AsyncIterator[Endpoint]:
    """A client of a server, with time limits fit for tests."""
    chosen: dict[str, Any] = {
        "name": "llm",
        "timeout_s": 30.0,
        "max_tries": 3,
        "gate": asyncio.Semaphore(4),
        "api_key": "secret-key",
    }
    endpoint = Endpoint(base_url=base_url, **(chosen | over))
    try:
        yield endpoint
    finally:
        await endpoint.close()


@asynccontextmanager
async def open_provider(
    base_url: str, *, prompt_tokens: int = 16_000, answer_model: str | None = None, **over: Any
) -> AsyncIterator[OpenAIProvider]:
    """A provider on a server, as bootstrap makes it."""
    async with open_endpoint(base_url, **over) as endpoint:
        yield model_provider(endpoint, MODEL, answer_model, prompt_tokens=prompt_tokens)
