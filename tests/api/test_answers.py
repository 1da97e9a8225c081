"""Context and answers over HTTP, whole and as a stream."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService
from memoryos_graph.demo.scenario import Reaction, error
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..model_server import Scene
from .conftest import client_of

QUESTION = {"query": "What am I allergic to?"}
NUTS = {"user_input": "I am allergic to hazelnuts.", "assistant_response": "I will keep that in mind."}
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
async def told(http: httpx.AsyncClient, base: str) -> str:
    """The path of a user who has said something."""
    await http.post(f"{base}/turns", json=NUTS)
    await http.post(f"{base}/maintenance", json={"run": "index"})
    return base


@pytest.fixture
async def modelled(service: MemoryService, model_provider: OpenAIProvider) -> Any:
    ctx = replace(service.ctx, provider=model_provider)
    async with client_of(MemoryService(ctx, Worker(ctx))) as client:
        yield client


def events(response: httpx.Response) -> list[tuple[str, Any]]:
    """The events of a stream."""
    assert response.headers["content-type"].startswith("text/event-stream")
    blocks = response.text.strip().split("\n\n")
    split = [block.split("\n") for block in blocks]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in split]


async def test_an_answer_is_given_stored_and_shown_again(http: httpx.AsyncClient, told: str) -> None:
    key = {"Idempotency-Key": "k1"}
    answer = await http.post(f"{told}/answer", json=QUESTION | {"metadata": {"a": 1}}, headers=key)
    assert answer.status_code == 200
    body = answer.json()
    assert body["citations"][0]["quote"] == "I am allergic to hazelnuts."
    assert (body["extractive"], body["abstained"]) == (True, False)
    shown = await http.get(f"{told}/answers/{body['answer_id']}")
    assert shown.json() == body
    again = await http.post(f"{told}/answer", json=QUESTION | {"metadata": {"a": 1}}, headers=key)
    assert again.json() == body
    turn = (await http.get(f"{told}/turns/{body['page_id']}")).json()
    assert (turn["user_input"], turn["assistant_response"]) == (QUESTION["query"], body["text"])
    other = await http.post(f"{told}/answer", json={"query": "Another?"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    assert (await http.get(f"{told}/answers/nothing")).status_code == 404


async def test_a_context_is_the_prompt_without_a_model(http: httpx.AsyncClient, told: str) -> None:
    body = (await http.post(f"{told}/context", json=QUESTION | {"budget_tokens": 500})).json()
    assert body["recent"][0]["tier"] == "stm"
    assert body["tokens"]["budget"] == 500
    assert "hazelnuts" in body["text"]
    assert len((await http.get(f"{told}/turns")).json()["items"]) == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "x", "budget_tokens": 10}, "budget_tokens"),
        ({"query": "x", "as_of": "2026-01-01T00:00:00"}, "as_of"),
        ({"query": "x", "style_hint": "x" * 2001}, "style_hint"),
        ({"query": "x", "stream": True}, "stream"),
    ],
)
async def test_bad_questions_are_refused_by_field(http: httpx.AsyncClient, base: str, given: Any, field: str) -> None:
    refused = await http.post(f"{base}/answer", json=given)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == field


async def test_a_stream_gives_pieces_then_the_whole(modelled: httpx.AsyncClient, told: str) -> None:
    response = await modelled.post(f"{told}/answer", json=QUESTION, headers=STREAM)
    told_events = events(response)
    assert [name for name, _ in told_events[:-1]] == ["text"] * (len(told_events) - 1)
    assert len(told_events) > 2
    name, whole = told_events[-1]
    assert name == "answer"
    assert "".join(data["text"] for _, data in told_events[:-1]) == whole["text"]
    assert (await modelled.get(f"{told}/answers/{whole['answer_id']}")).json() == whole


async def test_case_u03_an_outage_is_a_502_and_the_question_stays(
    modelled: httpx.AsyncClient, told: str, model_server: Scene
) -> None:
    model_server.scenario.when(error(500, "CANARY-77 out of memory"))
    for headers in ({}, STREAM):
        failed = await modelled.post(f"{told}/answer", json=QUESTION, headers=headers)
        assert (failed.status_code, failed.json()["code"]) == (502, "model_server_error")
        assert "CANARY" not in failed.text
    turns = (await modelled.get(f"{told}/turns")).json()["items"]
    assert [turn["assistant_response"] for turn in turns[:2]] == ["", ""]
    assert [turn["user_input"] for turn in turns[:2]] == [QUESTION["query"]] * 2
    assert "CANARY" not in json.dumps(turns)


async def test_a_stream_that_breaks_off_ends_with_a_problem(
    modelled: httpx.AsyncClient, told: str, model_server: Scene
) -> None:
    model_server.scenario.when(Reaction(break_after=1))
    (first, _), (last, problem) = events(await modelled.post(f"{told}/answer", json=QUESTION, headers=STREAM))
    assert (first, last) == ("text", "error")
    assert (problem["status"], problem["code"]) == (502, "model_timeout")
    assert (await modelled.get(f"{told}/turns")).json()["items"][0]["assistant_response"] == ""
