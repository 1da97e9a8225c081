"""Loads the sample conversation: 60 turns of one user over eight months, in two languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from memoryos_graph.contract import RunOut, TurnIn
from memoryos_graph.service import MemoryService

DEMO_USER = "demo"


@dataclass(frozen=True)
class Loaded:
    """What loading did."""

    turns: int
    created: int
    runs: list[RunOut]


def sample_turns() -> list[TurnIn]:
    """The turns of the sample conversation, in order; each has an id and a time."""
    text = resources.files(__package__).joinpath("conversation.jsonl").read_text(encoding="utf-8")
    return [TurnIn.model_validate_json(line) for line in text.splitlines() if line.strip()]


async def load_demo(
    service: MemoryService, on_progress: Callable[[RunOut], None] | None = None, *, user_id: str = DEMO_USER
) -> Loaded:
    """Store the sample conversation and work it through: every page migrated, every segment promoted.

    Repeating it changes nothing. `on_progress` gets each run when it is done.
    """
    memory = service.user(user_id)
    turns = sample_turns()
    stored = await memory.remember(turns)
    done = await memory.maintain("all", force=True, on_run=on_progress)
    return Loaded(turns=len(turns), created=sum(one.created for one in stored), runs=done.runs)


async def is_loaded(service: MemoryService, *, user_id: str = DEMO_USER) -> bool:
    """Whether this user has anything, so that a first start can be told from later ones."""
    stats = await service.user(user_id).stats()
    return any(stats.pages.values())
