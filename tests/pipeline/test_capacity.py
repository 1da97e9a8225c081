"""Over capacity the coldest is archived, never dropped, and can still be traced."""

from __future__ import annotations

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory

from ..conftest import FakeClock
from ..graph import ask, assert_invariants
from ..scheduler.parts import serving

TOPICS = ["the cello and its bow", "a zeppelin over fjords", "planting garlic and beans", "repairing bicycle chains"]


async def _topic(memory: UserMemory, text: str) -> str:
    """A turn that opens a segment of its own; the page's id."""
    (stored,) = await memory.remember(TurnIn(user_input=text, conversation_id=text))
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    return stored.page_id


def _limited(service: MemoryService, user_id: str, **limits: int) -> UserMemory:
    return serving(service, **limits).user(user_id)


async def _archived(memory: UserMemory) -> set[str]:
    return {segment.summary for segment in (await memory.segments()).items if segment.archived}


async def test_case_u08_a_new_segment_is_never_the_victim(service: MemoryService, user_id: str) -> None:
    memory = _limited(service, user_id, mid_term_capacity=3)
    for text in TOPICS[:3]:
        await _topic(memory, text)
        await memory.search(text, kinds=["page"], top_k=1)
    page_id = await _topic(memory, TOPICS[3])
    await memory.maintain("archive")
    assert len(await _archived(memory)) == 1
    assert TOPICS[3] not in await _archived(memory)
    assert not (await memory.turn(page_id)).archived
    await assert_invariants(service, user_id)


async def test_case_u09_the_coldest_is_archived_with_its_reason_and_still_traced(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = _limited(service, user_id, mid_term_capacity=2)
    await memory.remember([TurnIn(user_input=TOPICS[0], conversation_id="long") for _ in range(9)])
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    page_id = await _topic(memory, TOPICS[1])
    await memory.search(TOPICS[1], kinds=["page"], top_k=1)
    clock.move(days=30)
    await _topic(memory, TOPICS[2])
    (run,) = (await memory.maintain("archive")).runs
    assert (run.kind, run.counts) == ("archive", {"segments": 1, "pages": 1, "facts": 0})
    assert await _archived(memory) == {TOPICS[1]}
    turn = await memory.turn(page_id)
    assert (turn.archived, turn.tier.value, len(turn.segments)) == (True, "mtm", 1)
    assert (await memory.segment(turn.segments[0].segment_id)).pages[0].page_id == page_id
    assert page_id not in [hit.id for hit in (await memory.search(TOPICS[1], kinds=["page"])).hits]
    (event,) = await ask(
        service,
        "MATCH (e:Event {user_id: $user_id, kind: 'archive'}) RETURN e.ids AS ids, e.numbers AS numbers",
        user_id=user_id,
    )
    assert event["ids"] == [turn.segments[0].segment_id]
    assert all(part in event["numbers"] for part in ("n_visit", "l_interaction", "recency", '"idle_s": 2592000.0'))
    assert (await memory.maintain("archive")).runs == []
    await assert_invariants(service, user_id)


async def test_an_archived_segment_is_not_joined_by_new_pages(service: MemoryService, user_id: str) -> None:
    memory = _limited(service, user_id, mid_term_capacity=1)
    await _topic(memory, TOPICS[0])
    await _topic(memory, TOPICS[1])
    await memory.maintain("archive")
    assert await _archived(memory) == {TOPICS[0]}
    page_id = await _topic(memory, TOPICS[0])
    (member,) = (await memory.turn(page_id)).segments
    assert not (await memory.segment(member.segment_id)).archived


async def test_case_u10_lowered_limits_archive_and_migrate_and_drop_nothing(
    service: MemoryService, user_id: str
) -> None:
    memory = service.user(user_id)
    for text in TOPICS:
        await _topic(memory, text)
    await memory.remember([TurnIn(user_input=f"recent {n}") for n in range(10)])
    await memory.maintain(force=False)
    assert (await memory.stats()).pages == {"stm": 10, "mtm": 4, "none": 0}
    smaller = _limited(service, user_id, mid_term_capacity=2, short_term_capacity=5)
    await smaller.maintain(force=False)
    assert (await smaller.stats()).pages == {"stm": 5, "mtm": 9, "none": 0}
    assert len([s for s in (await smaller.segments()).items if not s.archived]) == 2
    assert len((await smaller.turns()).items) == 14
    await assert_invariants(service, user_id)


async def test_the_least_known_facts_are_archived_and_a_repeat_revives_one(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = _limited(service, user_id, knowledge_capacity=2)
    for text in ("I like jazz.", "I like chess.", "I like chess."):
        await memory.remember(TurnIn(user_input=text))
        await memory.maintain()
        clock.move(days=1)
    await memory.remember(TurnIn(user_input="I like opera."))
    await memory.maintain()
    assert {fact.object for fact in (await memory.facts()).items} == {"chess", "opera"}
    (asleep,) = (await memory.facts(status="archived")).items
    assert asleep.object == "jazz"
    assert (await memory.why(asleep.fact_id)).pages
    await memory.remember([TurnIn(user_input="I like jazz."), TurnIn(user_input="I do like jazz.")])
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    await memory.maintain("promote", force=True)
    assert "jazz" in {fact.object for fact in (await memory.facts()).items}
    assert asleep.fact_id in {fact.fact_id for fact in (await memory.facts()).items}
    await assert_invariants(service, user_id)


async def test_pinned_facts_are_never_archived(service: MemoryService, user_id: str, clock: FakeClock) -> None:
    memory = _limited(service, user_id, knowledge_capacity=1)
    await memory.remember(TurnIn(user_input="I like jazz."))
    await memory.maintain()
    await ask(service, "MATCH (f:Fact {user_id: $user_id}) SET f.pinned = true", user_id=user_id)
    clock.move(days=1)
    await memory.remember(TurnIn(user_input="I like chess."))
    await memory.maintain()
    assert {fact.object for fact in (await memory.facts()).items} == {"jazz"}


@pytest.mark.parametrize(("reset", "left"), [("reset_l", (1, 0)), ("reset_n_and_l", (0, 0))])
async def test_what_counts_anew_after_promotion(
    service: MemoryService, user_id: str, reset: str, left: tuple[int, int]
) -> None:
    memory = serving(service, after_promotion=reset).user(user_id)
    await _topic(memory, "I live in Oslo.")
    await memory.search("Oslo")
    await memory.maintain("promote", force=True)
    (segment,) = (await memory.segments()).items
    assert (segment.heat.n_visit, segment.heat.l_interaction) == left


async def test_no_limit_archives_nothing(service: MemoryService, user_id: str) -> None:
    memory = _limited(service, user_id, mid_term_capacity=0, knowledge_capacity=0)
    for text in TOPICS:
        await _topic(memory, text)
    assert (await memory.maintain("archive")).runs == []
