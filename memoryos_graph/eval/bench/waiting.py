"""Acknowledging turns while a slow language model reads, against the same with the offline rules."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...contract import TurnIn
from ...demo.scenario import Reaction
from ...demo.scripted_model import MODEL, ScriptedModel
from ...service import MemoryService
from .material import MixedEmbedder, text
from .timing import figures, ratio

if TYPE_CHECKING:
    from ...settings import Settings

MODEL_S = 2.0
BLOCKS = 3


async def bench_slow_model(settings: Settings, embedder: MixedEmbedder, rounds: int) -> dict[str, Any]:
    """Adds beside the work of a model that takes 2 s a call, against adds beside the rules; blocks take turns."""
    with ScriptedModel() as model:
        scene = model.scene()
        scene.scenario.when(Reaction(delay_s=MODEL_S))
        slow = settings.model_copy(update={"llm": "model", "llm_model": MODEL, "llm_base_url": scene.base_url})
        times: dict[str, list[float]] = {"rules": [], "model": []}
        numbers = itertools.count()
        for block in range(BLOCKS + 1):
            for name, chosen in (("rules", settings), ("model", slow)):
                held = await _adds(chosen, embedder, rounds // BLOCKS, lambda: next(numbers))
                times[name] += held if block else []
        calls = scene.scenario.count()
    return {
        "rules_ms": figures(times["rules"]),
        "model_ms": figures(times["model"]),
        "ratio": ratio(times["model"], times["rules"]),
        "model_calls": calls,
    }


async def _adds(
    settings: Settings, embedder: MixedEmbedder, rounds: int, next_number: Callable[[], int]
) -> list[float]:
    times: list[float] = []
    async with MemoryService.open(settings, worker=True, embedder=embedder) as service:
        memory = service.user(f"bench-waiting-{service.ctx.clock.new_id()}")
        for _ in range(rounds):
            n = next_number()
            start = time.perf_counter()
            await memory.remember(TurnIn(user_input=text(n), assistant_response=text(n + 7)))
            times.append((time.perf_counter() - start) * 1000)
    return times
