from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from memoryos_graph import MemoryService, Settings, TurnIn
from memoryos_graph.clock import Clock
from memoryos_graph.errors import UserBusy
from memoryos_graph.scheduler import work
from memoryos_graph.scheduler.work import take_lease
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeEmbedder
from ..graph import ask, assert_invariants, let_others_rest


@pytest.fixture
async def working(settings: Settings, opened: MemoryService) -> AsyncIterator[tuple[MemoryService, FakeEmbedder]]:
    """A service with its worker running, by the real clock."""
    await let_others_rest(opened)
    embedder = FakeEmbedder()
    async with MemoryService.open(settings, worker=True, embedder=embedder) as service:
        yield service, embedder


async def test_case_n8_the_worker_derives_after_the_add_has_answered(
    working: tuple[MemoryService, FakeEmbedder], user_id: str
) -> None:
    service, _ = working
    memory = service.user(user_id)
    stored = await memory.remember([TurnIn(user_input=f"I talk about trains, number {n}") for n in range(20)])
    (last, *_) = await memory.wait_for(stored, "promoted", 60)
    assert last.state == "indexed"
    stats = await memory.stats()
    assert (stats.states["stored"], stats.pages["stm"], stats.due) == (0, 10, False)
    await assert_invariants(service, user_id)


async def test_case_l2_a_failing_user_is_recorded_and_does_not_stop_the_others(
    working: tuple[MemoryService, FakeEmbedder], user_id: str
) -> None:
    service, embedder = working
    embedder.fail_once_on = user_id  # the worker may meet users of other tests first
    failing, other = service.user(user_id), service.user(f"{user_id}-other")
    first = await failing.remember(TurnIn(user_input=f"fails once {user_id}"))
    second = await other.remember(TurnIn(user_input="works"))
    done = await other.wait_for(second, "promoted", 60)
    assert done[0].state == "indexed"
    later = await failing.wait_for(first, "promoted", 60)
    assert later[0].state == "indexed"
    runs = (await failing.runs()).items + (await other.runs()).items
    assert [r.error_code for r in runs if r.state == "failed"] == ["model_unavailable"]
    assert (await service.readiness()).parts["worker"].ok


async def test_a_long_backlog_of_one_user_does_not_keep_another_waiting(service: MemoryService, user_id: str) -> None:
    long, short = service.user(f"{user_id}-long"), service.user(f"{user_id}-short")
    await long.remember([TurnIn(user_input=f"backlog {n}") for n in range(200)])
    service.ctx.clock.move(seconds=1)  # type: ignore[attr-defined]
    await short.remember([TurnIn(user_input=f"short {n}") for n in range(12)])
    worker = Worker(service.ctx)
    while (await short.stats()).pages["stm"] > 10:
        assert await worker.look()
    assert (await long.stats()).pages["stm"] > 10


async def test_waiting_never_waits_for_capacity(working: tuple[MemoryService, FakeEmbedder], user_id: str) -> None:
    memory = working[0].user(user_id)
    (stored,) = await memory.remember(TurnIn(user_input="just one"))
    (state,) = await memory.wait_for([stored], "promoted", 60)
    assert state.state == "indexed"
    assert (await memory.turn(stored.page_id)).tier == "stm"


async def test_one_process_works_for_a_user_at_a_time(
    service: MemoryService, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = service.user(user_id)
    await memory.remember(TurnIn(user_input="one"))
    held = await take_lease(service.ctx, user_id, "somebody else")
    assert held is not None
    assert await take_lease(service.ctx, user_id, "me") is None
    monkeypatch.setattr(work, "LEASE_WAIT_S", 0.2)
    with pytest.raises(UserBusy):
        await memory.maintain()
    await ask(
        service,
        "MATCH (u:User {user_id: $user_id}) SET u.leased_until = datetime() - duration({seconds: 1})",
        user_id=user_id,
    )
    assert (await memory.maintain()).runs  # the lease of a dead process runs out


async def test_two_workers_do_each_piece_of_work_once(settings: Settings, user_id: str) -> None:
    async with (
        MemoryService.open(settings, worker=True, embedder=FakeEmbedder()) as one,
        MemoryService.open(settings, worker=True, embedder=FakeEmbedder()) as two,
    ):
        users = [f"{user_id}-{n}" for n in range(6)]
        stored = await asyncio.gather(
            *(
                service.user(user).remember([TurnIn(user_input=f"topic {user} {n}") for n in range(12)])
                for user, service in zip(users, [one, two] * 3, strict=True)
            )
        )
        await asyncio.gather(*(one.user(u).wait_for(s, "promoted", 60) for u, s in zip(users, stored, strict=True)))
        for user in users:
            assert (await one.user(user).stats()).pages == {"stm": 7, "mtm": 5, "none": 0}
            await assert_invariants(one, user)


def test_the_real_clock_gives_utc_and_sorted_ids() -> None:
    clock = Clock()
    ids = [clock.new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert clock.now().utcoffset() is not None


class LoadingEmbedder(FakeEmbedder):
    """Takes its time to get ready."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded = asyncio.Event()
        self.loads = 0

    async def warm_up(self) -> None:
        self.loads += 1
        await self.loaded.wait()

    @property
    def ready(self) -> bool:
        return self.loaded.is_set()


async def test_case_u44_the_embedding_model_is_loaded_at_the_start_and_readiness_says_so(settings: Settings) -> None:
    embedder = LoadingEmbedder()
    async with MemoryService.open(settings, worker=True, embedder=embedder) as service:
        part = (await service.readiness()).parts["embedder"]
        assert (part.ok, part.detail) == (False, "all-MiniLM-L6-v2 is being loaded")
        embedder.loaded.set()
        part = (await service.readiness()).parts["embedder"]
        assert (part.ok, part.detail, embedder.loads) == (True, "all-MiniLM-L6-v2", 1)
