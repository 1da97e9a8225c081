from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.errors import InvalidInput
from memoryos_graph.eval.gvd import dataset
from memoryos_graph.eval.run import evaluate

DATA = Path(__file__).parent.parent / "data"
USERS, QUESTIONS, GOLD = (
    DATA / name for name in ("gvd_small.json", "gvd_small_questions.jsonl", "gvd_small_gold.json")
)


def test_a_page_is_a_query_with_its_response_at_noon_of_its_day() -> None:
    nora, zhang = dataset(USERS, QUESTIONS, GOLD).cases
    assert (zhang.pages[0].user_input, zhang.pages[0].assistant_response) == ("我喜欢在海边钓鱼。", "那一定很放松。")
    assert [p.event_time for p in nora.pages] == [datetime(2023, 4, day, 12, tzinfo=UTC) for day in (27, 27, 29)]
    assert [p.id for p in nora.pages] == ["gvd/0", "gvd/1", "gvd/2"]
    assert nora.sessions == ["2023-04-27", "2023-04-27", "2023-04-29"]


def test_what_is_mended_or_passed_over_is_listed() -> None:
    data = dataset(USERS, QUESTIONS, GOLD)
    nora = data.cases[0]
    assert [(q.id, q.text, sorted(q.evidence)) for q in nora.questions] == [
        ("Nora/0", "What do I carve spoons out of?", [0]),
        ("Nora/1", "Which film did you recommend?", [2]),
    ]
    assert nora.traps == {
        "page with one side": ["1"],
        "day without turns": ["2023-04-28"],
        "label of a page that does not exist, left out": ["1"],
        "question without a label, not asked": ["2"],
    }
    assert data.config["file_traps"] == {
        "user's name with spaces around it, taken without": ["Nora"],
        "question in quotes, taken without": ["Nora 0"],
        "questions of a user who is not in the file, skipped": ["Nobody"],
    }


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ([], "path"),
        ({"Nora": {"history": []}}, "history"),
        ({"Nora": {"history": {"April 27": []}}}, "history"),
        ({"Nora": {"history": {"2023-04-27": [{"query": "secret"}, {"query": 5}]}}}, "turn"),
        ({"Ulla": {"history": {}}}, "questions"),
    ],
)
def test_a_fault_is_named_by_place_and_field(tmp_path: Path, content: Any, field: str) -> None:
    path = tmp_path / "users.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidInput) as caught:
        dataset(path, QUESTIONS)
    assert caught.value.field == field
    assert "secret" not in caught.value.detail


@pytest.mark.engine
async def test_recall_needs_labels_and_all_modes_say_the_same_keys(service: MemoryService, tmp_path: Path) -> None:
    name = uuid.uuid4().hex
    paths = []
    for path in (USERS, QUESTIONS, GOLD):
        paths.append(tmp_path / path.name)
        paths[-1].write_text(path.read_text().replace("Nora", f"Nora {name}").replace("张三", f"张三{name}"))
    found = await evaluate(service, dataset(*paths), answers=True)
    assert found.answers is not None
    assert found.answers.citation_precision > 0
    assert (found.dataset, found.questions, found.asked) == ("gvd", 3, 3)
    assert found.recall["5"] == 1
    assert found.sessions["5"] == 1
    assert found.missed == []
    assert (found.memory.turns, found.memory.nodes["Page"]) == (5, 5)
    assert found.memory.bytes_per_turn > 4 * 384
    nothing = await evaluate(service, dataset(*paths), mode="none", answers=True)
    assert nothing.answers is not None
    assert (nothing.answers.answered, nothing.answers.refused["answerable"]) == (3, 1)
    assert nothing.recall == {"5": 0, "10": 0, "20": 0}
    assert nothing.latency_ms.p95 == 0
    assert [(f.type, f.module, f.questions) for f in nothing.missed] == [
        ("not retrieved: no arm found it", "recall.search", 3)
    ]
    whole = await evaluate(service, dataset(*paths), mode="full")
    assert (whole.recall["5"], whole.mrr) == (1, pytest.approx((1 + 1 / 3 + 1 / 2) / 3, abs=1e-4))
    unlabelled = await evaluate(service, dataset(*paths[:2]))
    assert (unlabelled.questions, unlabelled.asked, unlabelled.config["labels"]) == (0, 4, False)
    assert found.model_dump().keys() == nothing.model_dump().keys() == unlabelled.model_dump().keys()
