"""The plain ways a user would pick instead, on the same data: what each costs, and what it finds."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...contract import TurnIn
from ...service import MemoryService
from ..statements import send
from .loading import SESSION, page
from .material import MixedEmbedder, question, text
from .searching import NEAREST, Sizes, index_recall, load_users
from .timing import figures, ratio

FILE_ROUNDS = 3
SEGMENTS = 5  # that the published package looks into


class WholeFile:
    """Pages with their vectors in one JSON file, kept as the published package keeps its mid-term memory.

    Every add and every search writes the whole file (a search counts visits in it), and a search builds its index of
    segment vectors anew. Here a segment is a session, and its vector the mean of its pages'.
    Source: memoryos-pypi/mid_term.py, `insert_pages_into_session`, `search_sessions`, `save`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._segments: list[dict[str, Any]] = []

    def fill(self, pages: list[dict[str, Any]]) -> None:
        """Take pages in without writing, a segment for every session."""
        for start in range(0, len(pages), SESSION):
            held = pages[start : start + SESSION]
            mean = np.mean([page["page_embedding"] for page in held], axis=0).tolist()
            self._segments.append({"summary_embedding": mean, "N_visit": 0, "details": held})

    def add(self, page: dict[str, Any]) -> None:
        """Append a page and write the file."""
        self._segments[-1]["details"].append(page)
        self._save()

    def search(self, vector: list[float]) -> list[str]:
        """The ids of the nearest pages in the nearest segments; writes the file."""
        asked = np.array(vector, dtype=np.float32)
        index = np.array([segment["summary_embedding"] for segment in self._segments], dtype=np.float32)
        found: list[tuple[float, str]] = []
        for place in np.argsort(-(index @ asked))[:SEGMENTS]:
            segment = self._segments[int(place)]
            segment["N_visit"] += 1
            for held in segment["details"]:
                nearness = float(np.dot(np.array(held["page_embedding"], dtype=np.float32), asked))
                found.append((nearness, held["page_id"]))
        self._save()
        return [page_id for _, page_id in sorted(found, reverse=True)[:NEAREST]]

    def _save(self) -> None:
        with self._path.open("w", encoding="utf-8") as file:
            json.dump({"sessions": self._segments}, file, ensure_ascii=False, indent=2)


async def bench_plain(
    service: MemoryService, sizes: Sizes, rounds: int, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Ours beside flat vectors, a search of everyone's vectors with a filter after it, and one whole JSON file.

    `of_ten_nearest` is the share of the ten truly nearest pages of the user that a way finds at all; ratios are
    against ours (mode hybrid, all arms).
    """
    await load_users(service, sizes, on_progress)
    users = ((sizes.small_user, sizes.small, 500_000), (sizes.large_user, sizes.large, 0))
    found: dict[str, Any] = {}
    for user_id, pages, first_text in users:
        on_progress(f"the plain ways beside ours with {pages} pages")
        found[str(pages)] = await _beside(service, user_id, pages, first_text, rounds)
    return found


async def _beside(service: MemoryService, user_id: str, pages: int, first_text: int, rounds: int) -> dict[str, Any]:
    user = service.user(user_id)

    async def hybrid(asked: str) -> None:
        await user.search(asked, top_k=NEAREST)

    async def flat(asked: str) -> None:
        await user.search(asked, mode="flat", kinds=["page"], top_k=NEAREST)

    async def everyone(asked: str) -> None:
        await _global(service, user_id, asked)

    ours = await _times(hybrid, rounds)
    report: dict[str, Any] = {"ours": {"search_ms": figures(ours)}}
    for name, way, share in (
        ("flat_vectors", flat, await index_recall(service, user_id, rounds // 10)),
        ("global_then_filter", everyone, await _global_recall(service, user_id, rounds // 10)),
    ):
        times = await _times(way, rounds)
        report[name] = {"search_ms": figures(times), "ratio": ratio(times, ours), "of_ten_nearest": share}
    added = await _added_ms(service, user_id)
    file = await asyncio.to_thread(_whole_file, service, user_id, pages, first_text)
    report["ours"]["add_ms"] = figures(added)
    report["whole_file"] = {
        "search_ms": figures(file["search"]),
        "add_ms": figures(file["add"]),
        "ratio": ratio(file["search"], ours),
        "add_ratio": ratio(file["add"], added),
        "mb": file["mb"],
    }
    return report


async def _global(service: MemoryService, user_id: str, asked: str) -> list[str]:
    vector = (await service.ctx.embedder.embed([asked], "query"))[0]
    (row,) = await send(service, "global_nearest", user_id=user_id, vector=vector, limit=NEAREST)
    return [page["page_id"] for page in row["pages"]]


async def _global_recall(service: MemoryService, user_id: str, rounds: int) -> float:
    shares = []
    for n in range(max(1, rounds)):
        vector = (await service.ctx.embedder.embed([question(n)], "query"))[0]
        (row,) = await send(service, "exact_nearest", user_id=user_id, vector=vector, limit=NEAREST)
        found = await _global(service, user_id, question(n))
        shares.append(len(set(found) & set(row["ids"])) / len(row["ids"]))
    return round(sum(shares) / len(shares), 4)


async def _times(way: Callable[[str], Awaitable[None]], rounds: int) -> list[float]:
    """Milliseconds of searches, after as many as a third to warm up."""
    numbers = itertools.count(int(time.time()))
    times = []
    for n in range(rounds // 3 + rounds):
        start = time.perf_counter()
        await way(question(next(numbers)))
        if n >= rounds // 3:
            times.append((time.perf_counter() - start) * 1000)
    return times


async def _added_ms(service: MemoryService, user_id: str) -> list[float]:
    """Milliseconds of adds to a user of its own that is as young as the process: an add reads no other page."""
    user = service.user(f"{user_id}-adds-{service.ctx.clock.new_id()}")
    times = []
    for n in range(10 * FILE_ROUNDS):
        start = time.perf_counter()
        await user.remember(TurnIn(user_input=text(n), assistant_response=text(n + 3)))
        times.append((time.perf_counter() - start) * 1000)
    return times[FILE_ROUNDS:]


def _whole_file(service: MemoryService, user_id: str, pages: int, first_text: int) -> dict[str, Any]:
    embedder = service.ctx.embedder
    assert isinstance(embedder, MixedEmbedder), "a bench is opened with it"

    def stored(n: int) -> dict[str, Any]:
        held = page(user_id, "", n, first_text)
        kept = {name: held[name] for name in ("page_id", "user_input", "assistant_response")}
        return kept | {"timestamp": held["event_time"].isoformat(), "page_embedding": embedder.mixed(held["text"])}

    times: dict[str, Any] = {"add": [], "search": []}
    with tempfile.TemporaryDirectory(prefix="memoryos-bench-") as folder:
        path = Path(folder) / "mid_term.json"
        file = WholeFile(path)
        file.fill([stored(n) for n in range(pages)])
        for n in range(FILE_ROUNDS):
            extra, vector = stored(pages + n), embedder.mixed(question(n))
            start = time.perf_counter()
            file.add(extra)
            times["add"].append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
            file.search(vector)
            times["search"].append((time.perf_counter() - start) * 1000)
        times["mb"] = round(path.stat().st_size / 2**20, 1)
    return times
