"""The scripted model keeps the protocol, whatever client asks, and does what its scenario says."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import httpx
import pytest

from memoryos_graph.demo.scenario import Hold, Reaction, error, says
from memoryos_graph.demo.scripted_model import ScriptedModel
from memoryos_graph.errors import ModelError
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.llm.windows import as_data, requests, shown

from ..model_server import Scene, open_endpoint
from .pages import make_page

HELLO: dict[str, Any] = {"model": "scripted", "messages": [{"role": "user", "content": "Hello."}]}


async def _post(scene: Scene, path: str, body: Any) -> httpx.Response:
    async with httpx.AsyncClient(base_url=scene.base_url, timeout=30) as http:
        return await http.post(path, json=body)


async def test_chat_streams_what_it_says(model_server: Scene) -> None:
    async with open_endpoint(model_server.base_url) as endpoint:
        whole = await endpoint.client.chat.completions.create(**HELLO, tools=[])
        stream = await endpoint.client.chat.completions.create(**HELLO, stream=True)
        parts = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(parts) == whole.choices[0].message.content == "This is a scripted answer."
    assert len(parts) > 2
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
    assert [one.kind for one in model_server.scenario.requests()] == ["answer", "answer"]


async def test_models_are_listed(model_server: Scene) -> None:
    async with open_endpoint(model_server.base_url) as endpoint:
        names = [model.id async for model in endpoint.client.models.list()]
    assert names == ["scripted", "scripted-embedding"]


@pytest.mark.parametrize("body", [[], "x", {"messages": 7}, {"messages": [7]}, {}])
async def test_odd_bodies_break_nothing(model_server: Scene, body: Any) -> None:
    for path in ("/chat/completions", "/embeddings"):
        answer = await _post(model_server, path, body)
        assert answer.status_code in (200, 400)


async def test_errors_have_the_shape_of_the_protocol(model_server: Scene) -> None:
    model_server.scenario.when(error(429, "slow down", param="n", retry_after="7"))
    answer = await _post(model_server, "/chat/completions", HELLO)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.json()["error"]["message"] == "slow down"


async def test_rules_are_limited_by_kind_text_and_times(model_server: Scene) -> None:
    scenario = model_server.scenario
    scenario.when(error(500), kind="embeddings")
    scenario.when(says("for ana"), only="ana\n", times=1)
    ana = {"model": "m", "messages": [{"role": "user", "content": "ana\n"}]}
    said = [(await _post(model_server, "/chat/completions", body)).json() for body in (HELLO, ana, ana)]
    assert [one["choices"][0]["message"]["content"] == "for ana" for one in said] == [False, True, False]
    assert (await _post(model_server, "/embeddings", {"input": "x"})).status_code == 500
    assert scenario.count("answer", containing="ana\n") == 2
    assert scenario.count("embeddings") == 1
    scenario.clear()
    assert (await _post(model_server, "/embeddings", {"input": "x"})).status_code == 200
    assert scenario.count() == 1


async def test_one_call_in_so_many_fails_by_its_seed(model_process: ScriptedModel) -> None:
    async def run(seed: int) -> list[int]:
        scene = model_process.scene()
        scene.scenario.when(error(500), one_in=5, seed=seed)
        return [(await _post(scene, "/chat/completions", HELLO)).status_code for _ in range(30)]

    first, same, other = await run(1), await run(1), await run(2)
    assert first == same != other
    assert 0 < first.count(500) < 15


async def test_scenes_are_apart(model_process: ScriptedModel) -> None:
    one, other = model_process.scene(), model_process.scene()
    one.scenario.when(error(500))
    assert (await _post(one, "/chat/completions", HELLO)).status_code == 500
    assert (await _post(other, "/chat/completions", HELLO)).status_code == 200
    assert (one.scenario.count(), other.scenario.count()) == (1, 1)
    nowhere = Scene(one.base_url.replace("/scene-", "/no-scene-"), one.scenario)
    assert (await _post(nowhere, "/chat/completions", HELLO)).status_code == 404


async def test_a_held_request_waits_for_the_test(model_server: Scene) -> None:
    hold = Hold()
    model_server.scenario.when(Reaction(hold=hold))
    job = asyncio.ensure_future(_post(model_server, "/chat/completions", HELLO))
    await asyncio.to_thread(hold.arrived.wait)
    assert not job.done()
    hold.let_go()
    assert (await job).status_code == 200


async def test_the_words_of_pages_are_found_in_requests_as_they_were_written(
    model_provider: OpenAIProvider, model_server: Scene
) -> None:
    model_server.scenario.when(error(401), only='she said "no"\nand left')
    with pytest.raises(ModelError):
        await model_provider.propose_claims([make_page(1, 'Then she said "no"\nand left.')])
    await model_provider.propose_claims([make_page(1, "Then she left.")])


def test_a_long_page_is_shown_whole_and_cut_at_spaces() -> None:
    text = " ".join(f"word{n}" for n in range(5000))
    entries = shown([make_page(1, text, "short"), make_page(2, "x", "y")], 4000)
    assert [entry.number for entry in entries] == [1] * (len(entries) - 1) + [2]
    assert [entry.part for entry in entries[:-1]] == list(range(1, len(entries)))
    pieces = [side for entry in entries[:-1] for speaker, side in entry.sides if speaker == "user"]
    assert {word for piece in pieces for word in piece.split()} >= set(text.split())
    asked = requests(entries, 4000)
    assert [entry for part in asked for entry in part] == entries
    assert all(sum(entry.tokens for entry in part) <= 4000 for part in asked)
    assert '"parts": ' in as_data(asked[0])


def test_it_runs_without_torch_and_without_the_database() -> None:
    program = (
        "import sys, memoryos_graph.demo.scripted_model; "
        "print([m for m in ('torch', 'sentence_transformers', 'neo4j', 'openai') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(ran.stdout.replace("'", '"')) == []
