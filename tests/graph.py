"""Questions that tests ask the graph directly, and the invariants, which are the doctor's."""

from __future__ import annotations

import json
from typing import Any

from memoryos_graph import MemoryService
from memoryos_graph.audit.examination import graph_findings
from memoryos_graph.contract import Finding
from memoryos_graph.store.connection import Tx


async def ask(service: MemoryService, query: str, **params: Any) -> list[dict[str, Any]]:
    """Rows of any query, for assertions only."""
    return await service.ctx.store.connection.statement(query, **params)


async def let_others_rest(service: MemoryService, but: str = "") -> None:
    """Leave users of tests before, all but one, without due work, so that a worker that is started meets only that."""
    never = "MATCH (u:User) WHERE u.user_id <> $but SET u.due_at = datetime('9999-12-31T00:00:00Z')"
    await ask(service, never, but=but)


async def assert_invariants(service: MemoryService, user_id: str) -> None:
    """I1, I4, I5, I7, I11, I13, I14 and the vectors of one user, as the doctor checks them."""

    async def find(tx: Tx) -> list[Finding]:
        return await graph_findings(tx, user_id)

    assert [(found.check, found.id) for found in await service.ctx.store.read(user_id, find)] == []


async def everything_stored(service: MemoryService, user_id: str) -> str:
    """All properties of all nodes and relationships of a user, vectors apart, as one text."""
    rows = await ask(
        service,
        """MATCH (n {user_id: $id}) OPTIONAL MATCH (n)-[r]->()
           RETURN n {.*, embedding: null, embedding_b: null} AS node, collect(properties(r)) AS edges""",
        id=user_id,
    )
    return json.dumps(rows, default=str, ensure_ascii=False)
