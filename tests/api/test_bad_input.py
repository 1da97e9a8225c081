"""Bad input is refused with the field named, or works as plain data; nothing is half-written, and nothing is a 500."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService

from ..graph import ask
from .conftest import Filled, path_of, send_raw

JSON = {"Content-Type": "application/json"}
OK = {"user_input": "ok"}


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def _with_metadata(text: str) -> str:
    return '{"user_input": "x", "metadata": {"k": ' + text + "}}"


REFUSED: dict[str, tuple[object, int, str]] = {
    "empty turn": ({}, 422, "body"),
    "both sides empty": ({"user_input": "", "assistant_response": " \n\u3000"}, 422, "body"),
    "no messages": ({"messages": []}, 422, "messages"),
    "messages without text": ({"messages": [{"role": "user", "content": ""}]}, 422, "body"),
    "both forms": ({"user_input": "x", "messages": [{"role": "user", "content": "y"}]}, 422, "body"),
    "unknown role": ({"messages": [{"role": "king", "content": "y"}]}, 422, "messages[0].role"),
    "empty list": ([], 422, "turns"),
    "list with one bad": ([OK, {"user_input": 5}, OK], 422, "turns[1].user_input"),
    "no object": ("text", 422, "body"),
    "null": (None, 422, "body"),
    "10 MB text": ({"user_input": "x" * 10_000_000}, 413, "body"),
    "1 MB text": ({"assistant_response": "x" * 1_000_000}, 422, "assistant_response"),
    "lone surrogate": ('{"user_input": "a\\ud83d"}', 422, "user_input"),
    "lone surrogate in a key": ('{"user_input": "a", "metadata": {"\\udead": 1}}', 422, "metadata"),
    "lone surrogate in an unknown field": ('{"user_input": "a", "\\udead": 1}', 422, "body"),
    "lone surrogate in metadata": (_with_metadata('["\\ud800"]'), 422, "metadata"),
    "NUL": ({"user_input": "a\x00b"}, 422, "user_input"),
    "NUL in a message": ({"messages": [{"role": "user", "content": "\x00"}]}, 422, "messages[0].content"),
    "NUL in metadata": ({**OK, "metadata": {"a\x00": 1}}, 422, "metadata"),
    "NUL in a tag": ({**OK, "tags": ["ok", "\x00"]}, 422, "tags[1]"),
    "unknown field": ({**OK, "user_inptu": "x"}, 422, "user_inptu"),
    "unknown field in a message": ({"messages": [{"role": "user", "content": "x", "x": 1}]}, 422, "messages[0].x"),
    "naive timestamp": ({**OK, "event_time": "2026-03-01T10:00:00"}, 422, "event_time"),
    "NaN": (_with_metadata("NaN"), 400, "body"),
    "Infinity": (_with_metadata("-Infinity"), 400, "body"),
    "too large a float": (_with_metadata("1e999"), 400, "body"),
    "huge integer": (_with_metadata("9" * 5000), 400, "body"),
    "integer of 65 bits": (_with_metadata(str(2**63)), 422, "metadata"),
    "deep nesting": (_with_metadata(_nested(70)), 400, "body"),
    "bottomless nesting": (_with_metadata(_nested(100_000)), 400, "body"),
    "deep metadata": (_with_metadata(_nested(30)), 422, "metadata"),
    "long metadata": ({**OK, "metadata": {"k": "x" * 100_001}}, 422, "metadata"),
    "metadata as a list": ({**OK, "metadata": []}, 422, "metadata"),
    "not JSON": ("{", 400, "body"),
    "single quotes": ("{'user_input': 'x'}", 400, "body"),
    "not UTF-8": (b'{"user_input": "\xff"}', 400, "body"),
    "UTF-16": ('{"user_input": "x"}'.encode("utf-16"), 400, "body"),
    "empty body": (b"", 422, "body"),
    "remember something else": ({**OK, "remember": "forever"}, 422, "remember"),
    "tags as text": ({**OK, "tags": "work"}, 422, "tags"),
    "51 tags": ({**OK, "tags": ["t"] * 51}, 422, "tags"),
    "number as text": ({"user_input": 5}, 422, "user_input"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_bad_turns_are_refused_and_nothing_is_written(
    http: httpx.AsyncClient, service: MemoryService, user_id: str, name: str
) -> None:
    body, status, field = REFUSED[name]
    raw = body if isinstance(body, bytes | str) and name != "no object" else json.dumps(body)
    answer = await http.post(f"{path_of(user_id)}/turns", content=raw, headers=JSON)
    problem = answer.json()
    assert (answer.status_code, problem["status"]) == (status, status)
    assert problem["errors"][0]["field"] == field
    assert not {"input", "ctx", "url"} & problem["errors"][0].keys()
    assert "xxxx" not in answer.text
    if name in ("empty turn", "both sides empty"):
        assert "user_input and assistant_response must not both be empty" in problem["detail"]
    assert await ask(service, "MATCH (n {user_id: $user_id}) RETURN n.user_id AS id", user_id=user_id) == []


METACHARACTERS = "()<>[]{}|&!*~^?:\\/\"'`$; MATCH (n) DETACH DELETE n //"


ODD_TURNS: list[dict[str, Any]] = [
    {
        "user_input": METACHARACTERS,
        "id": METACHARACTERS,
        "conversation_id": "*",
        "tags": ["C++"],
        "metadata": {"$": "*"},
    },
    {"user_input": "the of and"},
    {"user_input": "word " * 2000},
    {"user_input": "x" * 100_000},
    {"user_input": "\u202e\u200b\ufeff\ufffe\U0010ffff e\u0301 İ"},
    {"user_input": "x", "metadata": {"": None, "n": -(2**63), "f": 1e308, "deep": [[[[[]]]]]}},
]


async def test_odd_turns_work_as_plain_data(http: httpx.AsyncClient, base: str) -> None:
    answer = await http.post(f"{base}/turns", json=ODD_TURNS)
    assert answer.status_code == 201
    for turn, stored in zip(ODD_TURNS, answer.json()["items"], strict=True):
        page = (await http.get(f"{base}/turns/{stored['page_id']}")).json()
        assert {name: page[name] for name in turn} == turn
    assert (await http.post(f"{base}/maintenance", json={"run": "all"})).status_code == 200
    assert (await http.get(f"{base}/stats")).json()["pages"]["mtm"] == len(ODD_TURNS)
    for turn in ODD_TURNS:
        assert (await http.post(f"{base}/search", json={"query": turn["user_input"][:20_000]})).status_code == 200


@pytest.mark.parametrize(
    "query", ["the of and", "word " * 2000, METACHARACTERS, "a\u202eb", "x" * 20_000, " \t\n", "(" * 500]
)
async def test_odd_queries_work_as_plain_data(http: httpx.AsyncClient, filled: Filled, query: str) -> None:
    answer = await http.post(f"{filled.base}/search", json={"query": query})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/turns", "/facts", "/segments", "/runs"])
@pytest.mark.parametrize("limit", ["0", "-1", "501", "1.5", "x", "", "9" * 40])
async def test_impossible_limits_are_refused_by_name(
    http: httpx.AsyncClient, filled: Filled, path: str, limit: str
) -> None:
    answer = await http.get(f"{filled.base}{path}?limit={limit}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "limit")


@pytest.mark.parametrize(
    "user_id",
    [
        "../x",
        "a/b",
        "李雷",
        "*",
        "$where",
        "a'b",
        'a"b`c',
        "MATCH (n) DETACH DELETE n",
        "a:b AND c",
        "😀" * 256,
        " ",
        "a?b#c",
    ],
)
async def test_odd_user_ids_are_plain_data(http: httpx.AsyncClient, service: MemoryService, user_id: str) -> None:
    stored = await http.post(f"{path_of(user_id)}/turns", json={"user_input": "mine"})
    assert stored.status_code == 201
    rows = await ask(service, "MATCH (p:Page {user_id: $user_id}) RETURN p.page_id AS id", user_id=user_id)
    assert stored.json()["page_id"] in [row["id"] for row in rows]
    assert (await http.post(f"{path_of(user_id)}/search", json={"query": "mine"})).status_code == 200


async def test_a_body_in_chunks_is_measured_too(service: MemoryService, user_id: str) -> None:
    chunks = [b'{"user_input": "', *[b"x" * 1_000_000] * 9, b'"}']
    answer = await send_raw(service, "POST", f"{path_of(user_id)}/turns", chunks)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert answer.json()["errors"][0]["field"] == "body"
    assert (
        await send_raw(service, "POST", f"{path_of(user_id)}/turns", [b'{"user_', b'input": "x"}'])
    ).status_code == 201


async def test_a_body_of_another_kind_is_refused(http: httpx.AsyncClient, base: str) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded"):
        answer = await http.post(f"{base}/turns", content='{"user_input": "x"}', headers={"Content-Type": content_type})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "body"
    assert (await http.get(f"{base}/turns")).json()["items"] == []


async def test_many_faults_are_named_up_to_a_limit(http: httpx.AsyncClient, base: str) -> None:
    answer = await http.post(f"{base}/turns", json=[{"bad": 1}] * 1000)
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == 50
    assert answer.json()["errors"][0] == {"field": "turns[0].bad", "detail": "is unknown here"}
