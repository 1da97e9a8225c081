"""After a forget what is left of a topic has an extract for its summary at once, and one by the model soon after."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.contract import SegmentDetail
from memoryos_graph.demo.scenario import Hold, Reaction, error, says
from memoryos_graph.errors import ModelError
from memoryos_graph.llm.openai_provider import OpenAIProvider

from ..conftest import FakeClock
from ..graph import ask, assert_invariants, everything_stored
from ..model_server import Scene
from ..scheduler.parts import serving, tick

TOPIC = '{{"pages": [], "topics": [{{"summary": "{summary}", "keywords": ["harbour", "boats"], "pages": [1, 2, 3]}}]}}'
BETTER = says(TOPIC.format(summary="Boats in the harbour, as told at last"))
TOLD = ["The harbour has red boats.", "At the harbour gate the code is zqxwv.", "Boats leave the harbour at nine."]


@pytest.fixture
def reading(service: MemoryService, model_provider: OpenAIProvider) -> MemoryService:
    """A service whose pages are read by a model."""
    return serving(service, provider=model_provider, llm="model", short_term_capacity=1, migration_batch=1)


@pytest.fixture
async def ana(reading: MemoryService, model_server: Scene, user_id: str) -> tuple[UserMemory, list[str]]:
    """A user with one topic of three pages, and the ids of those."""
    memory = reading.user(user_id)
    model_server.scenario.when(says(TOPIC.format(summary="The harbour, zqxwv")), kind="read_batch", times=3)
    stored = await memory.remember([TurnIn(user_input=text) for text in TOLD])
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    return memory, [turn.page_id for turn in stored]


async def _forget(memory: UserMemory, page_id: str) -> None:
    plan = await memory.forget(pages=[page_id])
    await memory.confirm_forget(plan.plan_id)


async def _topic(memory: UserMemory) -> SegmentDetail:
    (segment,) = (await memory.segments()).items
    return await memory.segment(segment.segment_id)


def _readings(model_server: Scene) -> list[str]:
    return [request.text for request in model_server.scenario.requests() if request.kind == "read_batch"]


@pytest.mark.engine
async def test_what_is_left_is_summed_up_by_the_model(
    reading: MemoryService, ana: tuple[UserMemory, list[str]], model_server: Scene
) -> None:
    memory, pages = ana
    assert "zqxwv" in (await _topic(memory)).summary
    await _forget(memory, pages[1])
    extract = await _topic(memory)
    assert "zqxwv" not in extract.summary
    assert "boats" in extract.summary.lower()
    asked = len(_readings(model_server))
    model_server.scenario.when(BETTER, kind="read_batch")
    assert await tick(memory) is None
    topic = await _topic(memory)
    assert (topic.summary, topic.keywords) == ("Boats in the harbour, as told at last", ["harbour", "boats"])
    assert topic.version == extract.version + 1
    (prompt,) = _readings(model_server)[asked:]
    assert "red boats" in prompt
    assert "zqxwv" not in prompt
    (run,) = [run for run in (await memory.runs()).items if run.kind == "summarize"]
    assert (run.state, run.counts, run.model_calls) == ("done", {"segments": 1, "pages": 2}, 1)
    await memory.maintain()
    assert len(_readings(model_server)) == asked + 1  # once
    assert "zqxwv" not in await everything_stored(reading, memory.user_id)
    await assert_invariants(reading, memory.user_id)


async def test_a_model_that_fails_leaves_the_extract(
    ana: tuple[UserMemory, list[str]], model_server: Scene, clock: FakeClock
) -> None:
    memory, pages = ana
    await _forget(memory, pages[1])
    extract = await _topic(memory)
    model_server.scenario.when(error(400), kind="read_batch")
    for wait_s in (0, 2, 4, 8, 16, 32):
        clock.move(seconds=wait_s)
        await tick(memory)
    topic = await _topic(memory)
    assert (topic.summary, topic.version) == (extract.summary, extract.version)
    runs = [run for run in (await memory.runs()).items if run.kind == "summarize"]
    assert [(run.state, run.counts.get("segments")) for run in runs] == [("done", 0)] + [("failed", None)] * 5
    assert not (await memory.stats()).due


async def test_i15_a_forget_during_the_call_makes_its_summary_void(
    reading: MemoryService, ana: tuple[UserMemory, list[str]], model_server: Scene
) -> None:
    memory, pages = ana
    await _forget(memory, pages[0])
    hold = Hold()
    told = TOPIC.format(summary="The gate, zqxwv")
    model_server.scenario.when(Reaction(hold=hold, content=told), kind="read_batch", times=1)
    model_server.scenario.when(BETTER, kind="read_batch")
    working = asyncio.create_task(_all(memory))
    await asyncio.to_thread(hold.arrived.wait, 60)
    plan = await memory.forget(pages=[pages[1]])
    confirming = asyncio.create_task(memory.confirm_forget(plan.plan_id))
    while not await ask(reading, "MATCH (p:Page {page_id: $id}) WHERE p.hidden RETURN p", id=pages[1]):
        await asyncio.sleep(0.01)
    hold.let_go()
    await asyncio.gather(working, confirming)
    await tick(memory)
    assert (await _topic(memory)).summary == "Boats in the harbour, as told at last"
    assert "zqxwv" not in await everything_stored(reading, memory.user_id)


async def _all(memory: UserMemory) -> None:
    try:
        await memory.maintain(force=False)
    except ModelError:  # the run that was held
        return


async def test_with_rules_the_extract_is_the_summary(service: MemoryService, user_id: str, clock: Any) -> None:
    memory = serving(service, short_term_capacity=1, migration_batch=1).user(user_id)
    stored = await memory.remember([TurnIn(user_input=text) for text in TOLD])
    await memory.maintain()
    await _forget(memory, stored[1].page_id)
    await memory.maintain()
    assert [run for run in (await memory.runs()).items if run.kind == "summarize"] == []
