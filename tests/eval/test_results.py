from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoryos_graph.eval.failures import Failure, counted
from memoryos_graph.eval.growth import Growth
from memoryos_graph.eval.results import write
from memoryos_graph.eval.run import Latency, Report


def report(mode: str, recall: float) -> Report:
    figures = {"5": recall - 0.1, "10": recall, "20": recall + 0.05}
    group = figures | {"questions": 20, "mrr": recall}
    return Report.model_validate(
        {
            "dataset": "locomo",
            "mode": mode,
            "page_turns": 2,
            "questions": 20,
            "asked": 20,
            "recall": figures,
            "mrr": recall,
            "sessions": figures | {"mrr": recall},
            "by_category": {"multi-hop": group, "<temporal>": group},
            "by_conversation": {},
            "latency_ms": Latency(p50=12, p95=20),
            "answers": None,
            "missed": counted([("talk/1", Failure.RANKED_LOW)]),
            "memory": Growth(
                turns=10,
                nodes={"Page": 10},
                nodes_per_turn=1,
                relationships_per_turn=1,
                bytes_per_turn=1,
                profile_versions_per_100_turns=0,
                model_calls=0,
                tokens_in=0,
                tokens_out=0,
            ),
            "traps": {},
            "config": {"server": "2026.08.1"},
        }
    )


def test_a_page_sets_the_runs_of_a_folder_beside_each_other(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write(report("flat", 0.6), tmp_path)
    page = write(report("hybrid", 0.86), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "locomo-2-flat.json",
        "locomo-2-hybrid.json",
        "locomo-2.html",
    ]
    assert json.loads((tmp_path / "locomo-2-flat.json").read_text())["config"] == {"server": "2026.08.1"}
    text = page.read_text()
    assert "<svg" in text
    assert "<td>0.860</td>" in text
    assert text.index("<td>hybrid") < text.index("<td>flat")
    assert "recall.fusion" in text
    assert "<td>&lt;temporal&gt;" in text
