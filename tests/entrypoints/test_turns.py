"""`remember`, `import` and `turns`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from .conftest import Cli


def _lines(path: Path, *turns: dict[str, object] | str) -> str:
    path.write_text("".join((t if isinstance(t, str) else json.dumps(t, ensure_ascii=False)) + "\n" for t in turns))
    return str(path)


def test_remember_stores_a_turn_and_does_the_work_it_made_due(ana: Cli) -> None:
    said = ana("remember", "I moved", "to Bergen.", "-a", "How nice!", "--id", "t1", "--conversation", "c")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("stored as page ")
    (turn,) = ana("turns", "-o", "json").json["items"]
    assert (turn["user_input"], turn["assistant_response"]) == ("I moved to Bergen.", "How nice!")
    assert (turn["id"], turn["conversation_id"], turn["state"]) == ("t1", "c", "indexed")


def test_remember_twice_with_one_id_stores_once(ana: Cli) -> None:
    first = ana("remember", "Hello.", "--id", "t1", "-o", "json").json
    again = ana("remember", "Hello.", "--id", "t1", "-o", "json").json
    assert (first["created"], again["created"], first["page_id"]) == (True, False, again["page_id"])
    other = ana("remember", "Something else.", "--id", "t1")
    assert (other.code, other.out) == (1, "")
    assert "other content is stored under this id" in other.err


def test_remember_reads_stdin(ana: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("李雷说:你好"))
    assert ana("remember", "-", "--no-work", "-o", "json").json["state"] == "stored"
    assert ana("turns", "-o", "json").json["items"][0]["user_input"] == "李雷说:你好"


@pytest.mark.parametrize(
    ("args", "field"),
    [
        (["remember", ""], "user_input"),
        (["remember", "hi", "--event-time", "2026-01-01T00:00:00"], "event_time"),
        (["remember", "hi", "--id", "a\x01"], "id"),
        (["turns", "--cursor", "nonsense"], "cursor"),
        (["turns", "--limit", "0"], "limit"),
        (["remember", "hi", "--user", ".."], "user_id"),
        (["remember", "hi", "--user-input", "hi"], "--user-input"),
    ],
)
def test_wrong_use_is_told_by_field_with_code_2(ana: Cli, args: list[str], field: str) -> None:
    ran = ana(*args)
    assert (ran.code, ran.out) == (2, "")
    assert field in ran.err
    assert "Traceback" not in ran.err


def test_import_stores_a_file_once(ana: Cli, tmp_path: Path) -> None:
    turns = [{"user_input": f"Sentence number {n}.", "event_time": "2026-01-01T10:00:00Z"} for n in range(250)]
    file = _lines(tmp_path / "turns.jsonl", *turns)
    first = ana("import", file, "--no-work")
    assert (first.code, first.out, first.err) == (0, "250 created, 0 already there\n", "")
    assert ana("import", file, "-o", "json").json == {"turns": 250, "created": 0, "already_there": 250}
    stats = ana("stats", "-o", "json").json
    assert stats["pages"] == {"stm": 10, "mtm": 240, "none": 0}
    assert stats["states"] == {"stored": 0, "indexed": 250, "failed": 0}


def test_import_takes_the_lists_of_the_published_package(ana: Cli, tmp_path: Path) -> None:
    turn = {"user_input": "Hi.", "agent_response": "Hello!", "timestamp": "2026-01-01 10:00:00"}
    file = tmp_path / "list.json"
    file.write_text(json.dumps([turn]))
    refused = ana("import", str(file))
    assert (refused.code, refused.out) == (1, "")
    assert "--tz" in refused.err
    assert ana("import", str(file), "--tz", "Europe/Oslo", "--conversation", "old").code == 0
    (stored,) = ana("turns", "-o", "json").json["items"]
    assert (stored["event_time"], stored["conversation_id"]) == ("2026-01-01T09:00:00Z", "old")


@pytest.mark.parametrize(
    ("bad", "field"),
    [("{", "not valid JSON"), ({"user_input": ""}, "user_input"), ({"user_input": "x", "secret": 1}, "secret")],
)
def test_import_checks_the_whole_file_before_it_stores(
    ana: Cli, tmp_path: Path, bad: dict[str, object] | str, field: str
) -> None:
    file = _lines(tmp_path / "turns.jsonl", {"user_input": "Good."}, bad)
    ran = ana("import", file)
    assert (ran.code, ran.out) == (1, "")
    assert "line 2" in ran.err
    assert field in ran.err
    assert len(ran.err.splitlines()) == 1
    assert ana("turns", "-o", "json").json["items"] == []


def test_import_of_no_file_is_wrong_use(ana: Cli) -> None:
    ran = ana("import", "there-is-none.jsonl")
    assert (ran.code, ran.out) == (2, "")
