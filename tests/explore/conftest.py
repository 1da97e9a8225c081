"""Two users who never meet, prepared once: what the queries of one may find, and the canary of the other."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.contract import CypherResult
from memoryos_graph.errors import InvalidInput

from ..graph import ask

SAID = [
    "I live in Hamburg. I have a dog.",
    "I moved to Bergen.",
    "I'm allergic to hazelnuts.",
    "My name is Ana. I love playing the cello.",
]


@dataclass(frozen=True)
class Pair:
    """Ana asks; of Bo nothing may be seen. `marks` are words and ids that are Bo's only, `secrets` are nobody's."""

    ana: UserMemory
    bo_id: str
    marks: frozenset[str]
    secrets: frozenset[str]
    bo_element: str

    async def refused(self, query: str, params: dict[str, Any] | None = None) -> str:
        """Why a query is refused."""
        with pytest.raises(InvalidInput) as caught:
            await self.ana.cypher(query, params)
        return caught.value.detail

    def harmless(self, result: CypherResult) -> bool:
        """Whether nothing of Bo, and nothing secret, is in a result."""
        text = json.dumps(result.model_dump(), ensure_ascii=False)
        return not any(mark in text for mark in self.marks | self.secrets)


Rows = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture(scope="session")
async def pair(opened: MemoryService) -> Pair:
    ana, bo = opened.user(f"ana-{uuid4().hex}"), opened.user(f"bo-{uuid4().hex}")
    canary = f"Canary{uuid4().hex[:12]}"
    for memory, extra in ((ana, "I have a cat."), (bo, f"I live in {canary}. I work as a {canary}.")):
        turns = [
            {
                "user_input": text,
                "assistant_response": "I see.",
                "conversation_id": "talk",
                "id": f"t{n}",
                "event_time": f"2025-0{n + 2}-10T09:00:00Z",
            }
            for n, text in enumerate([*SAID, extra])
        ]
        await memory.remember(turns)
        await memory.maintain()
        await memory.answer("Where do I live?")
        told = await memory.remember({"user_input": f"The kettle is on. {extra}"})
        await memory.confirm_forget((await memory.forget(pages=[told[0].page_id])).plan_id)
    found = await ask(
        opened,
        """MATCH (n {user_id: $bo}) RETURN elementId(n) AS element_id,
                  [n.page_id, n.fact_id, n.segment_id, n.session_id, n.run_id, n.answer_id, n.receipt_id] AS ids""",
        bo=bo.user_id,
    )
    ids = {one for row in found for one in row["ids"] if one}
    secret = await ask(
        opened,
        """MATCH (u:User) WHERE u.user_id IN $both
           RETURN [u.user_key, u.tombstone_key] AS secrets""",
        both=[ana.user_id, bo.user_id],
    )
    return Pair(
        ana,
        bo.user_id,
        frozenset({canary, bo.user_id, *ids}),
        frozenset(one for row in secret for one in row["secrets"]),
        found[0]["element_id"],
    )


@pytest.fixture
def rows(pair: Pair) -> Rows:
    """The rows of a query of Ana."""

    async def run(query: str, **params: Any) -> list[dict[str, Any]]:
        result = await pair.ana.cypher(query, params)
        assert pair.harmless(result)
        return result.rows

    return run
