from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.errors import InvalidInput
from memoryos_graph.eval.locomo import evaluate_locomo

from ..conftest import FakeEmbedder

TRAPS = (
    "date without a session",
    "evidence malformed, ids in it read",
    "evidence that does not exist, left out",
    "question without evidence, skipped",
)

pytestmark = pytest.mark.engine
SMALL = Path(__file__).parent.parent / "data" / "locomo_small.json"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file with conversation names of this run, since eval users are named after them."""
    path = tmp_path / "locomo.json"
    path.write_text(SMALL.read_text().replace("talk-", f"talk-{uuid.uuid4().hex}-"))
    return path


async def test_a_report_has_all_figures(service: MemoryService, small: Path) -> None:
    phases: list[tuple[str, int, int]] = []
    report = await evaluate_locomo(service, small, on_progress=lambda *step: phases.append(step))
    assert (report.mode, report.page_turns, report.questions) == ("hybrid", 2, 5)
    assert set(report.recall) == {"5", "10", "20"}
    assert report.recall["20"] == 1
    assert {name: group["questions"] for name, group in report.by_category.items()} == {
        "adversarial": 1,
        "multi-hop": 1,
        "single-hop": 2,
        "temporal": 1,
    }
    assert len(report.by_conversation) == 2
    assert report.sessions["20"] == 1
    assert [sorted(traps) for traps in report.traps.values()] == [sorted(TRAPS), []]
    assert 0 < report.mrr <= 1
    assert 0 < report.latency_ms.p50 <= report.latency_ms.p95
    assert phases[-1] == ("ask", 5, 5)
    assert {phase for phase, _, _ in phases} == {"load", "work", "ask"}


async def test_a_second_run_only_asks(service: MemoryService, fake_embedder: FakeEmbedder, small: Path) -> None:
    first = await evaluate_locomo(service, small, page_turns=1)
    fake_embedder.calls.clear()
    again = await evaluate_locomo(service, small, page_turns=1)
    assert len(fake_embedder.calls) == first.questions
    assert again.recall == first.recall


async def test_conversations_can_be_chosen(service: MemoryService, small: Path) -> None:
    one = next(iter((await evaluate_locomo(service, small, mode="flat")).by_conversation))
    report = await evaluate_locomo(service, small, mode="flat", conversations=[one])
    assert list(report.by_conversation) == [one] == report.config["conversations"]
    with pytest.raises(InvalidInput):
        await evaluate_locomo(service, small, conversations=["nowhere"])
