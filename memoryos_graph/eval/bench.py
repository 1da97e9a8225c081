"""Speed as ratios in one run: adding against a bare transaction, searching a large memory against a small one."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from ..contract import TurnIn
from ..demo.load import sample_turns
from ..errors import InvalidInput
from ..llm.embedder import Embedder, SentenceTransformerEmbedder
from ..service import MemoryService
from ..store.cypher_files import load

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ..settings import Settings

PARTS = ("add", "search")
ROUNDS = 300
WARM_UP = 150
SMALL, LARGE, OTHERS, OTHER_PAGES = 1_000, 20_000, 38, 500
BATCH = 500
NOISE = 0.05


async def bench(
    settings: Settings,
    parts: Sequence[str] | None = None,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
    sizes: tuple[int, int, int, int] = (SMALL, LARGE, OTHERS, OTHER_PAGES),
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """Measure the named parts ("add", "search"; default all) and give times in milliseconds and their ratios.

    Runs in a database of its own below `data_dir`, unless NEO4J_URI names one; what it loads is kept for the next run.
    `sizes` are the pages of the small and of the large user, the number of other users and their pages.
    """
    chosen = list(parts or PARTS)
    if unknown := [part for part in chosen if part not in PARTS]:
        raise InvalidInput("parts", f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    settings = settings.model_copy(update={"data_dir": settings.data_dir / "bench"})
    async with _opened(settings, on_progress) as service:
        report: dict[str, Any] = {"server": service.ctx.store.connection.version, "rounds": rounds}
        if "add" in chosen:
            on_progress("adding turns beside bare transactions")
            report["add"] = await _bench_add(service, rounds)
        if "search" in chosen:
            report["search"] = await _bench_search(service, sizes, rounds, on_progress)
        return report


@asynccontextmanager
async def _opened(settings: Settings, on_progress: Callable[[str], None]) -> AsyncIterator[MemoryService]:
    real = SentenceTransformerEmbedder(settings.embedding_model, settings.embedding_dimension)
    mixed = await MixedEmbedder.of(real)
    async with MemoryService.open(settings, worker=False, embedder=mixed, on_progress=on_progress) as service:
        yield service


class MixedEmbedder:
    """Vectors for texts of recombined sentences, without a model: mixtures of two real sentence vectors with noise.

    So that 100,000 pages can be loaded in minutes, and a search is timed without its embedding.
    """

    def __init__(self, model_id: str, dimension: int, known: dict[str, list[float]]) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self._known = known

    @classmethod
    async def of(cls, real: Embedder) -> MixedEmbedder:
        """Embed the sentences of the sample conversation once with the real model."""
        sentences = _sentences()
        vectors = await real.embed(sentences, "document")
        return cls(real.model_id, real.dimension, dict(zip(sentences, vectors, strict=True)))

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        """A unit vector per text, the same for the same text."""
        return [self._mixed(text) for text in texts]

    def _mixed(self, text: str) -> list[float]:
        digest = hashlib.sha256(text.encode()).digest()
        rng = random.Random(digest)
        held = [s for s in _split(text) if s in self._known] or [_sentences()[digest[0] % len(_sentences())]]
        first, second = self._known[held[-1]], self._known[held[len(held) // 2 - 1]]
        scale = NOISE / math.sqrt(self.dimension)
        vector = [a + 0.6 * b + rng.gauss(0, 1) * scale for a, b in zip(first, second, strict=True)]
        norm = math.sqrt(sum(x * x for x in vector))
        return [x / norm for x in vector]


def _split(text: str) -> list[str]:
    return [s.strip() for s in re.split(r"(?<=[.!?。！？])\s*|\n", text) if s.strip()]


@cache
def _sentences() -> tuple[str, ...]:
    """The English sentences of the sample conversation."""
    said = (sentence for turn in sample_turns() for side in turn.sides() for sentence in _split(side))
    return tuple(dict.fromkeys(s for s in said if s.isascii() and len(s) > 20))


async def _bench_add(service: MemoryService, rounds: int) -> dict[str, Any]:
    connection = service.ctx.store.connection
    bare_query = load("bench", connection.line)["create_bare"].text
    memory = service.user(f"bench-add-{service.ctx.clock.new_id()}")
    numbers = itertools.count()

    async def bare() -> None:
        async def work(tx: Any) -> None:
            await (await tx.run(bare_query, text=_text(next(numbers)))).consume()

        async with connection.driver.session(database=connection.database) as session:
            await session.execute_write(work)

    async def add() -> None:
        n = next(numbers)
        await memory.remember(TurnIn(user_input=_text(n), assistant_response=_text(n + 7), id=f"turn-{n}"))

    bare_ms, add_ms = await _in_turn(bare, add, rounds)
    before = connection.statements
    await add()
    statements = connection.statements - before
    async with connection.driver.session(database=connection.database) as session:
        await session.run(load("bench", connection.line)["delete_bare"].text)
    return {
        "bare_ms": _figures(bare_ms),
        "add_ms": _figures(add_ms),
        "ratio": _ratio(add_ms, bare_ms),
        "statements_per_add": statements,
    }


async def _bench_search(
    service: MemoryService, sizes: tuple[int, int, int, int], rounds: int, on_progress: Callable[[str], None]
) -> dict[str, Any]:
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
            await service.user(user_id).search(_question(next(numbers)))

        return search

    small_ms, large_ms = await _in_turn(searcher(small), searcher(large), rounds)
    connection = service.ctx.store.connection
    before = connection.statements
    await searcher(large)()
    return {
        "pages": {"small": small_pages, "large": large_pages, "others": others * other_pages},
        "small_ms": _figures(small_ms),
        "large_ms": _figures(large_ms),
        "ratio": _ratio(large_ms, small_ms),
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
        turns = [TurnIn(user_input=_text(n), assistant_response=_text(n + 3), id=f"page-{n}") for n in numbers]
        await memory.remember(turns)
        await memory.maintain("index")


def _text(n: int) -> str:
    rng = random.Random(n)
    return f"{' '.join(rng.sample(_sentences(), 2))} ({n})"


def _question(n: int) -> str:
    rng = random.Random(n)
    words = re.findall(r"[A-Za-z]{4,}", " ".join(rng.sample(_sentences(), 3)))
    return " ".join(rng.sample(words, min(8, len(words))))


async def _in_turn(
    first: Callable[[], Awaitable[None]], second: Callable[[], Awaitable[None]], rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of both, taken one after the other, so that a change of the machine's speed meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    for n in range(min(WARM_UP, rounds) + rounds):
        for held, call in zip(times, (first, second), strict=True):
            start = time.perf_counter()
            await call()
            if n >= min(WARM_UP, rounds):
                held.append((time.perf_counter() - start) * 1000)
    return times


def _figures(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=20)
    return {"p50": round(statistics.median(times), 2), "p95": round(cuts[18], 2)}


def _ratio(times: list[float], base: list[float]) -> dict[str, float]:
    a, b = _figures(times), _figures(base)
    return {"p50": round(a["p50"] / b["p50"], 2), "p95": round(a["p95"] / b["p95"], 2)}
