"""Times in milliseconds and their ratios, taken in turn in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable

WARM_UP = 150


async def in_turn(
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


def figures(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    cuts = statistics.quantiles(times, n=20)
    return {"p50": round(statistics.median(times), 2), "p95": round(cuts[18], 2)}


def ratio(times: list[float], base: list[float]) -> dict[str, float]:
    """How many times as long, at the median and at the 95th percentile."""
    a, b = figures(times), figures(base)
    return {"p50": round(a["p50"] / b["p50"], 2), "p95": round(a["p95"] / b["p95"], 2)}
