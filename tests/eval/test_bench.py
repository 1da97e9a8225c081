"""The benches run on small sizes; their times are not asserted."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.errors import InvalidInput
from memoryos_graph.eval.bench import bench
from memoryos_graph.eval.bench.material import MixedEmbedder
from memoryos_graph.eval.bench.plain import WholeFile, bench_plain
from memoryos_graph.eval.bench.searching import Sizes, bench_search
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.settings import load_settings

from ..conftest import FakeEmbedder
from ..graph import ask


@dataclass(frozen=True)
class OwnSizes(Sizes):
    """Users of this run."""

    run: str = ""

    @property
    def small_user(self) -> str:
        return f"{self.run}-small"

    @property
    def large_user(self) -> str:
        return f"{self.run}-large"


def ignore(_: str) -> None:
    pass


@pytest.mark.engine
async def test_search_and_the_plain_ways_on_loaded_pages(service: MemoryService) -> None:
    mixed = await MixedEmbedder.of(FakeEmbedder())
    ctx = replace(service.ctx, embedder=mixed)
    own = MemoryService(ctx, Worker(ctx))
    sizes = OwnSizes(small=30, large=90, others=1, other_pages=20, run=f"test-{uuid.uuid4().hex}")
    found = await bench_search(own, sizes, 3, ignore)
    assert found["pages"] == {"small": 30, "large": 90, "others": 20}
    assert found["statements_per_search"] <= 4
    assert 0.9 <= found["index_recall_at_10"]["large"] <= 1
    assert await ask(own, "MATCH (p:Page {user_id: $user_id}) RETURN count(p) AS n", user_id=sizes.large_user) == [
        {"n": 90}
    ]
    plain = await bench_plain(own, sizes, 3, ignore)
    assert set(plain["90"]) == {"ours", "flat_vectors", "global_then_filter", "whole_file"}
    assert plain["90"]["whole_file"]["mb"] > 0


def test_the_whole_file_holds_every_page_after_each_step(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    file = WholeFile(path)
    file.fill([{"page_id": str(n), "page_embedding": [float(n == 0), float(n == 1)]} for n in range(2)])
    file.add({"page_id": "2", "page_embedding": [0.6, 0.8]})
    assert '"page_id": "2"' in path.read_text()
    path.unlink()
    assert file.search([0.0, 1.0]) == ["1", "2", "0"]
    assert '"N_visit": 1' in path.read_text()


async def test_an_unknown_part_is_named() -> None:
    with pytest.raises(InvalidInput, match="nonsense"):
        await bench(load_settings(), ["nonsense"])
