"""Statements of `cypher/bench`, sent past the store: what is loaded, and the plain ways beside ours."""

from __future__ import annotations

from typing import Any

from ..service import MemoryService
from ..store.connection import Row, native
from ..store.cypher_files import load


async def send(service: MemoryService, name: str, **params: Any) -> list[Row]:
    """Run a bench's statement in a transaction of its own and give its rows."""
    connection = service.ctx.store.connection
    query = load("bench", connection.line)[name]

    async def work(tx: Any) -> list[Row]:
        result = await tx.run(query.text, params)
        return [{key: native(value) for key, value in record.items()} async for record in result]

    async with connection.driver.session(database=connection.database) as session:
        run = session.execute_read if query.mode == "read" else session.execute_write
        rows: list[Row] = await run(work)
        return rows
