"""One user leaves with everything: nothing of any other user changes, to the byte."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory

from ..conftest import FakeClock
from ..graph import ask
from ..pipeline.said import Said
from ..transfer.everything import exported, live

BATCH = 1000


async def test_a_user_who_leaves_changes_no_byte_of_others(
    service: MemoryService, clock: FakeClock, user_id: str
) -> None:
    await _leave(service, clock, user_id, pages=300)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_user_who_leaves_with_twenty_thousand_pages_changes_no_byte_of_others(
    service: MemoryService, clock: FakeClock, user_id: str
) -> None:
    await _leave(service, clock, user_id, pages=20_000)


async def _leave(service: MemoryService, clock: FakeClock, user_id: str, *, pages: int) -> None:
    """Beside the one who leaves, one has a whole life, and one has said the very same, under the same ids."""
    clock.at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    await live(Said(service, f"{user_id}-life"), clock)
    leaving, twin = service.user(f"{user_id}-leaving"), service.user(f"{user_id}-twin")
    for memory, end in ((leaving, pages), (twin, 20)):
        for start in range(0, end, BATCH):
            numbers = range(start, min(start + BATCH, end))
            await memory.remember([TurnIn(user_input=f"I own ZX-{n} and live in Oslo.", id=f"t{n}") for n in numbers])
    await twin.maintain()
    await leaving.maintain("index")
    others = [service.user(f"{user_id}-life"), twin]
    before = [await _file(service, memory) for memory in others]
    plan = await leaving.forget(everything=True)
    receipt = await leaving.confirm_forget(plan.plan_id)
    assert receipt.counts["pages"] == pages
    assert [await _file(service, memory) for memory in others] == before
    query = "MATCH (n {user_id: $id}) RETURN count(n) AS n"
    assert await ask(service, query, id=leaving.user_id) == [{"n": 0}]


async def _file(service: MemoryService, memory: UserMemory) -> bytes:
    """An export, whose own event is taken back, so that the next one can be compared with it byte by byte."""
    query = "MATCH (u:User {user_id: $id}) RETURN u.event_seq AS seq, u.event_head AS head, u.due_at AS due"
    (was,) = await ask(service, query, id=memory.user_id)
    file = await exported(memory)
    undo = """MATCH (u:User {user_id: $id}) SET u.event_seq = $seq, u.event_head = $head, u.due_at = $due
              WITH u MATCH (e:Event {user_id: $id}) WHERE e.seq > $seq DELETE e"""
    await ask(service, undo, id=memory.user_id, **was)
    return file
