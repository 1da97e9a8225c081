"""The sample conversation read by the scripted model: the same facts as by the rules; calls counted at the server."""

from __future__ import annotations

from dataclasses import replace

from memoryos_graph import MemoryService
from memoryos_graph.demo.load import load_demo
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..graph import assert_invariants
from ..model_server import Scene
from .test_demo import FACTS


async def test_exactly_the_same_facts_come_of_it(
    service: MemoryService, model_provider: OpenAIProvider, model_server: Scene, user_id: str
) -> None:
    ctx = replace(service.ctx, provider=model_provider)
    by_model = MemoryService(ctx, Worker(ctx))
    loaded = await load_demo(by_model, user_id=user_id)
    facts = (await by_model.user(user_id).facts(status=None, limit=500)).items
    assert {(fact.predicate, fact.object, fact.status.value) for fact in facts} == FACTS
    kinds = [run.kind for run in loaded.runs]
    assert model_server.scenario.count("read_batch") == kinds.count("migrate")
    assert model_server.scenario.count("propose_claims") == kinds.count("promote")
    await assert_invariants(by_model, user_id)
