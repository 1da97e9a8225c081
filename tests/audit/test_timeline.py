"""The timeline tells what was done apart, with its numbers, and no text (case C18)."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.domain.event import EventKind
from memoryos_graph.entrypoints.cli.render_audit import WORDS, told
from memoryos_graph.errors import InvalidInput, ModelUnavailable
from memoryos_graph.pipeline.cooling import refresh_heat
from memoryos_graph.pipeline.retention import prune
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask


def _with(service: MemoryService, **settings: object) -> MemoryService:
    ctx = replace(service.ctx, settings=service.ctx.settings.model_copy(update=settings))
    return MemoryService(ctx, Worker(ctx))


async def _lived(service: MemoryService, user_id: str, clock: FakeClock, embedder: FakeEmbedder) -> UserMemory:
    """A user to whom everything happened that the timetable and people do."""
    tight = _with(service, mid_term_capacity=1, knowledge_capacity=1, step_attempts=1, retention_runs_days=1)
    memory = tight.user(user_id)
    await memory.remember({"user_input": "I live in Porto. My canary is called Zippo-4417."})
    await memory.maintain()
    embedder.fail_next = 1
    await memory.remember([{"user_input": "I am allergic to nuts."}, {"user_input": "Tangerine dreams, I like jazz."}])
    with pytest.raises(ModelUnavailable):
        await memory.maintain("index")
    await memory.retry((await memory.runs(state="parked")).items[0].run_id)
    await memory.maintain()
    await memory.answer("Where do I live?")
    await ask(service, "MATCH (s:Segment {user_id: $u}) SET s.heat = 9.5", u=user_id)
    clock.move(days=400)
    await refresh_heat(tight.ctx, user_id)
    await prune(tight.ctx, user_id)
    await memory.profile_rollback(0)
    return memory


@pytest.mark.engine
async def test_case_c18_each_kind_of_event_is_told_apart_with_its_numbers(
    service: MemoryService, user_id: str, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    memory = await _lived(service, user_id, clock, fake_embedder)
    events = (await memory.timeline()).items
    assert [event.seq for event in events] == list(range(len(events), 0, -1))
    by_kind = {event.kind: event for event in events}
    assert by_kind.keys() == {
        "remember", "index", "migrate", "promote", "heat", "archive", "retry", "retention", "answer",
        "profile_rollback",
    }  # fmt: skip
    words = {kind: told(event) for kind, event in by_kind.items()}
    assert words["remember"] == "1 turn stored"  # the question
    assert words["retry"] == "1 failed run made due again"
    assert "fell below 5, from 9.50; heat" in words["heat"]
    assert "= cosine" in words["migrate"]
    assert words["profile_rollback"].startswith("profile set back to version 0: 0 facts restored")
    archived = [told(event) for event in (await memory.timeline(kind="archive")).items]
    assert any(text.startswith("a topic was archived; heat") for text in archived)
    assert any(text.endswith("archived") and "fact" in text for text in archived)
    assert {event.actor for event in events if event.kind in ("remember", "answer", "retry")} == {"caller"}
    assert {event.actor for event in events if event.kind in ("migrate", "heat", "retention")} == {"system"}
    assert (await memory.verify_audit()).ok
    shown = "".join(event.model_dump_json() for event in events)
    for word in ("Porto", "Zippo", "nuts", "Tangerine", "Where"):
        assert word not in shown


async def test_it_is_read_page_by_page_and_by_kind(memory: UserMemory) -> None:
    for n in range(5):
        await memory.remember({"user_input": f"turn {n}"})
    await memory.maintain("index")
    first = await memory.timeline(limit=2)
    rest = await memory.timeline(limit=5, cursor=first.next_cursor)
    assert [event.seq for event in first.items + rest.items] == [6, 5, 4, 3, 2, 1]
    assert rest.next_cursor is None
    assert [event.kind for event in (await memory.timeline(kind="index")).items] == ["index"]
    assert (await memory.timeline(kind="forget")).items == []
    for wrong in ({"kind": "indexx"}, {"cursor": "dHh5"}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            await memory.timeline(**wrong)  # type: ignore[arg-type]


def test_words_are_only_for_events_that_exist() -> None:
    assert WORDS.keys() <= set(get_args(EventKind))


@pytest.mark.engine
async def test_reads_are_events_where_the_setting_says_so(service: MemoryService, user_id: str) -> None:
    silent, noted = service.user(user_id), _with(service, audit_reads=True).user(user_id)
    await silent.remember({"user_input": "I live in Porto."})
    await silent.maintain()
    fact_id = (await silent.facts()).items[0].fact_id
    segment_id = (await silent.segments()).items[0].segment_id
    answer = await silent.answer("Where do I live?")
    before = (await silent.audit_head()).seq
    await noted.search("Porto")
    await noted.context("Porto")
    await noted.get_answer(str(answer.answer_id))
    await noted.facts(kind="trait")
    await noted.fact(fact_id)
    await noted.fact_history(fact_id)
    await noted.why(fact_id)
    await noted.profile()
    await noted.profile_diff(0)
    await noted.profile_versions()
    await noted.turns()
    await noted.turn(str(answer.page_id))
    await noted.segments()
    await noted.segment(segment_id)
    await noted.cypher("MATCH (p:Page {user_id: $user_id}) RETURN p", form="graph")
    await noted.named_cypher("heat")
    await noted.stats()
    await noted.timeline()
    assert (await noted.verify_audit()).ok
    events = (await silent.timeline(kind="read")).items[::-1]
    assert (await silent.audit_head()).seq == before + len(events)
    assert [verb for event in events for verb in event.numbers] == [
        "search", "context", "get_answer", "facts", "fact", "fact_history", "why", "profile", "profile_diff",
        "profile_versions", "turns", "turn", "segments", "segment", "cypher",
        "named_cypher",
    ]  # fmt: skip
    numbers = {verb: found for event in events for verb, found in event.numbers.items()}
    assert (numbers["facts"], numbers["fact"], numbers["turns"], numbers["cypher"]) == (0, 1, 2, 2)
    assert {event.actor for event in events} == {"caller"}
    assert all(event.ids == [] for event in events)
    assert told(events[0]).startswith("search: ")
    await _with(service, audit_reads=True).user(f"{user_id}-nobody").search("Porto")
