"""The data folder of the published MemoryOS package, taken over with its times, and marked as imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.errors import InvalidInput

from ..conftest import FakeClock
from ..graph import assert_invariants

pytestmark = pytest.mark.engine


def _turn(user: str, assistant: str, at: str, **more: Any) -> dict[str, Any]:
    return {"user_input": user, "agent_response": assistant, "timestamp": at, **more}


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, user_id: str) -> Path:
    """As the package leaves it after a while."""
    own = tmp_path / "users" / user_id
    details = [
        _turn("My cello lesson is on Friday.", "Enjoy it!", "2025-03-30 01:30:00", page_id="page_1", analyzed=True),
        _turn("", "", "2025-03-30 01:31:00", page_id="page_2", pre_page="page_1"),
    ]
    session = {"id": "session_1", "summary": "music", "summary_keywords": ["cello"], "details": details, "N_visit": 2}
    _write(own / "short_term.json", [_turn("I bought a kettle.", "Nice.", "2025-06-01 12:00:00", meta_data={"k": 1})])
    _write(own / "mid_term.json", {"sessions": {"session_1": session}, "access_frequency": {"session_1": 2}})
    _write(
        own / "long_term_user.json",
        {
            "user_profiles": {user_id: {"data": "Curious and warm.", "last_updated": "2025-06-02 08:00:00"}},
            "knowledge_base": [
                {
                    "knowledge": "User plays the cello.",
                    "timestamp": "2025-05-01 10:00:00",
                    "knowledge_embedding": [0.1],
                },
                {"knowledge": "用户对花生过敏。", "timestamp": "2025-05-02 10:00:00"},
                {"knowledge": "- None", "timestamp": "2025-05-03 10:00:00"},
            ],
            "assistant_knowledge": [],
        },
    )
    known = [{"knowledge": "Assistant recommended Bach.", "timestamp": "2025-05-04 10:00:00"}]
    _write(tmp_path / "assistants" / "max" / "long_term_assistant.json", {"assistant_knowledge": known})
    return tmp_path


async def test_all_that_was_said_and_found_out_is_there_with_its_times_and_words(
    folder: Path, memory: UserMemory, service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    done = await memory.import_package(folder, tz="Europe/Oslo")
    assert (done.created, done.already_there, done.facts) == (6, 0, 3)
    assert done.left_out == {"turns without words": 1, "knowledge without words": 1}
    turns = (await memory.turns()).items
    assert {(turn.origin, turn.assistant_id) for turn in turns} == {("import", "max")}
    said = {turn.user_input or turn.assistant_response: turn for turn in turns}
    assert said["My cello lesson is on Friday."].event_time.isoformat() == "2025-03-30T00:30:00+00:00"
    assert said["I bought a kettle."].metadata == {"k": 1}
    assert said["Curious and warm."].user_input == ""
    facts = {fact.text: fact for fact in (await memory.facts()).items}
    assert {text: (fact.kind, fact.origin) for text, fact in facts.items()} == {
        "User plays the cello.": ("knowledge", "import"),
        "用户对花生过敏。": ("knowledge", "import"),
        "Assistant recommended Bach.": ("assistant_knowledge", "import"),
    }
    for text, fact in facts.items():
        (source,) = fact.sources
        assert (source.quote, source.page_id, source.start) == (text, said[text].page_id, 0)
    assert facts["User plays the cello."].valid_from.isoformat() == "2025-05-01T08:00:00+00:00"
    await memory.maintain()
    assert {fact.text for fact in (await memory.facts()).items} >= facts.keys()
    assert (await memory.search("cello")).hits
    await assert_invariants(service, user_id)


async def test_a_repeat_changes_nothing_and_brings_nothing_back(
    folder: Path, memory: UserMemory, service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    await memory.import_package(folder, tz="UTC")
    facts = {fact.text: fact for fact in (await memory.facts()).items}
    await memory.retract(facts["Assistant recommended Bach."].fact_id)
    plan = await memory.forget(facts=[facts["User plays the cello."].fact_id])
    await memory.confirm_forget(plan.plan_id)
    plan = await memory.forget(pages=[facts["用户对花生过敏。"].sources[0].page_id])
    await memory.confirm_forget(plan.plan_id)
    again = await memory.import_package(folder, tz="UTC")
    assert (again.created, again.already_there, again.forgotten, again.facts) == (0, 5, 1, 0)
    assert (await memory.facts()).items == []
    await assert_invariants(service, user_id)


async def test_what_is_wrong_with_a_folder_is_named(folder: Path, memory: UserMemory, user_id: str) -> None:
    with pytest.raises(InvalidInput, match="the zone is needed"):
        await memory.import_package(folder)
    _write(folder / "users" / "bo" / "short_term.json", [])
    known = await memory.import_package(folder, tz="UTC")
    assert known.left_out["assistant knowledge of several users"] == 1
    with pytest.raises(InvalidInput, match="2 users, none of this name"):
        await _other(memory).import_package(folder, tz="UTC")
    _write(folder / "users" / user_id / "mid_term.json", {"sessions": {"s": {"details": [{"user_input": 5}]}}})
    with pytest.raises(InvalidInput, match="session 1, item 1: user_input is not text"):
        await memory.import_package(folder, tz="UTC")


def _other(memory: UserMemory) -> UserMemory:
    return UserMemory(memory._ctx, f"{memory.user_id}-other", memory._worker)
