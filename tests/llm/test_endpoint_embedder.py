"""Vectors from an OpenAI-compatible server; requests are counted there."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from memoryos_graph import Settings, load_settings
from memoryos_graph.bootstrap import open_context
from memoryos_graph.demo.scenario import Reaction, error
from memoryos_graph.errors import ModelError, ModelReplyInvalid
from memoryos_graph.llm.embedder import SentenceTransformerEmbedder
from memoryos_graph.llm.endpoint_embedder import EndpointEmbedder
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.llm.rules import RulesProvider
from memoryos_graph.service import MemoryService

from ..model_server import Scene, open_endpoint


@pytest.fixture
async def embedder(model_server: Scene) -> AsyncIterator[EndpointEmbedder]:
    async with open_endpoint(model_server.base_url) as endpoint:
        yield EndpointEmbedder(endpoint, "scripted-embedding", 384)


async def test_one_request_gives_unit_vectors_in_order(embedder: EndpointEmbedder, model_server: Scene) -> None:
    texts = ["I moved to Bergen", "我的猫叫年糕", "", "I moved to Bergen again"]
    vectors = await embedder.embed(texts, "document")
    assert [len(vector) for vector in vectors] == [384] * 4
    assert all(math.isclose(sum(x * x for x in vector), 1) for vector in vectors)
    near = [sum(a * b for a, b in zip(vectors[0], other, strict=True)) for other in vectors]
    assert near[0] > near[3] > near[1]
    assert await embedder.embed([], "query") == []
    assert model_server.scenario.count("embeddings") == model_server.scenario.count() == 1


async def test_many_texts_make_few_requests(embedder: EndpointEmbedder, model_server: Scene) -> None:
    vectors = await embedder.embed([f"text {n}" for n in range(300)], "document")
    assert vectors[299] == (await embedder.embed(["text 299"], "query"))[0]
    assert model_server.scenario.count() == 3


def _data(*rows: Any) -> Reaction:
    return Reaction(raw=json.dumps({"object": "list", "data": list(rows)}))


@pytest.mark.parametrize(
    ("reaction", "code"),
    [
        (_data(), "model_reply_invalid"),
        (_data({"index": 0, "embedding": [1.0] * 8}), "embedding_dimension"),
        (_data({"index": 0, "embedding": [0.0] * 384}), "model_reply_invalid"),
        (_data({"index": 0, "embedding": ["x"] * 384}), "model_reply_invalid"),
        (_data({"index": 0}), "model_reply_invalid"),
        (Reaction(raw='{"index": 0, "data": [{"embedding": [NaN]}]}'), "model_reply_invalid"),
        (Reaction(raw="[]"), "model_reply_invalid"),
        (error(400), "model_bad_request"),
        (error(401), "model_key_refused"),
        (error(500), "model_server_error"),
    ],
)
async def test_what_is_no_vector_is_a_typed_error(
    embedder: EndpointEmbedder, model_server: Scene, reaction: Reaction, code: str
) -> None:
    model_server.scenario.when(reaction)
    with pytest.raises(ModelError) as failed:
        await embedder.embed(["CANARY-78"], "query")
    assert failed.value.code == code
    assert "CANARY" not in repr(failed.value)


async def test_a_wrong_length_names_both_numbers_and_the_setting(model_server: Scene) -> None:
    async with open_endpoint(model_server.base_url) as endpoint:
        with pytest.raises(ModelReplyInvalid, match=r"384 numbers, not 512 \(setting embedding_dimension"):
            await EndpointEmbedder(endpoint, "scripted-embedding", 512).embed(["x"], "query")


async def test_case_n6_a_configured_embedder_is_used_everywhere(
    settings: Settings, model_server: Scene, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step and a search; the packaged model is never loaded."""
    loaded: list[str] = []
    monkeypatch.setattr("memoryos_graph.llm.embedder._load_sentence_transformer", lambda name, _: loaded.append(name))
    chosen = settings.model_copy(update={"embedding_base_url": model_server.base_url})
    async with MemoryService.open(chosen, worker=False) as service:
        memory = service.user(user_id)
        await memory.remember({"user_input": "I moved to Bergen.", "assistant_response": "Nice."})
        await memory.maintain("all", force=True)
        hits = (await memory.search("Where do I live?")).hits
    assert hits
    assert loaded == []
    assert model_server.scenario.count("embeddings") >= 3
    assert model_server.scenario.count() == model_server.scenario.count("embeddings")


async def test_only_the_setting_switches_the_provider(
    settings: Settings, model_server: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.base_url)
    found = load_settings(
        data_dir=settings.data_dir, neo4j_uri=settings.neo4j_uri, neo4j_password=_password(settings), llm_model="m"
    )
    async with open_context(found) as ctx:
        assert isinstance(ctx.provider, RulesProvider)
        assert isinstance(ctx.embedder, SentenceTransformerEmbedder)
    async with open_context(found.model_copy(update={"llm": "model"})) as ctx:
        assert isinstance(ctx.provider, OpenAIProvider)
    assert model_server.scenario.count() == 0


def _password(settings: Settings) -> str:
    assert settings.neo4j_password is not None
    return settings.neo4j_password.get_secret_value()


async def test_case_u44_parallel_first_requests_load_the_packaged_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    class Model:
        default_prompt_name = "query"  # then a single text takes the usual way

        def encode(self, texts: list[str], **_: Any) -> Any:
            import numpy

            return numpy.ones((len(texts), 384), dtype="float32")

    def load(name: str, options: Mapping[str, Any]) -> Model:
        loads.append(name)
        return Model()

    monkeypatch.setattr("memoryos_graph.llm.embedder._load_sentence_transformer", load)
    embedders = [SentenceTransformerEmbedder("model-of-this-test") for _ in range(2)]  # as of two open services
    await asyncio.gather(*(embedders[n % 2].embed([f"text {n}"], "query") for n in range(8)))
    assert loads == ["model-of-this-test"]
    assert [embedder.dimension for embedder in embedders] == [384, 384]  # as the first vector tells
