"""A month of scripted dialogue through service, worker and scripted model, by a simulated clock."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_graph import MemoryService, UserMemory, load_settings
from memoryos_graph.eval.told import told
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock
from ..graph import assert_invariants
from ..model_server import Scene
from .month import ASKED, Line, lines, moment, teach

EXPECTED = Path(__file__).parent / "month_default.json"


@pytest.fixture
async def month(
    service: MemoryService, clock: FakeClock, model_provider: OpenAIProvider, model_server: Scene
) -> MemoryService:
    """The service of this test, with the model that knows the script."""
    teach(model_server.scenario)
    clock.at = moment("01 00:00")
    ctx = replace(service.ctx, provider=model_provider)
    return MemoryService(ctx, Worker(ctx))


async def _live(service: MemoryService, clock: FakeClock, memory: UserMemory, line: Line) -> None:
    """Let the time until a line pass, with the work that falls due, and say it."""
    for at, question in ASKED.items():
        if clock.at < moment(at) <= line.at:
            await _pass(service, clock, at)
            await memory.search(question, top_k=2)
    await _pass(service, clock, line.said["at"])
    await memory.remember(line.turn())
    await _work(service)


async def _pass(service: MemoryService, clock: FakeClock, until: str) -> None:
    while clock.at.date() < moment(until).date():
        clock.move(days=1)
        await _work(service)
    clock.at = moment(until)
    await _work(service)


async def _work(service: MemoryService) -> None:
    worker = Worker(service.ctx)
    await worker.flush()
    while await worker.look():
        pass


@pytest.mark.timeout(300)
async def test_the_month_becomes_the_expected_graph(
    month: MemoryService, clock: FakeClock, user_id: str, model_server: Scene
) -> None:
    memory = month.user(user_id)
    for line in lines():
        await _live(month, clock, memory, line)
    await _pass(month, clock, "31 23:00")
    by_itself = (await memory.stats()).pages
    assert (by_itself["stm"], by_itself["mtm"]) == (10, 30)
    await memory.maintain()
    graph = await told(month, user_id)
    assert graph == json.loads(EXPECTED.read_text())
    runs = graph["runs"]
    assert model_server.scenario.count("read_batch") == runs["migrate done"]
    assert model_server.scenario.count("propose_claims") == runs["promote done"]
    await assert_invariants(month, user_id)


async def test_the_first_days_by_the_paper(
    month: MemoryService, clock: FakeClock, user_id: str, model_server: Scene
) -> None:
    """Seven pages in short-term memory, one page migrates at a time, a topic is read as soon as it is hot."""
    ctx = replace(month.ctx, settings=load_settings(profile="paper", data_dir=month.ctx.settings.data_dir))
    service = MemoryService(ctx, Worker(ctx))
    memory = service.user(user_id)
    script = iter(lines())

    async def until(number: int) -> None:
        for line in script:
            await _live(service, clock, memory, line)
            if line.number == number:
                return

    await until(7)
    assert (await memory.stats()).pages == {"stm": 7, "mtm": 0, "none": 0}
    assert model_server.scenario.count() == 0

    await until(8)
    first = (await memory.turns(id="t1")).items[0]
    assert first.tier == "mtm"
    (cello,) = (await memory.segments()).items
    assert (cello.summary, cello.n_pages, cello.version) == ("Cello lessons and the Bach suites", 1, 1)
    assert (cello.heat.n_visit, cello.heat.l_interaction) == (0, 1)

    await until(10)
    (cello,) = (await memory.segments()).items
    assert (cello.n_pages, cello.version) == (3, 3)
    assert 3.9 < cello.heat.heat < 5
    assert (await memory.facts(status=None)).items == []

    await memory.search("my lesson about the Bach suite", top_k=2)
    await _work(service)
    facts = {f.text: f for f in (await memory.facts()).items}
    assert set(facts) == {"The user lives in Oslo.", "The user plays the cello.", "The user loves Bach."}
    assert facts["The user lives in Oslo."].sources[0].quote == "I live in Oslo"
    (trait,) = (await memory.facts(status="proposed")).items
    assert (trait.predicate, trait.object) == ("music", "high")
    (cello,) = (await memory.segments()).items
    assert (cello.n_unread, cello.heat.n_visit, cello.heat.l_interaction) == (0, 1, 0)
    assert model_server.scenario.count("read_batch") == 3
    assert model_server.scenario.count("propose_claims") == 1

    await until(20)
    summaries = {s.summary: s.n_pages for s in (await memory.segments()).items}
    assert summaries["Cello lessons and the Bach suites"] == 4
    assert summaries["Coffee, tea and sleep"] == 2
    assert (await memory.stats()).pages["stm"] == 7
    await assert_invariants(service, user_id)
