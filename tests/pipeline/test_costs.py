"""What a memory costs: calls of models and embeddings, counted at the scripted server."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from memoryos_graph import MemoryService, TurnIn
from memoryos_graph.demo.scenario import Scenario
from memoryos_graph.llm.endpoint_embedder import EndpointEmbedder
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock
from ..model_server import Scene, open_endpoint

CHAT = 300


@pytest.fixture
async def counted(
    service: MemoryService, model_provider: OpenAIProvider, model_server: Scene
) -> AsyncIterator[MemoryService]:
    """A service whose model and embeddings are both at the scripted server."""
    async with open_endpoint(model_server.base_url) as endpoint:
        embedder = EndpointEmbedder(endpoint, "all-MiniLM-L6-v2", 384)
        ctx = replace(service.ctx, provider=model_provider, embedder=embedder)
        yield MemoryService(ctx, Worker(ctx))


def _calls(scenario: Scenario) -> tuple[int, int, int, int]:
    return (
        scenario.count("read_batch"),
        scenario.count("propose_claims"),
        scenario.count("answer"),
        scenario.count("embeddings"),
    )


async def test_each_step_asks_a_model_once_at_most_and_adds_and_searches_never(
    counted: MemoryService, user_id: str, model_server: Scene
) -> None:
    memory, scenario = counted.user(user_id), model_server.scenario
    for n in range(25):
        await memory.remember(TurnIn(user_input=f"I like jazz and play the cello, evening {n}."))
    assert _calls(scenario) == (0, 0, 0, 0)
    indexed = await memory.maintain("index")
    assert (len(indexed.runs), _calls(scenario)) == (1, (0, 0, 0, 1))
    migrated = await memory.maintain("migrate", force=True)
    assert len(migrated.runs) == 5
    assert _calls(scenario) == (5, 0, 0, 6)
    promoted = await memory.maintain("promote", force=True)
    assert [run.counts["pages"] for run in promoted.runs] == [20, 5]
    assert _calls(scenario) == (5, 2, 0, 8)
    assert [run.model_calls for run in promoted.runs] == [1, 1]
    await memory.search("who plays the cello?")
    assert _calls(scenario) == (5, 2, 0, 9)


@pytest.mark.timeout(400)
async def test_a_long_chat_about_one_thing_is_not_read_too_often_and_cools_when_it_rests(
    counted: MemoryService, user_id: str, clock: FakeClock, model_server: Scene
) -> None:
    memory, scenario = counted.user(user_id), model_server.scenario
    for n in range(CHAT):
        await memory.remember(TurnIn(user_input=f"The cello suite again, bar {n}.", assistant_response="Slowly."))
        clock.move(minutes=3)
        if n % 3 == 2:
            await memory.maintain(force=False)
    assert scenario.count("propose_claims") <= CHAT / 3
    segments = (await memory.segments()).items
    assert sum(segment.n_pages for segment in segments) >= CHAT - 10
    assert max(segment.n_pages for segment in segments) <= 200
    clock.move(days=365)
    for segment in (await memory.segments()).items:
        heat = segment.heat
        age = (clock.now() - segment.newest_event_at).total_seconds()
        assert heat.recency == pytest.approx(math.exp(-age / 1e7))
        assert heat.recency < 0.05
        assert heat.heat == pytest.approx(heat.n_visit + heat.l_interaction + heat.recency)
        assert (heat.heat >= heat.threshold) == (heat.n_visit + heat.l_interaction >= heat.threshold)
