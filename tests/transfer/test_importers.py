from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import UserMemory
from memoryos_graph.errors import InvalidInput
from memoryos_graph.transfer.importers import detect, read

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(text: str) -> Path:
        path = tmp_path / "file"
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def lines(*turns: Any) -> str:
    return "\n".join(json.dumps(turn) for turn in turns)


def listed(*turns: tuple[str, str | None]) -> str:
    return json.dumps([{"user_input": text, "agent_response": "", "timestamp": at} for text, at in turns])


def refused(path: Path, **options: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        list(read(path, **options))
    return caught.value


# JSON Lines


def test_json_lines_hold_turns_as_the_api_takes_them(write: Write) -> None:
    path = write(
        "\ufeff"
        + lines(
            {"user_input": "hello", "id": "t1", "event_time": "2024-03-01T10:00:00+01:00", "tags": ["x"]},
            {"messages": [{"role": "user", "content": "hi"}], "conversation_id": "own"},
        )
        + "\n\n"
    )
    assert detect(path) == "turns-jsonl"
    first, second = read(path, conversation="c1")
    assert (first.id, first.event_time, first.tags) == ("t1", datetime(2024, 3, 1, 9, tzinfo=UTC), ["x"])
    assert (first.conversation_id, second.conversation_id, second.sides()) == ("c1", "own", ("hi", ""))


def test_turns_without_an_id_get_the_same_one_at_every_reading(write: Write) -> None:
    path = write(lines({"user_input": "ok"}, {"user_input": "ok"}, {"user_input": "no"}))
    first, again = [turn.id for turn in read(path)], [turn.id for turn in read(path)]
    assert first == again
    assert len(set(first)) == 3


def test_turns_are_given_as_they_are_read(write: Write) -> None:
    turns = read(write(lines({"user_input": "fine"}) + "\n{broken"))
    assert next(turns).user_input == "fine"
    with pytest.raises(InvalidInput):
        next(turns)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"user_input": "secret"', "line"),
        ('["secret"]', "line"),
        ("[" * 100_000, "line"),
        ('{"user_input": "", "assistant_response": " "}', "turn"),
        ('{"user_input": "secret", "event_time": "2024-03-01T10:00:00"}', "event_time"),
        ('{"user_input": "secret", "secret": 1}', "secret"),
        ('{"user_input": "secret\\u0000"}', "user_input"),
        ('{"user_input": "secret\\ud800"}', "user_input"),
        ('{"user_input": "secret", "tags": [1]}', "tags.0"),
    ],
)
def test_a_bad_line_is_named_with_its_field_and_not_quoted(write: Write, line: str, field: str) -> None:
    fault = refused(write(lines({"user_input": "fine"}) + "\n\n" + line), format="turns-jsonl")
    assert fault.field == field
    assert fault.detail.startswith("line 3: ")
    assert field == "secret" or "secret" not in fault.detail


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing").field == "path"
    assert refused(tmp_path).field == "path"
    binary = tmp_path / "binary"
    binary.write_bytes(b'{"user_input": "\xff\xfe"}')
    assert "UTF-8" in refused(binary, format="turns-jsonl").detail
    assert "UTF-8" in refused(binary, format="turn-list", tz="UTC").detail


def test_an_empty_file_has_no_turns(write: Write) -> None:
    assert list(read(write(""))) == []
    assert list(read(write("[]"))) == []


@pytest.mark.parametrize("text", ["[1, 2]", '[{"text": "x"}]'])
def test_an_unknown_list_is_refused(write: Write, text: str) -> None:
    assert refused(write(text)).field == "format"


# Lists of {user_input, agent_response, timestamp}


def test_a_list_becomes_turns_in_the_given_zone(write: Write) -> None:
    path = write(listed(("hello", "2024-07-01 12:00:00"), ("again", None)))
    assert detect(path) == "turn-list"
    first, second = read(path, tz="Europe/Oslo", conversation="c1")
    assert (first.user_input, first.event_time, first.conversation_id) == (
        "hello",
        datetime(2024, 7, 1, 10, tzinfo=UTC),
        "c1",
    )
    assert second.event_time is None


def test_an_offset_in_the_time_wins_over_the_zone(write: Write) -> None:
    (turn,) = read(write(listed(("x", "2024-07-01T12:00:00+09:00"))), tz="Europe/Oslo")
    assert turn.event_time == datetime(2024, 7, 1, 3, tzinfo=UTC)


def test_times_of_the_hour_that_comes_twice_stay_in_order(write: Write) -> None:
    stamps = ["01:50", "02:30", "02:50", "02:10", "02:40", "03:00"]
    turns = read(write(listed(*((at, f"2024-10-27 {at}:00") for at in stamps))), tz="Europe/Oslo")
    times = [turn.event_time.strftime("%H:%M") for turn in turns if turn.event_time]
    assert times == ["23:50", "00:30", "00:50", "01:10", "01:40", "02:00"]


def test_a_time_that_the_clocks_skip_is_moved_by_the_gap(write: Write) -> None:
    (turn,) = read(write(listed(("x", "2024-03-31 02:30:00"))), tz="Europe/Oslo")
    assert turn.event_time == datetime(2024, 3, 31, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize("tz", ["Nowhere/Land", "../../etc/passwd", "", "/etc/localtime", "x" * 300, "a\0b"])
def test_a_naive_time_needs_a_known_zone(write: Write, tz: str) -> None:
    fault = refused(write(listed(("secret", "2024-07-01 12:00:00"))), tz=tz or None)
    assert fault.field == "tz"
    assert "secret" not in fault.detail


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ("secret", "item"),
        ({"user_input": "x", "secret": 1}, "item"),
        ({"user_input": "secret", "timestamp": "secret"}, "timestamp"),
        ({"user_input": "secret", "timestamp": 5}, "timestamp"),
        ({"user_input": "secret", "timestamp": "0001-01-01 00:00:00"}, "timestamp"),
        ({"user_input": 5}, "user_input"),
        ({"user_input": ""}, "turn"),
    ],
)
def test_a_bad_item_is_named_with_its_field_and_not_quoted(write: Write, item: Any, field: str) -> None:
    fault = refused(write(json.dumps([{"user_input": "fine"}, item])), format="turn-list", tz="Asia/Tokyo")
    assert fault.field == field
    assert fault.detail.startswith("item 2: ")
    assert "secret" not in fault.detail


@pytest.mark.engine
async def test_a_second_import_changes_nothing(write: Write, memory: UserMemory) -> None:
    path = write(listed(("hello", "2024-07-01 12:00:00"), ("ok", None), ("ok", None)))
    first = await memory.remember(list(read(path, tz="UTC")))
    again = await memory.remember(list(read(path, tz="UTC")))
    assert [turn.created for turn in first] == [True] * 3
    assert [turn.created for turn in again] == [False] * 3
    assert [turn.page_id for turn in first] == [turn.page_id for turn in again]
