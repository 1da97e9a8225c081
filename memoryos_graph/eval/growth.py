"""How memory grows by turns, and what the growing cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from ..contract import RunOut
from ..service import MemoryService
from ..user_memory import UserMemory
from .statements import send


class Growth(BaseModel):
    """What the turns of all cases became. Bytes are those of texts, and 4 for each number of a vector."""

    turns: int
    nodes: dict[str, int]
    nodes_per_turn: float
    relationships_per_turn: float
    bytes_per_turn: float
    profile_versions_per_100_turns: float
    model_calls: int
    tokens_in: int
    tokens_out: int


async def growth(service: MemoryService, user_ids: Sequence[str], turns: int) -> Growth:
    """Count what these users have together. One statement for each, and lists of their runs."""
    nodes: Counter[str] = Counter()
    relationships = size = 0
    runs: list[RunOut] = []
    for user_id in user_ids:
        for row in await send(service, "memory_size", user_id=user_id):
            nodes[row["label"]] += row["nodes"]
            relationships += row["relationships"]
            size += row["bytes"]
        runs += await _runs(service.user(user_id))
    return Growth(
        turns=turns,
        nodes=dict(sorted(nodes.items())),
        nodes_per_turn=round(nodes.total() / turns, 2),
        relationships_per_turn=round(relationships / turns, 2),
        bytes_per_turn=round(size / turns),
        profile_versions_per_100_turns=round(100 * nodes["ProfileVersion"] / turns, 2),
        model_calls=sum(run.model_calls for run in runs),
        tokens_in=sum(run.tokens_in for run in runs),
        tokens_out=sum(run.tokens_out for run in runs),
    )


async def _runs(user: UserMemory) -> list[RunOut]:
    found: list[RunOut] = []
    cursor: str | None = None
    while True:
        page = await user.runs(limit=500, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found
