"""The sample conversation, and exactly what becomes of it."""

from __future__ import annotations

import itertools

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.contract import RunOut
from memoryos_graph.demo.load import is_loaded, load_demo, sample_turns
from memoryos_graph.domain.text import is_cjk

from ..graph import assert_invariants

FACTS = {
    ("name", "Lin Yue", "current"),
    ("from", "Chengdu", "current"),
    ("lives_in", "Hamburg", "superseded"),
    ("lives_in", "Bergen", "current"),
    ("works_as", "architect", "current"),
    ("works_at", "Elbwerk", "superseded"),
    ("works_at", "Fjordplan", "current"),
    ("speaks", "Chinese", "current"),
    ("speaks", "German", "current"),
    ("speaks", "English", "current"),
    ("has_sibling", "Maya", "retracted"),
    ("has_sibling", "Mia", "current"),
    ("has_partner", "Jonas", "current"),
    ("has_pet", "年糕", "current"),
    ("birthday", "05-14", "current"),
    ("allergic_to", "hazelnuts", "current"),
    ("allergic_to", "青霉素", "current"),
    ("drinks", "coffee", "superseded"),
    ("drinks", "green tea", "current"),
    ("likes", "爬山", "current"),
    ("likes", "hiking", "current"),
    ("likes", "old maps", "current"),
    ("dislikes", "long flights", "current"),
    ("uses", "Obsidian", "current"),
    ("plans_to", "travel to Lofoten", "current"),
    ("plans_to", "学挪威语", "current"),
}


def test_the_conversation_is_told_in_order_over_months() -> None:
    turns = sample_turns()
    assert len(turns) == 60
    assert [turn.id for turn in turns] == [f"demo-{n:03}" for n in range(1, 61)]
    times = [turn.event_time for turn in turns]
    assert all(a and b and a < b for a, b in itertools.pairwise(times))
    assert times[0]
    assert times[-1]
    assert (times[-1] - times[0]).days > 200
    assert all(turn.user_input and turn.assistant_response for turn in turns)
    assert 10 < sum(is_cjk(turn.user_input) for turn in turns) < 30


async def test_exactly_these_facts_come_of_it(service: MemoryService, memory: UserMemory) -> None:
    runs: list[RunOut] = []
    loaded = await load_demo(service, runs.append, user_id=memory.user_id)
    assert (loaded.turns, loaded.created, loaded.runs) == (60, 60, runs)
    assert {run.kind for run in runs} == {"index", "migrate", "promote"}
    facts = (await memory.facts(status=None, limit=500)).items
    assert {(fact.predicate, fact.object, fact.status.value) for fact in facts} == FACTS
    assert len(facts) == len(FACTS)
    pages = {turn.page_id: turn for turn in (await memory.turns(limit=100)).items}
    for source in itertools.chain.from_iterable(fact.sources for fact in facts):
        assert pages[source.page_id].user_input[source.start : source.end] == source.quote
    by_words = {(fact.predicate, fact.object): fact for fact in facts}
    hamburg, bergen = by_words["lives_in", "Hamburg"], by_words["lives_in", "Bergen"]
    assert (hamburg.valid_to, hamburg.retired_at) == (bergen.valid_from, None)  # a change: it was so until then
    assert [fact.object for fact in (await memory.why(bergen.fact_id)).replaced] == ["Hamburg"]
    maya = by_words["has_sibling", "Maya"]
    assert maya.valid_to is None  # a correction: it was never so
    assert maya.retired_at is not None
    assert maya.superseded_by == [by_words["has_sibling", "Mia"].fact_id]
    await assert_invariants(service, memory.user_id)
    assert (await service.doctor(user=memory.user_id)).findings == []


async def test_loading_twice_changes_nothing(service: MemoryService, memory: UserMemory) -> None:
    assert not await is_loaded(service, user_id=memory.user_id)
    await load_demo(service, user_id=memory.user_id)
    assert await is_loaded(service, user_id=memory.user_id)
    before = await memory.facts(status=None, limit=500)
    again = await load_demo(service, user_id=memory.user_id)
    assert (again.created, again.runs) == (0, [])
    assert await memory.facts(status=None, limit=500) == before


async def test_the_order_in_which_topics_are_read_does_not_matter(service: MemoryService, memory: UserMemory) -> None:
    """The second half arrives first, so that the correction of a name is read before the name."""
    turns = sample_turns()
    await memory.remember(turns[34:] + turns[:34])
    await memory.maintain("all", force=True)
    facts = (await memory.facts(status=None, limit=500)).items
    assert {(fact.predicate, fact.object, fact.status.value) for fact in facts} == FACTS
