"""From a command to the memory of a user."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from .console import busy, note

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from memoryos_graph.contract import RunOut
    from memoryos_graph.service import MemoryService
    from memoryos_graph.settings import Settings
    from memoryos_graph.user_memory import UserMemory

T = TypeVar("T")


def settings(**given: Any) -> Settings:
    """The settings of this process; what is given wins. Raises SetupError."""
    from memoryos_graph.settings import load_settings

    return load_settings(**given)


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; Ctrl-C cancels it cleanly."""
    return asyncio.run(work)


async def with_service(work: Callable[[MemoryService], Awaitable[T]], chosen: Settings | None = None) -> T:
    """Open the service without a worker, do the work, close it."""
    async with AsyncExitStack() as stack:
        with busy("opening the memory"):
            from memoryos_graph.service import MemoryService

            opening = MemoryService.open(chosen or settings(), worker=False, on_progress=note)
            service = await stack.enter_async_context(opening)
        return await work(service)


def with_memory(user_id: str, work: Callable[[UserMemory], Awaitable[T]]) -> T:
    """Do some work on the memory of one user."""

    async def body(service: MemoryService) -> T:
        return await work(service.user(user_id))

    return run_async(with_service(body))


async def drain(memory: UserMemory, on_run: Callable[[RunOut], None] | None = None) -> list[RunOut]:
    """Do the work that is due now. What can't be done now stays due and is only noted: what was asked for is stored."""
    from memoryos_graph.errors import ModelError, TryAgain

    try:
        return (await memory.maintain("all", force=False, on_run=on_run)).runs
    except (ModelError, TryAgain) as exc:
        note(f"stored; its further work stays due: {exc.detail}")
        return []


class WorkBars:
    """Progress of background work: one bar for each step, growing by the pages of each run."""

    def __init__(self, bars: Progress, totals: Mapping[str, int] | None = None) -> None:
        self._bars = bars
        self._totals = totals or {}
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, run: RunOut) -> None:
        if run.kind not in self._tasks:
            self._tasks[run.kind] = self._bars.add_task(run.kind, total=self._totals.get(run.kind))
        self._bars.advance(self._tasks[run.kind], run.counts.get("pages", 0))


def quiet_libraries() -> None:
    """Keep log lines, progress bars and advice of libraries off the terminal."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    logging.getLogger().addHandler(logging.NullHandler())
