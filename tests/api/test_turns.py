"""POST and GET /turns."""

from __future__ import annotations

import httpx
import pytest

from memoryos_graph import MemoryService
from memoryos_graph.contract import TurnStored

from ..graph import ask
from .conftest import path_of


async def test_one_turn_gives_one_acknowledgement(http: httpx.AsyncClient, base: str) -> None:
    answer = await http.post(f"{base}/turns", json={"user_input": "I moved to Porto.", "assistant_response": "Nice!"})
    assert answer.status_code == 201
    stored = TurnStored.model_validate(answer.json())
    assert (stored.seq, stored.state, stored.created) == (1, "stored", True)
    page = (await http.get(f"{base}/turns/{stored.page_id}")).json()
    assert (page["user_input"], page["assistant_response"]) == ("I moved to Porto.", "Nice!")
    assert (page["facts"], page["segments"], page["chain_id"]) == ([], [], None)


async def test_a_list_keeps_its_order(http: httpx.AsyncClient, base: str) -> None:
    answer = await http.post(f"{base}/turns", json=[{"user_input": str(n)} for n in range(20)])
    assert answer.status_code == 201
    assert [item["seq"] for item in answer.json()["items"]] == list(range(1, 21))


async def test_messages_are_joined_by_role(http: httpx.AsyncClient, base: str) -> None:
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "", "tool_calls": [{"name": "now", "arguments": {}}]},
        {"role": "tool", "content": "noon"},
        {"role": "assistant", "content": "It is noon."},
    ]
    page_id = (await http.post(f"{base}/turns", json={"messages": messages})).json()["page_id"]
    page = (await http.get(f"{base}/turns/{page_id}")).json()
    assert (page["user_input"], page["assistant_response"]) == ("Hello", "It is noon.")


async def test_everything_a_turn_may_carry_comes_back(http: httpx.AsyncClient, base: str) -> None:
    turn = {
        "user_input": "Guten Tag, 李雷 👋🏽",
        "id": "mine/1",
        "conversation_id": "c 1",
        "assistant_id": "helper",
        "event_time": "2024-05-01T10:00:00+02:00",
        "metadata": {"a": [1, 2.5, None, True, {"ü": "x"}], "z": "ok"},
        "tags": ["work", "家"],
        "remember": "session_only",
    }
    page_id = (await http.post(f"{base}/turns", json=turn)).json()["page_id"]
    page = (await http.get(f"{base}/turns/{page_id}")).json()
    given = turn | {"event_time": "2024-05-01T08:00:00Z"}
    assert {name: page[name] for name in given} == given


async def test_list_goes_newest_first_by_cursor(http: httpx.AsyncClient, base: str) -> None:
    await http.post(f"{base}/turns", json=[{"user_input": str(n)} for n in range(5)])
    first = (await http.get(f"{base}/turns?limit=2")).json()
    await http.post(f"{base}/turns", json={"user_input": "later"})
    second = (await http.get(f"{base}/turns", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    last = (await http.get(f"{base}/turns", params={"limit": 2, "cursor": second["next_cursor"]})).json()
    seen = [turn["user_input"] for part in (first, second, last) for turn in part["items"]]
    assert seen == ["4", "3", "2", "1", "0"]
    assert last["next_cursor"] is None


@pytest.mark.parametrize("cursor", ["nonsense", "dDk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk=", "ZmFjdA==", "", "é", "dA=="])
async def test_a_foreign_cursor_is_refused_by_name(http: httpx.AsyncClient, base: str, cursor: str) -> None:
    answer = await http.get(f"{base}/turns", params={"cursor": cursor})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "cursor"


async def test_same_id_and_content_is_the_same_page(http: httpx.AsyncClient, base: str) -> None:
    first = await http.post(f"{base}/turns", json={"id": "a", "user_input": "x"})
    again = await http.post(f"{base}/turns", json={"id": "a", "user_input": "x"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["page_id"] == first.json()["page_id"]
    mixed = await http.post(f"{base}/turns", json=[{"id": "a", "user_input": "x"}, {"id": "b", "user_input": "y"}])
    assert (mixed.status_code, [item["created"] for item in mixed.json()["items"]]) == (201, [False, True])


async def test_other_content_under_an_id_is_a_conflict_and_stores_nothing(http: httpx.AsyncClient, base: str) -> None:
    await http.post(f"{base}/turns", json={"id": "a", "user_input": "my secret words"})
    answer = await http.post(f"{base}/turns", json=[{"user_input": "new"}, {"id": "a", "user_input": "other secret"}])
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert "secret" not in answer.text
    assert len((await http.get(f"{base}/turns")).json()["items"]) == 1


async def test_idempotency_key_with_other_content_is_a_conflict(http: httpx.AsyncClient, base: str) -> None:
    headers = {"Idempotency-Key": "k"}
    assert (await http.post(f"{base}/turns", json={"user_input": "x"}, headers=headers)).status_code == 201
    assert (await http.post(f"{base}/turns", json={"user_input": "y"}, headers=headers)).status_code == 409
    for bad in ("", "k" * 257):
        answer = await http.post(f"{base}/turns", json={"user_input": "x"}, headers={"Idempotency-Key": bad})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


async def test_wait_answers_with_the_state_reached(
    http: httpx.AsyncClient, service: MemoryService, user_id: str
) -> None:
    base = path_of(user_id)
    unindexed = await http.post(f"{base}/turns?wait=indexed&wait_s=0.05", json={"user_input": "x"})
    assert (unindexed.status_code, unindexed.json()["state"]) == (201, "stored")
    await service.user(user_id).maintain("all", force=False)
    answer = await http.post(f"{base}/turns?wait=indexed&wait_s=0.2", json=[{"user_input": "y"}])
    assert answer.json()["items"][0]["state"] == "stored"
    await service.user(user_id).maintain("all", force=False)
    again = await http.post(f"{base}/turns?wait=promoted", json={"id": "i", "user_input": "z"}, params={"wait_s": 0.01})
    assert again.status_code == 201


@pytest.mark.parametrize(
    "query", ["wait=later", "wait_s=0", "wait_s=-1", "wait_s=61", "wait_s=nan", "wait_s=inf", "wait="]
)
async def test_bad_waits_are_refused_by_name(http: httpx.AsyncClient, base: str, query: str) -> None:
    answer = await http.post(f"{base}/turns?{query}", json={"user_input": "x"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == query.split("=")[0]


async def test_more_than_a_thousand_turns_are_refused(
    http: httpx.AsyncClient, service: MemoryService, user_id: str
) -> None:
    turns = [{"user_input": "x"}] * 1001
    answer = await http.post(f"{path_of(user_id)}/turns", json=turns)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "turns"
    assert await ask(service, "MATCH (n {user_id: $user_id}) RETURN n.user_id AS id", user_id=user_id) == []
    assert (await http.post(f"{path_of(user_id)}/turns", json=turns[:1000])).status_code == 201


async def test_adding_takes_two_statements(http: httpx.AsyncClient, service: MemoryService, base: str) -> None:
    await http.post(f"{base}/turns", json={"user_input": "x"})  # also reads that there are no keys
    connection = service.ctx.store.connection
    before = connection.statements
    for n in range(3):
        assert (await http.post(f"{base}/turns", json={"user_input": str(n)})).status_code == 201
    assert connection.statements - before <= 2 * 3 + 1  # at most one look for keys in 1.5 s, however many requests
