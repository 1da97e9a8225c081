"""kill −9 at random moments, with a model that fails one call in five: the memory becomes what it would have become."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService, TurnIn
from memoryos_graph.demo.load import sample_turns
from memoryos_graph.demo.scenario import error
from memoryos_graph.eval.told import told
from memoryos_graph.llm.endpoint_embedder import EndpointEmbedder
from memoryos_graph.scheduler.worker import Worker

from ..graph import ask, assert_invariants
from ..model_server import MODEL, Scene, open_endpoint, open_provider
from ..processes import free_port, serving, without_torch

WORKED_S = 120


def _env(scene: Scene) -> dict[str, str]:
    return {
        "MEMORYOS_LLM": "model",
        "MEMORYOS_LLM_MODEL": MODEL,
        "MEMORYOS_LLM_BASE_URL": scene.base_url,
        "MEMORYOS_LLM_MAX_TRIES": "1",
        "MEMORYOS_STEP_ATTEMPTS": "0",
    }


def _turns() -> list[TurnIn]:
    return [turn.model_copy(update={"id": f"t{n}"}) for n, turn in enumerate(sample_turns(), 1)]


async def _undisturbed(service: MemoryService, user_id: str, turns: list[TurnIn]) -> dict[str, Any]:
    memory = service.user(user_id)
    for start in range(0, len(turns), 4):
        await memory.remember(turns[start : start + 4])
        await memory.maintain(force=False)
    return await _become(service, user_id)


async def _become(service: MemoryService, user_id: str) -> dict[str, Any]:
    """What has become of a user, once by itself and once when all is read."""
    by_itself = await told(service, user_id)
    await service.user(user_id).maintain()
    read = await told(service, user_id)
    return {
        "tiers": {name: page["tier"] for name, page in by_itself["pages"].items()},
        "pages": read["pages"],
        "segments": {name: (row["pages"], row["keywords"]) for name, row in read["segments"].items()},
        "facts": [fact for fact in read["facts"] if not fact["retired"]],
    }


async def _send(port: int, user_id: str, turns: list[TurnIn]) -> None:
    """Send turns in order until the service dies; each is sent again by the next call if it may be missing."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        for turn in turns:
            body = turn.model_dump(mode="json", exclude_defaults=True)
            with suppress(httpx.TransportError):
                answer = await client.post(f"/v1/users/{user_id}/turns", json=body)
                assert answer.status_code in (200, 201), answer.text
                continue
            return


async def _disturbed(env: dict[str, str], user_id: str, turns: list[TurnIn], kills: int, seed: int) -> None:
    chance = random.Random(seed)
    for kill in range(kills):
        port = free_port()
        until = len(turns) * (kill + 1) // kills
        async with serving(env, port) as process:
            sending = asyncio.create_task(_send(port, user_id, turns[:until]))
            await asyncio.sleep(chance.uniform(0.05, 2.5))  # the moment of the crash is what is random here
            process.send_signal(signal.SIGKILL)
            await sending


async def _worked_through(service: MemoryService, env: dict[str, str], user_id: str, turns: list[TurnIn]) -> None:
    port = free_port()
    async with serving(env, port):
        await _send(port, user_id, turns)
        async with asyncio.timeout(WORKED_S):
            while (
                (stats := await service.user(user_id).stats()).states["stored"] or stats.pages["stm"] > 10 or stats.due
            ):
                await asyncio.sleep(0.2)


async def _is_done(service: MemoryService, user_id: str) -> bool:
    stats = await service.user(user_id).stats()
    return not stats.states["stored"] and stats.pages["stm"] <= 10 and not stats.due


async def _kill_and_compare(
    service: MemoryService, user_id: str, env: dict[str, str], scene: Scene, kills: int, seed: int
) -> None:
    turns = _turns()
    async with open_provider(scene.base_url) as provider, open_endpoint(scene.base_url) as endpoint:
        embedder = EndpointEmbedder(endpoint, "all-MiniLM-L6-v2", 384)
        ctx = replace(service.ctx, provider=provider, embedder=embedder)
        calm = MemoryService(ctx, Worker(ctx))
        expected = await _undisturbed(calm, f"{user_id}-calm", turns)
        scene.scenario.when(error(500), kind="read_batch", times=1)  # however few calls there are, one fails
        scene.scenario.when(error(500), kind="read_batch", one_in=5, seed=seed)
        scene.scenario.when(error(500), kind="propose_claims", one_in=5, seed=seed + 1)
        await _disturbed(without_torch(env, scene) | _env(scene), user_id, turns, kills, seed)
        await _worked_through(calm, without_torch(env, scene) | _env(scene), user_id, turns)
        assert scene.scenario.count("read_batch") > 1
        scene.scenario.clear()
        became = await _become(calm, user_id)
        for part, value in expected.items():
            assert became[part] == value, part
        rows = await ask(service, "MATCH (p:Page {user_id: $id}) RETURN p.external_id AS id", id=user_id)
        assert sorted(row["id"] for row in rows) == sorted(str(turn.id) for turn in turns)
        await assert_invariants(service, user_id)


@pytest.mark.timeout(500)
async def test_five_kills_and_a_failing_model_change_nothing(
    service: MemoryService, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    await _kill_and_compare(service, user_id, cli_env, model_server, kills=5, seed=3)


@pytest.mark.soak
@pytest.mark.timeout(3000)
async def test_fifty_kills_and_a_failing_model_change_nothing(
    service: MemoryService, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    await _kill_and_compare(service, user_id, cli_env, model_server, kills=50, seed=4)
