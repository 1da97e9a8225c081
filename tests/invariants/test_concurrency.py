"""Many clients and processes at once: nothing is lost, doubled or reordered, and one busy user stops nobody else."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from memoryos_graph import MemoryService, TurnIn

from ..graph import ask, assert_invariants
from ..model_server import Scene
from ..processes import free_port, serving, without_torch

CLIENTS, ADDS = 16, 50


async def _post(http: httpx.AsyncClient, path: str, body: dict[str, str]) -> int:
    """The status of a request; one that found the user busy is repeated when the answer says so, as clients do."""
    while True:
        answer = await http.post(path, json=body)
        if answer.status_code != 503:
            return answer.status_code
        await asyncio.sleep(int(answer.headers["Retry-After"]))


async def _client(port: int, user_id: str, client: int) -> list[int]:
    """Add turns one after the other, search now and then, and give the status codes met."""
    codes = []
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1/users/{user_id}", timeout=60) as http:
        for n in range(ADDS):
            turn = {"user_input": f"Client {client} says number {n}.", "conversation_id": f"c{client}"}
            codes.append(await _post(http, "/turns", turn))
            if n % 10 == 9:
                codes.append(await _post(http, "/search", {"query": f"number {n}"}))
    return codes


@pytest.mark.timeout(400)
async def test_cases_u40_u41_sixteen_clients_on_two_processes(
    service: MemoryService, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    env = without_torch(cli_env, model_server)
    ports = [free_port(), free_port()]
    async with serving(env, ports[0]), serving(env, ports[1]):
        met = await asyncio.gather(*(_client(ports[n % 2], user_id, n) for n in range(CLIENTS)))
        assert {code for codes in met for code in codes} <= {200, 201}
        async with asyncio.timeout(200):
            while (stats := await service.user(user_id).stats()).states["stored"] or stats.pages["stm"] > 10:
                await asyncio.sleep(0.2)
    rows = await ask(
        service,
        "MATCH (p:Page {user_id: $id}) RETURN p.conversation_id AS client, p.user_input AS text ORDER BY p.seq",
        id=user_id,
    )
    assert len(rows) == CLIENTS * ADDS
    for n in range(CLIENTS):
        said = [row["text"] for row in rows if row["client"] == f"c{n}"]
        assert said == [f"Client {n} says number {i}." for i in range(ADDS)]
    await assert_invariants(service, user_id)


async def test_a_held_lock_of_one_user_stops_nobody_else(service: MemoryService, user_id: str) -> None:
    busy, other = service.user(user_id), service.user(f"{user_id}-other")
    await busy.remember(TurnIn(user_input="first"))
    finished: list[str] = []

    async def add(memory: object, name: str) -> None:
        await memory.remember(TurnIn(user_input=name))  # type: ignore[attr-defined]
        finished.append(name)

    connection = service.ctx.store.connection
    async with connection.driver.session(database=connection.database) as session:
        transaction = await session.begin_transaction()
        await (await transaction.run("MATCH (u:User {user_id: $id}) SET u.lock = 'x'", id=user_id)).consume()
        waiting = [asyncio.create_task(add(busy, "busy")) for _ in range(12)]
        for n in range(20):
            await add(other, f"other {n}")
        assert finished == [f"other {n}" for n in range(20)]
        await transaction.commit()
    await asyncio.gather(*waiting)
    assert finished.count("busy") == 12
    await assert_invariants(service, user_id)
