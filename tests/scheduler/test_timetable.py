"""Jobs by the clock: heat cools, old runs go, limits are compared; many processes do each job once."""

from __future__ import annotations

import asyncio
import json

from memoryos_graph import MemoryService, Settings, TurnIn, UserMemory
from memoryos_graph.pipeline.cooling import refresh_heat
from memoryos_graph.pipeline.retention import prune
from memoryos_graph.scheduler import timetable as tables
from memoryos_graph.scheduler.timetable import Timetable

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants
from .parts import serving, tick


async def _segment(memory: UserMemory, text: str, n: int = 1) -> None:
    await memory.remember([TurnIn(user_input=text, conversation_id=text) for _ in range(n)])
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)


async def _heat_events(service: MemoryService, user_id: str) -> list[dict[str, float]]:
    rows = await ask(
        service,
        "MATCH (e:Event {user_id: $user_id, kind: 'heat'}) RETURN e.numbers AS numbers ORDER BY e.seq",
        user_id=user_id,
    )
    return [json.loads(row["numbers"]) for row in rows]


async def test_cases_u30_u57_stored_heat_follows_the_clock_and_crossings_are_events(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    tuned = serving(service, heat_threshold=2.5)
    memory = tuned.user(user_id)
    await _segment(memory, "the cello lesson", n=2)
    assert await refresh_heat(tuned.ctx, user_id) == 1
    assert await refresh_heat(tuned.ctx, user_id) == 0
    clock.move(days=365)
    assert await refresh_heat(tuned.ctx, user_id) == 1
    up, down = await _heat_events(tuned, user_id)
    assert (up["before"], up["heat"], up["l_interaction"], up["recency"], up["idle_s"]) == (0.0, 3.0, 2.0, 1.0, 0.0)
    assert (down["before"], down["idle_s"], down["threshold"]) == (3.0, 365 * 86400.0, 2.5)
    assert down["heat"] < 2.5
    (row,) = await ask(service, "MATCH (s:Segment {user_id: $user_id}) RETURN s.heat AS heat", user_id=user_id)
    assert row["heat"] == down["heat"]


async def test_case_u29_a_visit_makes_a_hot_segment_due_and_noise_does_not(
    service: MemoryService, user_id: str
) -> None:
    tuned = serving(service, heat_threshold=4.5, promotion_min_pages=1)
    memory = tuned.user(user_id)
    await _segment(memory, "I play the cello.")
    await _segment(memory, "My garden has beans.")
    await tick(memory)
    assert (await memory.facts()).items == []
    for _ in range(3):
        await memory.search("cello", kinds=["page"], top_k=1)
    await memory.segments()
    await memory.stats()
    await tuned._worker.flush()
    await tick(memory)
    visits = {s.summary: s.heat.n_visit for s in (await memory.segments()).items}
    assert visits == {"I play the cello.": 3, "My garden has beans.": 0}
    kinds = [run.kind for run in (await memory.runs(state="done")).items]
    assert kinds.count("promote") == 1


async def test_case_u31_future_times_and_the_waiting_limit(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = serving(service, heat_threshold=1.5).user(user_id)
    await memory.remember(TurnIn(user_input="I live in Oslo.", event_time="2027-01-01T00:00:00+14:00"))  # type: ignore[arg-type]
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    (segment,) = (await memory.segments()).items
    assert segment.heat.recency == 1.0
    assert await tick(memory) is None
    assert (await memory.facts()).items == []
    clock.move(seconds=86_399)
    await tick(memory)
    assert (await memory.facts()).items == []
    clock.move(seconds=1)
    await tick(memory)
    assert [fact.object for fact in (await memory.facts()).items] == ["Oslo"]


async def test_old_runs_and_versions_go_and_what_is_unresolved_stays(
    service: MemoryService, user_id: str, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    memory = service.user(user_id)
    await memory.remember([TurnIn(user_input=f"the cello and its bow, part {n}") for n in range(25)])
    await memory.maintain("index")
    for _ in range(25):
        clock.move(minutes=1)
        await serving(service, migration_batch=1).user(user_id).maintain("migrate", force=True)
    fake_embedder.fail_on = "poison"
    await memory.remember(TurnIn(user_input="poison"))
    await tick(memory)
    before = await ask(service, "MATCH (v:SegmentVersion {user_id: $user_id}) RETURN count(v) AS n", user_id=user_id)
    assert before[0]["n"] > 20
    assert await prune(serving(service, retention_runs_days=0).ctx, user_id) == before[0]["n"] - await _kept(
        service, user_id
    )
    clock.move(days=91)
    await prune(service.ctx, user_id)
    (left,) = (await memory.runs()).items
    assert (left.state, left.error_code) == ("failed", "model_unavailable")
    await assert_invariants(service, user_id)


async def _kept(service: MemoryService, user_id: str) -> int:
    rows = await ask(service, "MATCH (v:SegmentVersion {user_id: $user_id}) RETURN count(v) AS n", user_id=user_id)
    newest = await ask(
        service,
        "MATCH (s:Segment {user_id: $user_id}) RETURN sum(CASE WHEN s.version > 20 THEN 20 ELSE s.version END) AS n",
        user_id=user_id,
    )
    assert rows[0]["n"] == newest[0]["n"]
    return int(newest[0]["n"])


async def test_a_job_is_done_once_by_many_processes(
    service: MemoryService, user_id: str, clock: FakeClock, monkeypatch: object
) -> None:
    await service.user(user_id).remember(TurnIn(user_input="one"))
    seen: list[str] = []

    async def note(ctx: object, user: str) -> None:
        seen.append(user)

    tables.JOBS["test"], tables.EVERY_S["test"] = note, 3600.0
    try:
        many = [Timetable(service.ctx, service._worker) for _ in range(4)]
        assert sorted(await asyncio.gather(*(one.run("test") for one in many))) == [False, False, False, True]
        assert seen.count(user_id) == 1
        assert await many[0].run("test") is False
        clock.move(hours=1)
        assert await many[1].run("test") is True
        assert seen.count(user_id) == 2
    finally:
        del tables.JOBS["test"], tables.EVERY_S["test"]
        await ask(service, "MATCH (j:JobLease {job: 'test'}) DELETE j")


async def test_a_failing_user_does_not_keep_a_job_from_the_others(service: MemoryService, user_id: str) -> None:
    for name in ("a", "b"):
        await service.user(f"{user_id}-{name}").remember(TurnIn(user_input="one"))
    seen: list[str] = []

    async def note(ctx: object, user: str) -> None:
        if user == f"{user_id}-a":
            raise RuntimeError("no text of users in logs")
        seen.append(user)

    tables.JOBS["test"], tables.EVERY_S["test"] = note, 3600.0
    try:
        one = Timetable(service.ctx, service._worker)
        assert await one.run("test")
        assert f"{user_id}-b" in seen
        assert one.failing == {"test": "internal"}
    finally:
        del tables.JOBS["test"], tables.EVERY_S["test"]
        await ask(service, "MATCH (j:JobLease {job: 'test'}) DELETE j")


async def test_case_u10_changed_limits_make_users_due(service: MemoryService, user_id: str, clock: FakeClock) -> None:
    memory = service.user(user_id)
    await memory.remember([TurnIn(user_input=f"recent {n}") for n in range(10)])
    await tick(memory)
    assert not (await memory.stats()).due
    smaller = serving(service, short_term_capacity=5)
    assert await Timetable(smaller.ctx, smaller._worker).compare_limits()
    assert (await memory.stats()).due
    await tick(smaller.user(user_id))
    assert (await memory.stats()).pages["stm"] == 5
    assert not await Timetable(smaller.ctx, smaller._worker).compare_limits()
    assert await Timetable(service.ctx, service._worker).compare_limits()


async def test_cases_l8_n8_the_running_service_retries_without_a_new_turn(settings: Settings, user_id: str) -> None:
    embedder = FakeEmbedder()
    embedder.fail_once_on = user_id
    async with MemoryService.open(settings, worker=True, embedder=embedder) as service:
        readiness = await service.readiness()
        assert readiness.parts["timetable"].detail == "working"
        memory = service.user(user_id)
        stored = await memory.remember(TurnIn(user_input=f"fails once {user_id}"))
        (done,) = await memory.wait_for(stored, "promoted", 60)
        assert done.state.value == "indexed"
