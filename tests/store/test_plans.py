"""No query without an index: the real server's plans."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import neo4j
import pytest

from memoryos_graph import MemoryService

from ..graph import ask

TINY = {"keys.cypher"}  # a handful of nodes, asked for every few seconds
WANTED = {
    "stm_oldest": "Page(user_id, tier, seq)",
    "stm_size": "Page(user_id, tier, seq)",
    "pages_to_index": "Page(user_id, state, seq)",
    "pages_listed": "Page(user_id, seq)",
    "search_near": "Page(user_id, seq)",
    "due_users": "User(due_at)",
    "work_left": "User(parked)",
    "index_due": "Page(user_id, state, seq)",
    "migration_due": "Page(user_id, tier, seq)",
}


LABELS = [
    "User",
    "Conversation",
    "Assistant",
    "Session",
    "Page",
    "Passage",
    "Chain",
    "Segment",
    "SegmentVersion",
    "Fact",
    "Answer",
    "ProfileVersion",
    "Run",
    "Event",
    "Receipt",
    "Tombstone",
]


@pytest.fixture
async def populous(service: MemoryService) -> AsyncIterator[None]:
    """Other users enough that a plan is made for a database in use: of a few nodes a label scan is the cheapest."""
    for label in LABELS:
        await ask(
            service, f"UNWIND range(1, 400) AS n CREATE (:{label} {{user_id: 'plan-' + n, seq: n, hidden: false}})"
        )
    await ask(service, "CALL db.prepareForReplanning(60)")
    yield
    for label in LABELS:
        await ask(service, f"MATCH (n:{label}) WHERE n.user_id STARTS WITH 'plan-' DELETE n")


def _operators(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield plan["operatorType"].split("@")[0], plan["args"].get("Details", "")
    for child in plan.get("children", []):
        yield from _operators(child)


@pytest.mark.engine
async def test_no_query_scans_a_label_and_hot_ones_use_their_index(service: MemoryService, populous: None) -> None:
    connection = service.ctx.store.connection
    async with connection.driver.session(database=connection.database) as session:
        for query in connection.queries.values():
            result = await session.run(neo4j.Query("EXPLAIN " + query.text), dict.fromkeys(query.params))  # type: ignore[arg-type]
            plan = (await result.consume()).plan
            assert plan is not None
            operators = list(_operators(plan))
            if query.file not in TINY:
                assert not [o for o, _ in operators if o in ("AllNodesScan", "NodeByLabelScan")], query.name
            if query.name in WANTED:
                assert any(WANTED[query.name] in details for _, details in operators), (query.name, operators)
