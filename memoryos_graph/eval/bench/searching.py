"""Searching a large memory beside a small one, among other users: time, what the index misses, and memory."""

from __future__ import annotations

import itertools
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...service import MemoryService
from ..statements import send
from .loading import load_pages
from .material import question
from .timing import figures, in_turn, ratio

NEAREST = 10


@dataclass(frozen=True)
class Sizes:
    """Pages of the small and of the large user, how many other users, and pages of each."""

    small: int = 1_000
    large: int = 20_000
    others: int = 200
    other_pages: int = 500

    @property
    def small_user(self) -> str:
        """The small user's id."""
        return f"bench-small-{self.small}"

    @property
    def large_user(self) -> str:
        """The large user's id."""
        return f"bench-large-{self.large}"


async def load_users(service: MemoryService, sizes: Sizes, on_progress: Callable[[str], None]) -> None:
    """Load all users of the sizes; a second run finds them there. No two pages have the same text."""
    on_progress("looking for the pages to search, and loading what is missing")
    for n in range(sizes.others):
        if n % 20 == 0:
            on_progress(f"{n} of {sizes.others} other users are loaded")
        first = 1_000_000 + n * sizes.other_pages
        await load_pages(service, f"bench-other-{n}-{sizes.other_pages}", sizes.other_pages, first, on_progress)
    await load_pages(service, sizes.small_user, sizes.small, 500_000, on_progress)
    await load_pages(service, sizes.large_user, sizes.large, 0, on_progress)


async def bench_search(
    service: MemoryService, sizes: Sizes, rounds: int, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Searches of the large user against those of the small one, without embedding.

    Also the share of the ten truly nearest pages that the vectors' index finds, and the resident memory of this
    process after searching each.
    """
    await load_users(service, sizes, on_progress)
    on_progress("searching")
    numbers = itertools.count(int(time.time()))

    def searcher(user_id: str) -> Callable[[], Awaitable[None]]:
        async def search() -> None:
            await service.user(user_id).search(question(next(numbers)))

        return search

    small_ms, large_ms = await in_turn(searcher(sizes.small_user), searcher(sizes.large_user), rounds)
    connection = service.ctx.store.connection
    before = connection.statements
    await searcher(sizes.large_user)()
    statements = connection.statements - before
    return {
        "pages": {"small": sizes.small, "large": sizes.large, "others": sizes.others * sizes.other_pages},
        "small_ms": figures(small_ms),
        "large_ms": figures(large_ms),
        "ratio": ratio(large_ms, small_ms),
        "statements_per_search": statements,
        "index_recall_at_10": {
            "small": await index_recall(service, sizes.small_user, rounds // 10),
            "large": await index_recall(service, sizes.large_user, rounds // 10),
        },
        "resident_mb": await _resident_after(searcher, sizes, rounds),
    }


async def index_recall(service: MemoryService, user_id: str, rounds: int) -> float:
    """The mean share of the truly nearest pages among the first that a search by vectors alone gives."""
    shares = []
    for n in range(max(1, rounds)):
        asked = question(n)
        vector = (await service.ctx.embedder.embed([asked], "query"))[0]
        (row,) = await send(service, "exact_nearest", user_id=user_id, vector=vector, limit=NEAREST)
        found = await service.user(user_id).search(asked, mode="flat", kinds=["page"], top_k=NEAREST)
        shares.append(len({hit.id for hit in found.hits} & set(row["ids"])) / len(row["ids"]))
    return round(sum(shares) / len(shares), 4)


async def _resident_after(
    searcher: Callable[[str], Callable[[], Awaitable[None]]], sizes: Sizes, rounds: int
) -> dict[str, float | None]:
    """Resident memory after as many searches of the small user, and then of the large one."""
    held: dict[str, float | None] = {}
    for name, user_id in (("small", sizes.small_user), ("large", sizes.large_user)):
        search = searcher(user_id)
        for _ in range(rounds):
            await search()
        held[name] = resident_mb()
    return held


def resident_mb() -> float | None:
    """Resident memory of this process in MB, where the system tells it (Linux)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return round(int(line.split()[1]) / 1024, 1)
