"""kill −9 in the middle of a large forget: nobody reads anything half, and it ends with one receipt."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.errors import NotFound

from ..conftest import FakeClock
from ..graph import ask, assert_invariants, everything_stored
from ..model_server import Scene
from ..processes import free_port, serving, without_torch

CANARY = "ZX-4417"
BATCH = 1000


@pytest.mark.timeout(500)
async def test_case_f16_kills_during_a_forget_leave_nothing_half(
    service: MemoryService, clock: FakeClock, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    clock.at = datetime.now(UTC)  # the processes that finish it go by the real one
    await _forget_under_fire(service, user_id, without_torch(cli_env, model_server), pages=1_500, kills=2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_case_f16_kills_during_a_forget_of_twenty_thousand_pages(
    service: MemoryService, clock: FakeClock, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    clock.at = datetime.now(UTC)  # the processes that finish it go by the real one
    await _forget_under_fire(service, user_id, without_torch(cli_env, model_server), pages=20_000, kills=8)


async def _forget_under_fire(
    service: MemoryService, user_id: str, env: dict[str, str], *, pages: int, kills: int
) -> None:
    memory, rng = service.user(user_id), random.Random(pages)
    for start in range(0, pages, BATCH):
        numbers = range(start, min(start + BATCH, pages))
        await memory.remember([TurnIn(user_input=_text(n), conversation_id="gone", id=f"g{n}") for n in numbers])
    await memory.remember([TurnIn(user_input=f"The cat sleeps {n}", conversation_id="kept") for n in range(5)])
    plan = await memory.forget(conversation_id="gone")
    assert plan.counts["goes"] == {"page": pages}
    assert len(plan.items) == 50
    assert plan.next_cursor
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(_read_all_the_time(memory))
        await _kill_until_done(env, user_id, plan.plan_id, kills, rng)
        reading.cancel()
    (receipt,) = (await memory.receipts()).items
    assert receipt.counts["pages"] == pages
    assert {turn.conversation_id for turn in (await memory.turns(limit=500)).items} == {"kept"}
    assert CANARY not in await everything_stored(service, user_id)
    assert (await memory.verify_receipt(receipt.receipt_id, text=CANARY)).status == "absent"
    assert await ask(service, "MATCH (r:Run {user_id: $id, kind: 'forget'}) RETURN r.state AS state", id=user_id) in (
        [], [{"state": "done"}],
    )  # fmt: skip
    await assert_invariants(service, user_id)


async def _kill_until_done(env: dict[str, str], user_id: str, plan_id: str, kills: int, rng: random.Random) -> None:
    for _ in range(kills):
        port = free_port()
        async with serving(env, port) as process:
            confirming = asyncio.create_task(_confirm(port, user_id, plan_id))
            await asyncio.sleep(rng.uniform(0.05, 2.5))  # the moment of the crash is what is random here
            process.send_signal(signal.SIGKILL)
            await confirming
    async with serving(env, port := free_port()):
        answer = await _confirm(port, user_id, plan_id, until_done=True)
        assert answer["receipt_id"] == plan_id


def _text(n: int) -> str:
    return f"My code number {n} is {CANARY}."


async def _read_all_the_time(memory: UserMemory) -> None:
    """What is read is whole, and what was gone once stays gone."""
    gone: set[str] = set()
    seen: set[str] = set()
    while True:
        items = (await memory.turns(limit=500)).items
        for turn in items:
            if turn.conversation_id == "gone":
                assert turn.user_input == _text(int(str(turn.id)[1:]))
        now = {turn.page_id for turn in items}
        assert not now & gone
        gone |= seen - now
        seen |= now
        with suppress(NotFound):
            for page_id in list(seen & now)[:1]:
                assert (await memory.turn(page_id)).user_input
        await asyncio.sleep(0.05)


async def _confirm(port: int, user_id: str, plan_id: str, *, until_done: bool = False) -> dict[str, Any]:
    """Confirm; asked again while another process finishes the same. Without an answer when the service is killed."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=600) as http:
        while True:
            try:
                answer = await http.post(f"/v1/users/{user_id}/forget/{plan_id}/confirm", json={})
            except httpx.TransportError:
                if until_done:
                    raise
                return {}
            if answer.status_code != 503:
                assert answer.status_code == 200, answer.text
                return dict(answer.json())
            await asyncio.sleep(0.2)
