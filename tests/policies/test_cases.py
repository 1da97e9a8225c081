"""Cases P5 and S10 again, with policies."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.demo.scenario import Request, says
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.transfer import verify_evidence

from ..conftest import FakeClock
from ..graph import everything_stored
from ..model_server import Scene

pytestmark = pytest.mark.engine


async def test_case_p5_evidence_holds_what_the_policy_let_in_and_no_more(memory: UserMemory) -> None:
    await memory.set_policy(classes={"health": "ask", "contact": "redact"})
    await memory.remember(
        [
            {"user_input": "I live in Oslo."},
            {"user_input": "I am allergic to nuts."},
            {"user_input": "I like tea, write to ana.k@example.org about it."},
        ]
    )
    await memory.maintain()
    file = b"".join([piece async for piece in memory.evidence()])
    faults, _ = verify_evidence.faults_of(file.splitlines(keepends=True))[:2]
    lines = [json.loads(line) for line in file.splitlines()]
    believed = [line["fact"]["object"] for line in lines if "fact" in line]
    assert faults == []
    assert "Oslo" in believed
    assert "nuts" not in believed  # it waits to be confirmed
    assert b"ana.k" not in file


async def test_case_s10_what_an_assistant_told_one_user_is_that_users_alone_and_as_that_user_allows(
    service: MemoryService, user_id: str, model_server: Scene, model_provider: OpenAIProvider
) -> None:
    def told(request: Request) -> str:
        claims = [
            {"page": int(page.page_id), "speaker": "assistant", "quote": page.assistant_response, "stance": "states"}
            | {"kind": "assistant_knowledge", "subject": "assistant", "predicate": "noted"}
            | {"object": page.assistant_response, "text": page.assistant_response}
            for page in request.pages
        ]
        return json.dumps({"claims": claims})

    model_server.scenario.when(says(told), kind="propose_claims")
    ctx = replace(service.ctx, provider=model_provider)
    by_model = MemoryService(ctx, Worker(ctx))
    ana, bo, cy = (by_model.user(f"{user_id}-{name}") for name in ("ana", "bo", "cy"))
    result = {"user_input": "What does it say?", "assistant_response": "Your test shows type 2 diabetes."}
    await ana.set_policy(classes={"health": "session_only"})
    await cy.set_policy(classes={"health": "ask"})
    for memory in (ana, cy):
        await memory.remember(result)
        await memory.maintain()
    await bo.remember({"user_input": "Hello", "assistant_response": "The weather is fine."})
    await bo.maintain()
    assert [fact.text for fact in (await bo.facts(kind="assistant_knowledge")).items] == ["The weather is fine."]
    assert "diabetes" not in await everything_stored(by_model, bo.user_id)
    assert (await ana.facts(status=None)).items == []
    (waiting,) = (await cy.facts(status=None)).items
    assert (waiting.status, waiting.sensitivity, waiting.kind) == ("proposed", "health", "assistant_knowledge")


@pytest.mark.parametrize("dimension", ["religion", "politics", "health"])
async def test_no_trait_of_a_closed_dimension_is_inferred_whatever_the_policy_lets_in(
    service: MemoryService,
    user_id: str,
    model_server: Scene,
    model_provider: OpenAIProvider,
    clock: FakeClock,
    dimension: str,
) -> None:
    def judged(request: Request) -> str:
        claims = [
            {
                "page": int(page.page_id),
                "speaker": "user",
                "quote": page.user_input,
                "stance": "states",
                "kind": "trait",
            }
            | {"subject": "user", "predicate": dimension, "object": "high", "text": f"The user is high in {dimension}."}
            for page in request.pages
        ]
        return json.dumps({"claims": claims})

    model_server.scenario.when(says(judged), kind="propose_claims")
    ctx = replace(service.ctx, provider=model_provider)
    memory = MemoryService(ctx, Worker(ctx)).user(user_id)
    await memory.set_policy(classes=dict.fromkeys(["religious", "political", "health"], "store"))
    for _ in range(3):
        await memory.remember({"user_input": "I pray, I vote, and I run every day."})
        clock.move(days=1)
    done = await memory.maintain()
    assert (await memory.facts(status=None)).items == []
    assert sum(run.rejected.get("closed_dimension", 0) for run in done.runs) == 3
