"""Adding a turn beside the least that a write can be."""

from __future__ import annotations

import itertools
from typing import Any

from ...contract import TurnIn
from ...service import MemoryService
from ...store.cypher_files import load
from .material import text
from .timing import figures, in_turn, ratio


async def bench_add(service: MemoryService, rounds: int) -> dict[str, Any]:
    """An added turn against a bare transaction, and the statements of one add."""
    connection = service.ctx.store.connection
    bare_query = load("bench", connection.line)["create_bare"].text
    memory = service.user(f"bench-add-{service.ctx.clock.new_id()}")
    numbers = itertools.count()

    async def bare() -> None:
        async def work(tx: Any) -> None:
            await (await tx.run(bare_query, text=text(next(numbers)))).consume()

        async with connection.driver.session(database=connection.database) as session:
            await session.execute_write(work)

    async def add() -> None:
        n = next(numbers)
        await memory.remember(TurnIn(user_input=text(n), assistant_response=text(n + 7), id=f"turn-{n}"))

    bare_ms, add_ms = await in_turn(bare, add, rounds)
    before = connection.statements
    await add()
    statements = connection.statements - before
    async with connection.driver.session(database=connection.database) as session:
        await session.run(load("bench", connection.line)["delete_bare"].text)
    return {
        "bare_ms": figures(bare_ms),
        "add_ms": figures(add_ms),
        "ratio": ratio(add_ms, bare_ms),
        "statements_per_add": statements,
    }
