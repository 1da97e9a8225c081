from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph.errors import InvalidInput
from memoryos_graph.transfer.importers import detect, locomo, read

SMALL = Path(__file__).parent.parent / "data" / "locomo_small.json"


@pytest.fixture
def content() -> Any:
    return copy.deepcopy(json.loads(SMALL.read_text()))


def written(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(content))
    return path


def test_pages_of_two_turns_stay_inside_a_session() -> None:
    pages = next(iter(locomo.conversations(SMALL))).pages(2)
    assert [page.id for page in pages] == ["talk-1/D1:1+D1:2", "talk-1/D1:3", "talk-1/D2:1+D2:2"]
    assert pages[0].user_input == "Iris: Hello Otto! I planted a quince tree behind the barn."
    assert pages[0].assistant_response == (
        "Otto: Nice! I am still fixing the old tractor. [image: a rusty red tractor]"
    )
    assert (pages[1].user_input, pages[1].assistant_response) == ("Iris: Will it run before the harvest?", "")
    assert [page.event_time for page in pages] == [datetime(2023, 5, 8, 13, 56, tzinfo=UTC)] * 2 + [
        datetime(2023, 9, 13, 0, 9, tzinfo=UTC)
    ]
    assert {page.conversation_id for page in pages} == {"talk-1"}


def test_pages_of_one_turn_have_one_side_each() -> None:
    pages = next(iter(locomo.conversations(SMALL))).pages(1)
    assert [bool(page.user_input) for page in pages] == [True, False, True, False, True]
    assert [locomo.dia_ids_of(page.id or "") for page in pages] == [["D1:1"], ["D1:2"], ["D1:3"], ["D2:1"], ["D2:2"]]


def test_a_date_without_a_session_is_passed_over() -> None:
    conversation = next(iter(locomo.conversations(SMALL)))
    assert {said.session for said in conversation.utterances} == {1, 2}


def test_questions_count_with_the_evidence_that_exists() -> None:
    conversation = next(iter(locomo.conversations(SMALL)))
    questions = conversation.questions
    assert [(sorted(q.evidence), q.category) for q in questions] == [
        (["D1:1"], "single-hop"),
        (["D2:2"], "temporal"),
        (["D1:2", "D2:1"], "multi-hop"),
        (["D1:2"], "adversarial"),
    ]
    assert [q.answer for q in questions] == ["a quince tree", "12 September 2023", "it runs again", None]
    assert conversation.traps == {
        "date without a session": ["session_3"],
        "evidence malformed, ids in it read": ["question 3", "question 4"],
        "evidence that does not exist, left out": ["question 4", "question 5"],
        "question without evidence, skipped": ["question 5", "question 6"],
    }


def test_repeated_questions_and_missing_answers_are_noted(tmp_path: Path, content: Any) -> None:
    content[1]["qa"] += [{"question": "Which instrument does Sven learn?", "evidence": ["D1:1"], "category": 4}, {}]
    talk = list(locomo.conversations(written(tmp_path, content)))[1]
    assert [q.number for q in talk.questions] == [1, 2]
    assert talk.traps == {
        "question repeated, kept": ["question 2"],
        "question without an answer, kept for recall": ["question 2"],
        "question without text, skipped": ["question 3"],
    }


def test_conversations_are_chosen_by_id() -> None:
    assert detect(SMALL) == "locomo"
    assert [turn.id for turn in read(SMALL, conversations=["talk-2"])] == ["talk-2/D1:1+D1:2"]
    assert len(list(read(SMALL, page_turns=1))) == 7
    with pytest.raises(InvalidInput) as caught:
        list(read(SMALL, conversations=["talk-2", "nowhere"]))
    assert caught.value.field == "conversations"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("sample_id",), None, "sample_id"),
        (("conversation",), [], "conversation"),
        (("conversation", "session_1"), {}, "session_1"),
        (("conversation", "session_1_date_time"), "secret", "session_1_date_time"),
        (("conversation", "session_1", 1, "text"), 5, "text"),
        (("conversation", "session_1", 1, "dia_id"), "", "dia_id"),
        (("conversation", "session_1", 1), "secret", "turn"),
    ],
)
def test_a_fault_is_named_by_place_and_field(
    tmp_path: Path, content: Any, path: tuple[Any, ...], value: Any, field: str
) -> None:
    target = content[0]
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(InvalidInput) as caught:
        list(read(written(tmp_path, content), "locomo"))
    assert caught.value.field == field
    assert "item 1" in caught.value.detail
    assert "secret" not in caught.value.detail


def test_another_file_is_not_locomo(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a LoCoMo file"):
        list(read(written(tmp_path, [{"user_input": "x"}]), "locomo"))
