"""A turn that only says that something is wrong proposes a correction; `confirm` applies it, and nothing else does."""

from __future__ import annotations

import pytest

from memoryos_graph import MemoryService

from ..conftest import FakeClock
from ..graph import assert_invariants

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("told", "disputed", "before", "after"),
    [
        ("I live in Oslo.", "That's wrong, I live in Bergen.", "Oslo", "Bergen"),
        ("我住在北京。", "不对，我住在上海。", "北京", "上海"),
    ],
)
async def test_a_disputed_fact_stays_until_the_proposal_is_confirmed(
    service: MemoryService, user_id: str, clock: FakeClock, told: str, disputed: str, before: str, after: str
) -> None:
    memory = service.user(user_id)
    await memory.remember({"user_input": told, "event_time": "2026-01-01T00:00:00Z"})
    await memory.maintain()
    clock.move(days=1)
    await memory.remember({"user_input": disputed})
    await memory.maintain()
    (current,) = (await memory.facts()).items
    (proposed,) = (await memory.facts(status="proposed")).items
    assert (current.object, proposed.object) == (before, after)
    assert (proposed.would_replace, current.would_replace, current.superseded_by) == ([current.fact_id], [], [])
    assert disputed.rstrip(".。").endswith(proposed.sources[0].quote)
    clock.move(days=1)
    known_at = clock.now().isoformat()
    clock.move(days=1)
    done = await memory.confirm(proposed.fact_id)
    assert (done.fact.object, done.fact.status, done.fact.valid_from) == (after, "current", current.valid_from)
    assert current.fact_id in done.fact.supersedes
    assert [fact.object for fact in (await memory.facts()).items] == [after]
    assert [fact.object for fact in (await memory.facts(known_at=known_at)).items] == [before]
    assert (await memory.facts(status="proposed")).items == []
    wrong = await memory.fact(current.fact_id)
    assert (wrong.status, wrong.valid_to, wrong.retired_at) == ("retracted", None, clock.now())
    await assert_invariants(service, user_id)


async def test_a_proposal_is_turned_down_by_retracting_it_and_stands_alone_without_what_it_disputes(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = service.user(user_id)
    await memory.remember({"user_input": "I live in Oslo."})
    await memory.remember({"user_input": "You got that wrong. I live in Bergen."})
    await memory.remember({"user_input": "That is not true, I'm allergic to nuts."})
    await memory.maintain()
    (proposed,) = (await memory.facts(status="proposed")).items
    assert sorted(fact.object for fact in (await memory.facts()).items) == ["Oslo", "nuts"]  # nothing else about nuts
    clock.move(days=1)
    gone = (await memory.retract(proposed.fact_id)).fact
    assert (gone.object, gone.status) == ("Bergen", "retracted")
    assert (await memory.facts(status="proposed")).items == []
    await memory.remember({"user_input": "That's wrong, I live in Rome."})
    await memory.maintain()
    (oslo,) = [fact for fact in (await memory.facts()).items if fact.object == "Oslo"]
    await memory.retract(oslo.fact_id)
    assert sorted(fact.object for fact in (await memory.facts()).items) == ["Rome", "nuts"]
