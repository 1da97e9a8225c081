"""Reported faults of other memories, as seen over HTTP; each test carries the number of its case."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime, timedelta

import httpx
import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.errors import InternalError

from .conftest import Filled, path_of, send_raw

SEARCH_TEXTS = [
    "/b testing", "tb-", "C++", "(x)", "a AND", '"open', "foo:bar", "*", "!!!", "", "word " * 200, "NOT",
    "a OR OR b", "[1 TO 2}", "~0.5^", "\\", "&& || !", "user_id:*", "') MATCH (n) DETACH DELETE n //", "the and of",
    "李雷 住在 哪里？",
    "🙂", "x" * 5000,
]  # fmt: skip
USER_IDS = ["ana@example.org", "李雷", "a/b", "a b", "a.b:c", "Ana", "ana", "é", "e\u0301", "%2F", "a%2Fb"]
NO_USER_IDS = ["..", "%2e%2e", "%2E", ".", "%00", "a%0Ab", "%7F", "%C2%85", "%ED%A0%80", "%FF", "a" * 257, ""]


async def _remember(http: httpx.AsyncClient, user_id: str, text: str, **more: object) -> httpx.Response:
    return await http.post(f"{path_of(user_id)}/turns", json={"user_input": text, **more})


async def test_case_s5_star_is_a_literal_user(http: httpx.AsyncClient, filled: Filled) -> None:
    for path in ("/turns", "/facts", "/segments", "/runs"):
        answer = await http.get(f"{path_of('*')}{path}")
        assert answer.status_code == 200
        assert "Porto" not in answer.text
    answer = await http.post(f"{path_of('*')}/search", json={"query": "Where does Ana live? Porto?"})
    assert not [hit for hit in answer.json()["hits"] if "Porto" in hit["text"]]


@pytest.mark.parametrize("user_id", USER_IDS)
async def test_case_s8_any_text_is_an_opaque_user_id(http: httpx.AsyncClient, user_id: str) -> None:
    assert (await _remember(http, user_id, f"I am {user_id}.", id="who")).status_code in (200, 201)
    (turn,) = (await http.get(f"{path_of(user_id)}/turns?id=who")).json()["items"]
    assert turn["user_input"] == f"I am {user_id}."


@pytest.mark.parametrize("segment", NO_USER_IDS)
async def test_case_s8_what_cannot_be_a_user_id_is_422(service: MemoryService, segment: str) -> None:
    for method in ("GET", "POST"):
        answer = await send_raw(service, method, f"/v1/users/{segment}/turns", [b'{"user_input": "x"}'])
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "user_id"


async def test_case_s9_a_path_like_user_id_stays_data(http: httpx.AsyncClient, service: MemoryService) -> None:
    folder = service.ctx.settings.data_dir
    before = {path.name for path in folder.iterdir()}, {path.name for path in folder.parent.iterdir()}
    for user_id in ("../../x", "/etc/passwd", "..\\x", "file:///x"):
        assert (await _remember(http, user_id, "x")).status_code == 201
    assert {path.name for path in folder.iterdir()} == before[0]
    assert not (folder.parent / "x").exists()
    assert not (folder.parent.parent / "x").exists()


@pytest.mark.parametrize("text", SEARCH_TEXTS, ids=range(len(SEARCH_TEXTS)))
async def test_case_s13_search_text_is_never_a_query_language(
    http: httpx.AsyncClient, filled: Filled, text: str
) -> None:
    answer = await http.post(f"{filled.base}/search", json={"query": text})
    assert answer.status_code == 200
    if not re.search(r"\w", text):
        assert answer.json()["hits"] == []


async def test_case_x6_a_user_only_turn_is_stored(http: httpx.AsyncClient, user_id: str) -> None:
    answer = await _remember(http, user_id, "Nobody answered me.")
    assert answer.status_code == 201
    page = (await http.get(f"{path_of(user_id)}/turns/{answer.json()['page_id']}")).json()
    assert page["assistant_response"] == ""


async def test_case_x7_left_out_and_null_fields(http: httpx.AsyncClient, user_id: str) -> None:
    plain = await _remember(http, user_id, "x")
    nulls = await _remember(http, user_id, "x", id=None, conversation_id=None, event_time=None)
    assert (plain.status_code, nulls.status_code) == (201, 201)
    pages = (await http.get(f"{path_of(user_id)}/turns")).json()["items"]
    assert {(page["conversation_id"], page["assistant_id"]) for page in pages} == {("assistant", "assistant")}
    for field in ("assistant_id", "metadata", "tags", "remember", "assistant_response"):
        answer = await _remember(http, user_id, "x", **{field: None})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


@pytest.mark.parametrize("path", ["/turns/{}", "/facts/{}", "/facts/{}/provenance", "/segments/{}"])
@pytest.mark.parametrize("unknown", ["nope", "*", "01a22b46-640c-76a9-8707-000000000000", "a%2Fb", "%27%20OR%201%3D1"])
async def test_case_x8_unknown_id_is_404(http: httpx.AsyncClient, filled: Filled, path: str, unknown: str) -> None:
    answer = await http.get(filled.base + path.format(unknown))
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert answer.headers["content-type"] == "application/problem+json"


async def test_case_x8_an_id_of_another_user_is_404(http: httpx.AsyncClient, filled: Filled, base: str) -> None:
    ids = {"turns": filled.page_id, "facts": filled.fact_id, "segments": filled.segment_id}
    for kind, item_id in ids.items():
        assert (await http.get(f"{filled.base}/{kind}/{item_id}")).status_code == 200
        assert (await http.get(f"{base}/{kind}/{item_id}")).status_code == 404


@pytest.mark.parametrize(
    "error", [RuntimeError("secret of ana: MATCH (n)"), KeyError("secret of ana"), InternalError("MATCH secret of ana")]
)
async def test_case_x9_an_internal_error_leaks_nothing(
    http: httpx.AsyncClient,
    base: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    async def fail(self: UserMemory) -> None:
        raise error

    monkeypatch.setattr(UserMemory, "stats", fail)
    with caplog.at_level(logging.INFO):
        answer = await http.get(f"{base}/stats", headers={"X-Request-ID": "chosen by the caller"})
    assert answer.status_code == 500
    body = answer.json()
    assert (body["code"], body["title"], body["errors"]) == ("internal", "Internal error", [])
    assert not re.search("secret|MATCH|Traceback|RuntimeError|KeyError|chosen", answer.text)
    assert answer.headers["X-Request-ID"] == body["request_id"]
    logged = [vars(record) for record in caplog.records if getattr(record, "request_id", "") == body["request_id"]]
    assert [entry["msg"] for entry in logged] == ["internal error", "request"]
    if not isinstance(error, InternalError):  # ours never holds text of users; what others raise may
        assert "secret" not in caplog.text + repr(logged)


async def test_case_d14_times_are_iso_strings_everywhere(http: httpx.AsyncClient, filled: Filled) -> None:
    def times(value: object, name: str = "") -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                times(inner, key)
        elif isinstance(value, list):
            for inner in value:
                times(inner, name)
        elif name.endswith(("_at", "_time", "valid_from", "valid_to")) and value is not None:
            assert isinstance(value, str), name
            assert datetime.fromisoformat(value).utcoffset() == timedelta(0), name
            found.add(name)

    found: set[str] = set()
    singles = [f"/turns/{filled.page_id}", f"/facts/{filled.fact_id}/provenance", f"/segments/{filled.segment_id}"]
    for path in ("/turns", "/facts?status=all", "/segments", "/runs", "/stats", *singles):
        times((await http.get(filled.base + path)).json())
    times((await http.post(f"{filled.base}/search", json={"query": "Porto"})).json())
    assert {"event_time", "recorded_at", "valid_from", "newest_event_at", "started_at", "ended_at"} <= found


async def test_case_d5_a_stamp_keeps_its_instant(http: httpx.AsyncClient, user_id: str) -> None:
    for given in ("2026-03-02T02:00:00Z", "2026-03-01T18:00:00-08:00", "2026-03-02T07:30:00+05:30"):
        page_id = (await _remember(http, user_id, given, event_time=given)).json()["page_id"]
        page = (await http.get(f"{path_of(user_id)}/turns/{page_id}")).json()
        assert page["event_time"] == "2026-03-02T02:00:00Z"


async def test_case_l25_an_id_of_the_caller_works_at_once(http: httpx.AsyncClient, user_id: str) -> None:
    stored = (await _remember(http, user_id, "x", id="my id/1")).json()
    (found,) = (await http.get(f"{path_of(user_id)}/turns", params={"id": "my id/1"})).json()["items"]
    assert (found["page_id"], found["id"]) == (stored["page_id"], "my id/1")
    assert (await http.get(f"{path_of(user_id)}/turns", params={"id": "my id"})).json()["items"] == []


async def test_case_l26_a_wrong_scope_is_an_error_not_an_empty_list(http: httpx.AsyncClient, filled: Filled) -> None:
    for wrong in ("group_id=x", "user_id=ana", "conversation=c", "Limit=5"):
        answer = await http.get(f"{filled.base}/turns?{wrong}")
        assert answer.status_code == 422
        assert answer.json()["errors"] == [{"field": wrong.split("=")[0], "detail": "is unknown here"}]
    for path in ("/v1/turns", "/turns", "/v1/users/turns"):
        assert (await http.get(path)).status_code == 404


async def test_case_u11_a_lone_surrogate_leaves_the_turns_intact(http: httpx.AsyncClient, user_id: str) -> None:
    for n in range(5):
        await _remember(http, user_id, str(n))
    base, headers = path_of(user_id), {"Content-Type": "application/json"}
    for body in (
        '{"user_input": "a\\ud800"}',
        '{"user_input": 5}',
        '{"user_input": {"a": 1}}',
        '{"user_input": ["x"]}',
    ):
        answer = await http.post(f"{base}/turns", content=body, headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "user_input")
    assert [turn["user_input"] for turn in (await http.get(f"{base}/turns")).json()["items"]] == list("43210")


async def test_case_u13_a_repeated_batch_is_one_page_each(http: httpx.AsyncClient, user_id: str) -> None:
    base, headers = path_of(user_id), {"Idempotency-Key": "batch 1"}
    batch = [{"user_input": f"turn {n}"} for n in range(4)]
    first = await http.post(f"{base}/turns", json=batch, headers=headers)
    again = await http.post(f"{base}/turns", json=batch, headers=headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert [i["page_id"] for i in again.json()["items"]] == [i["page_id"] for i in first.json()["items"]]
    assert len((await http.get(f"{base}/turns")).json()["items"]) == 4
    other = await http.post(f"{path_of(user_id + '2')}/turns", json=batch, headers=headers)
    assert other.status_code == 201  # a key of one user says nothing about another's


@pytest.mark.parametrize(
    "event_time",
    ["2026-03-01T10:00:00", "2026-03-01", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", 1700000000,
     "1700000000", "0001-01-01T00:00:00+08:00", "9999-12-31T23:59:59-08:00", "", True, "2026-03-01T10:00:00+25:00"],
)  # fmt: skip
async def test_case_u31_an_impossible_time_is_422(http: httpx.AsyncClient, user_id: str, event_time: object) -> None:
    answer = await _remember(http, user_id, "x", event_time=event_time)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "event_time"


async def test_case_u31_odd_times_keep_order_and_heat_in_bounds(http: httpx.AsyncClient, user_id: str) -> None:
    base = path_of(user_id)
    times = ["2099-01-01T00:00:00Z", "2025-10-26T02:30:00+02:00", "2025-10-26T02:30:00+01:00", "1970-01-01T00:00:00Z"]
    for n, event_time in enumerate(times):
        assert (await _remember(http, user_id, f"turn {n}", event_time=event_time)).status_code == 201
    listed = (await http.get(f"{base}/turns")).json()["items"]
    assert [turn["user_input"] for turn in listed] == ["turn 3", "turn 2", "turn 1", "turn 0"]
    assert [turn["event_time"] for turn in listed][1:3] == ["2025-10-26T01:30:00Z", "2025-10-26T00:30:00Z"]
    assert (await http.post(f"{base}/maintenance", json={"run": "all"})).status_code == 200
    for segment in (await http.get(f"{base}/segments")).json()["items"]:
        assert 0 <= segment["heat"]["recency"] <= 1


@pytest.mark.parametrize(
    ("value", "ok"),
    [("../", True), ("/etc/passwd", True), ("", False), ("\x00", False), ("x" * 10_000, False), ("а\u200dna", True),
     ("a`b'\"}) DETACH DELETE", True), ("+-&&||!(){}[]^\"~*?:\\/", True), ("a\nb", False)],
    ids=["dots", "absolute", "empty", "nul", "10KB", "confusable", "cypher", "lucene", "newline"],
)  # fmt: skip
async def test_case_u46_ids_are_data_or_refused(http: httpx.AsyncClient, user_id: str, value: str, ok: bool) -> None:
    for field in ("assistant_id", "conversation_id", "id"):
        answer = await _remember(http, user_id, f"x {field}", **{field: value})
        assert answer.status_code == (201 if ok else 422)
        if ok:
            page = (await http.get(f"{path_of(user_id)}/turns/{answer.json()['page_id']}")).json()
            assert page[field] == value
        else:
            assert answer.json()["errors"][0]["field"] == field
    as_user = await _remember(http, value, "x")
    assert as_user.status_code in ((200, 201) if ok else (422,))
    assert json.loads(as_user.text)


async def test_a_policy_over_http(http: httpx.AsyncClient, base: str) -> None:
    """PUT sets the whole policy, GET gives it; a turn tells what was made of its words."""
    given = {"remember": "never_long_term", "classes": {"contact": "never"}, "retention": {"answers_days": 7}}
    put = await http.put(f"{base}/policy", json=given)
    assert put.status_code == 200, put.text
    assert put.json() == (await http.get(f"{base}/policy")).json()
    assert (put.json()["classes"]["contact"], put.json()["classes"]["credentials"]) == ("never", "redact")
    turn = {"user_input": "Tea is fine. Write to ana.k@example.org then."}
    page_id = (await http.post(f"{base}/turns", json=turn)).json()["page_id"]
    kept = (await http.get(f"{base}/turns/{page_id}")).json()
    assert kept["user_input"].startswith("Tea is fine. ██")
    assert "ana.k" not in kept["user_input"]
    assert (kept["remember"], kept["sensitive"], kept["quarantined"]) == ("never_long_term", [], [])
    wrong = await http.put(f"{base}/policy", json={"classes": {"contact": "perhaps"}})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "classes.contact")
