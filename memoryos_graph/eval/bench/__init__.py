"""Speed as ratios in one run, each part against a base that runs beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...llm.embedder import SentenceTransformerEmbedder
from ...service import MemoryService
from .adding import bench_add
from .embedding import bench_embed
from .material import MixedEmbedder
from .plain import bench_plain
from .searching import Sizes, bench_search
from .sharing import bench_busy, bench_parallel
from .waiting import bench_slow_model

if TYPE_CHECKING:
    from ...settings import Settings

PARTS = ("add", "search", "plain", "embed", "parallel", "busy", "slow_model")
GROUPS = {"all": PARTS, "scale": ("search", "plain")}
ROUNDS = 300


async def bench(
    settings: Settings,
    parts: Sequence[str] | None = None,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
    sizes: Sizes = Sizes(),  # noqa: B008  frozen
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """Measure the named parts (default: all) and give times in milliseconds and their ratios.

    `all` and `scale` name several parts. Runs in a database of its own below `data_dir`, unless NEO4J_URI names one;
    what it loads is kept for the next run.
    """
    chosen = [part for name in parts or ["all"] for part in GROUPS.get(name, (name,))]
    if unknown := [part for part in chosen if part not in PARTS]:
        raise InvalidInput("parts", f"there is no part {unknown[0]!r}; there are {', '.join((*PARTS, *GROUPS))}")
    settings = settings.model_copy(update={"data_dir": settings.data_dir / "bench"})
    real = SentenceTransformerEmbedder(settings.embedding_model, settings.embedding_dimension)
    mixed = await MixedEmbedder.of(real)
    async with MemoryService.open(settings, worker=False, embedder=mixed, on_progress=on_progress) as service:
        report: dict[str, Any] = {"server": service.ctx.store.connection.version, "rounds": rounds}
        if "add" in chosen:
            on_progress("adding turns beside bare transactions")
            report["add"] = await bench_add(service, rounds)
        if "search" in chosen:
            report["search"] = await bench_search(service, sizes, rounds, on_progress)
        if "plain" in chosen:
            report["plain"] = await bench_plain(service, sizes, rounds, on_progress)
        if "embed" in chosen:
            on_progress("embedding questions")
            report["embed"] = await bench_embed(real, rounds)
        if "parallel" in chosen:
            on_progress("adding turns of one user and of eight")
            report["parallel"] = await bench_parallel(service, rounds)
        if "busy" in chosen:
            on_progress("adding turns while the lock of another user is held")
            report["busy"] = await bench_busy(service)
        if "slow_model" in chosen:
            on_progress("adding turns while a slow model reads")
            report["slow_model"] = await bench_slow_model(service.ctx.settings, mixed, rounds)
        return report
