"""Searching a large memory beside a small one, among other users."""

from __future__ import annotations

import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ...contract import TurnIn
from ...service import MemoryService
from .material import question, text
from .timing import figures, in_turn, ratio

BATCH = 500


async def bench_search(
    service: MemoryService, sizes: tuple[int, int, int, int], rounds: int, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Searches of the large user against those of the small one, and the statements of one search."""
    small_pages, large_pages, others, other_pages = sizes
    small, large = f"bench-search-{small_pages}", f"bench-search-{large_pages}"
    await _load(service, small, small_pages, on_progress)
    for n in range(others):
        await _load(service, f"bench-other-{n}-{other_pages}", other_pages, on_progress)
    await _load(service, large, large_pages, on_progress)
    on_progress("searching")
    numbers = itertools.count(int(time.time()))

    def searcher(user_id: str) -> Callable[[], Awaitable[None]]:
        async def search() -> None:
            await service.user(user_id).search(question(next(numbers)))

        return search

    small_ms, large_ms = await in_turn(searcher(small), searcher(large), rounds)
    connection = service.ctx.store.connection
    before = connection.statements
    await searcher(large)()
    return {
        "pages": {"small": small_pages, "large": large_pages, "others": others * other_pages},
        "small_ms": figures(small_ms),
        "large_ms": figures(large_ms),
        "ratio": ratio(large_ms, small_ms),
        "statements_per_search": connection.statements - before,
    }


async def _load(service: MemoryService, user_id: str, pages: int, on_progress: Callable[[str], None]) -> None:
    """Bring a user to that many indexed pages; a second run finds them there."""
    memory = service.user(user_id)
    there = (await memory.stats()).pages["stm"]
    if there < pages:
        on_progress(f"loading {pages - there} pages of one user")
    for start in range(there, pages, BATCH):
        numbers = range(start, min(start + BATCH, pages))
        turns = [TurnIn(user_input=text(n), assistant_response=text(n + 3), id=f"page-{n}") for n in numbers]
        await memory.remember(turns)
        await memory.maintain("index")
