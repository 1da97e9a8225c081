"""How users get along: eight at once against one, and others while one user's lock is held."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

from ...contract import TurnIn
from ...service import MemoryService
from ...store.cypher_files import load
from ...user_memory import UserMemory
from .material import text
from .timing import WARM_UP, figures, ratio

CLIENTS = 8
HELD_S = 3.0
WAITING = 8


async def bench_parallel(service: MemoryService, rounds: int) -> dict[str, Any]:
    """Adds per second of eight clients: of one user each, against all of the same user."""
    each = max(1, rounds // CLIENTS)
    one = [_user(service, "parallel-one")] * CLIENTS
    eight = [_user(service, f"parallel-{n}") for n in range(CLIENTS)]
    rates: dict[str, list[float]] = {"one": [], "eight": []}
    await _adds_per_second(one[:1], WARM_UP)
    for _ in range(4):
        rates["one"].append(await _adds_per_second(one, each))
        rates["eight"].append(await _adds_per_second(eight, each))
    best = {name: round(max(values), 1) for name, values in rates.items()}
    return {
        "one_user_adds_per_s": best["one"],
        "eight_users_adds_per_s": best["eight"],
        "ratio": round(best["eight"] / best["one"], 2),
    }


async def bench_busy(service: MemoryService) -> dict[str, Any]:
    """Adds of other users while one user's lock is held for 3 s and adds of that user wait, against none held."""
    busy, other = _user(service, "busy"), _user(service, "busy-other")
    await busy.remember(TurnIn(user_input=text(0)))
    await _timed_adds(other, 1.0)
    free = await _timed_adds(other, HELD_S)
    holding = asyncio.create_task(_hold_lock(service, busy.user_id))
    waiting = [asyncio.create_task(busy.remember(TurnIn(user_input=text(n)))) for n in range(WAITING)]
    held = await _timed_adds(other, HELD_S - 0.2)
    await asyncio.gather(holding, *waiting)
    return {"free_ms": figures(free), "held_ms": figures(held), "ratio": ratio(held, free)}


def _user(service: MemoryService, name: str) -> UserMemory:
    return service.user(f"bench-{name}-{service.ctx.clock.new_id()}")


async def _adds_per_second(clients: list[UserMemory], each: int) -> float:
    async def client(memory: UserMemory) -> None:
        for n in range(each):
            await memory.remember(TurnIn(user_input=text(n), assistant_response=text(n + 7)))

    start = time.perf_counter()
    await asyncio.gather(*(client(memory) for memory in clients))
    return each * len(clients) / (time.perf_counter() - start)


async def _timed_adds(memory: UserMemory, seconds: float) -> list[float]:
    """Milliseconds of adds, one after the other, for that long."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    numbers = itertools.count()
    while (start := time.perf_counter()) < end:
        n = next(numbers)
        await memory.remember(TurnIn(user_input=text(n), assistant_response=text(n + 7)))
        times.append((time.perf_counter() - start) * 1000)
    return times


async def _hold_lock(service: MemoryService, user_id: str) -> None:
    """Hold a user's lock as another process would, by a transaction that is not of the store."""
    connection = service.ctx.store.connection
    query = load("bench", connection.line)["hold_lock"].text
    async with connection.driver.session(database=connection.database) as session:
        transaction = await session.begin_transaction()
        await (await transaction.run(query, user_id=user_id)).consume()
        await asyncio.sleep(HELD_S)
        await transaction.commit()
