"""No free query sees what is half-forgotten, and only one of a user runs at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.curation import forgetting
from memoryos_graph.errors import TryAgain
from memoryos_graph.store import free

pytestmark = pytest.mark.engine
PAGES = "MATCH (p:Page {user_id: $user_id}) RETURN p.user_input AS x"


async def test_a_running_forget_is_waited_for_and_one_in_between_is_noticed(
    service: MemoryService, memory: UserMemory, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (turn, _) = await memory.remember([{"user_input": "The safe code is 4711."}, {"user_input": "I live in Porto."}])
    plan = await memory.forget(pages=[turn.page_id])
    plain = free._rows

    async def forget_meanwhile(*given: Any) -> Any:
        found = await plain(*given)
        await forgetting.begin(service.ctx, user_id, plan.plan_id)
        return found

    monkeypatch.setattr(free, "_rows", forget_meanwhile)
    with pytest.raises(TryAgain):
        await memory.cypher(PAGES)
    monkeypatch.undo()
    with pytest.raises(TryAgain, match="not finished"):
        await memory.cypher(PAGES)
    await memory.confirm_forget(plan.plan_id)
    assert (await memory.cypher(PAGES)).rows == [{"x": "I live in Porto."}]


async def test_queries_of_one_user_run_one_after_the_other(memory: UserMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, plain = 0, 0, free._run

    async def counted(*given: Any) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return await plain(*given)
        finally:
            running -= 1

    monkeypatch.setattr(free, "_run", counted)
    found = await asyncio.gather(*(memory.cypher(PAGES) for _ in range(5)))
    assert ([one.rows for one in found], most) == ([[]] * 5, 1)
