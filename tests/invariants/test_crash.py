"""kill −9 of the real processes, started as the README says: every acknowledged turn is there, exactly once (I7)."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from memoryos_graph import MemoryService

from ..graph import assert_invariants
from ..model_server import Scene
from ..processes import free_port, serving, without_torch

KILLS = 5


async def _send(port: int, user_id: str, numbers: list[int], acknowledged: set[str]) -> None:
    """Send turns until the service dies; what it answered is noted."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        for n in numbers:
            body = {"user_input": f"I talk about subject {n % 7}, number {n}.", "id": f"t{n}"}
            with suppress(httpx.TransportError):
                answer = await client.post(f"/v1/users/{user_id}/turns", json=body)
                if answer.status_code == 503:  # a slow machine: not acknowledged, so nothing is owed
                    assert answer.headers["Retry-After"]
                    continue
                assert answer.status_code in (200, 201), answer.text
                acknowledged.add(f"t{n}")


async def _kill_while_writing(env: dict[str, str], user_id: str, kills: int, seed: int) -> set[str]:
    acknowledged: set[str] = set()
    rng = random.Random(seed)
    for attempt in range(kills):
        port = free_port()
        async with serving(env, port) as process:
            numbers = [attempt * 40 + n for n in range(40)]
            senders = [asyncio.create_task(_send(port, user_id, numbers[i::4], acknowledged)) for i in range(4)]
            enough = len(acknowledged) + rng.randint(1, 25)
            async with asyncio.timeout(200):
                while len(acknowledged) < enough:
                    await asyncio.sleep(0.001)
            await asyncio.sleep(rng.uniform(0, 0.03))  # the moment of the crash is what is random here
            process.send_signal(signal.SIGKILL)
            await asyncio.gather(*senders)
    return acknowledged


async def _check(service: MemoryService, user_id: str, acknowledged: set[str]) -> None:
    memory = service.user(user_id)
    await asyncio.sleep(0)
    turns, cursor = [], None
    while True:
        page = await memory.turns(limit=500, cursor=cursor)
        turns += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    ids = [turn.id for turn in turns]
    assert len(ids) == len(set(ids))
    assert acknowledged <= set(ids)
    await assert_invariants(service, user_id)


@pytest.mark.timeout(900)
async def test_cases_l21_u12_kills_while_writing_lose_and_double_nothing(
    service: MemoryService, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    env = without_torch(cli_env, model_server)
    acknowledged = await _kill_while_writing(env, user_id, KILLS, seed=1)
    assert len(acknowledged) > KILLS
    await _check(service, user_id, acknowledged)
    async with serving(env, free_port()):
        async with asyncio.timeout(300):
            while (stats := await service.user(user_id).stats()).states["stored"] or stats.pages["stm"] > 10:
                await asyncio.sleep(0.2)
    await _check(service, user_id, acknowledged)


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_fifty_kills_while_writing(
    service: MemoryService, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    env = without_torch(cli_env, model_server)
    acknowledged = await _kill_while_writing(env, user_id, 50, seed=2)
    await _check(service, user_id, acknowledged)


@pytest.mark.timeout(500)
async def test_an_import_survives_kills_of_the_service_and_of_itself(
    service: MemoryService, user_id: str, cli_env: dict[str, str], tmp_path: Path, model_server: Scene
) -> None:
    """The issue's own scenario on a file of ours: service killed, import killed, imported again: each page once."""
    env = without_torch(cli_env, model_server)
    file = tmp_path / "turns.jsonl"
    lines = [
        {
            "id": f"line-{n}",
            "user_input": f"Part {n} of the story about the lighthouse.",
            "event_time": f"2026-01-{1 + n // 40:02d}T{8 + n % 8:02d}:00:00Z",
        }
        for n in range(400)
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))

    async def import_file() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "memoryos_graph", "--user", user_id, "import", str(file),
            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    async with serving(env, free_port()) as process:
        importing = await import_file()
        async with asyncio.timeout(90):
            while not (await service.user(user_id).stats()).pages["stm"]:
                await asyncio.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        importing.send_signal(signal.SIGKILL)
        await importing.wait()
    async with serving(env, free_port()):
        again = await import_file()
        _, err = await again.communicate()
        assert again.returncode == 0, err.decode()
    turns = [t async for t in _all_turns(service, user_id)]
    assert sorted(turns) == sorted(f"line-{n}" for n in range(400))
    await assert_invariants(service, user_id)


async def _all_turns(service: MemoryService, user_id: str) -> AsyncIterator[str | None]:
    cursor = None
    while True:
        page = await service.user(user_id).turns(limit=500, cursor=cursor)
        for turn in page.items:
            yield turn.id
        if (cursor := page.next_cursor) is None:
            return
