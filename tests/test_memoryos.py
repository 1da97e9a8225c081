"""The drop-in `Memoryos`: what users of the published package do with it works as it did."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import Memoryos, MemoryService, Settings
from memoryos_graph.demo.scenario import edited, error
from memoryos_graph.errors import InvalidInput, ModelError, SetupError
from memoryos_graph.memoryos import close_all

from .graph import assert_invariants
from .model_server import Scene

# as in the published package, in its order
PARAMETERS = [
    "user_id",
    "openai_api_key",
    "data_storage_path",
    "openai_base_url",
    "assistant_id",
    "short_term_capacity",
    "mid_term_capacity",
    "long_term_knowledge_capacity",
    "retrieval_queue_capacity",
    "mid_term_heat_threshold",
    "mid_term_similarity_threshold",
    "llm_model",
    "embedding_model_name",
    "embedding_model_kwargs",
]
THINGS = ["tea", "jazz", "chess", "rugby", "opera", "sushi"]

Made = Callable[..., Memoryos]


@pytest.fixture
def make(
    settings: Settings, data_dir: Path, user_id: str, model_server: Scene, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Made]:
    """`make(**parameters)` as published code would, on the server of the run; vectors from the scripted server."""
    assert settings.neo4j_uri is not None
    assert settings.neo4j_password is not None
    monkeypatch.setenv("NEO4J_URI", settings.neo4j_uri)
    monkeypatch.setenv("NEO4J_PASSWORD", settings.neo4j_password.get_secret_value())
    monkeypatch.setenv("MEMORYOS_EMBEDDING_BASE_URL", model_server.base_url)

    def made(**over: Any) -> Memoryos:
        given: dict[str, Any] = {"user_id": user_id, "openai_api_key": "", "data_storage_path": str(data_dir)}
        return Memoryos(**(given | over))

    yield made
    close_all()


def _talk(memory: Memoryos, *things: str) -> None:
    for thing in things:
        memory.add_memory(user_input=f"I love {thing}.", agent_response=f"Tell me more about {thing}!")


def test_the_constructor_is_the_published_one() -> None:
    parameters = inspect.signature(Memoryos).parameters
    assert list(parameters)[:14] == PARAMETERS
    assert [parameters[name].default for name in PARAMETERS[3:]] == [
        None,
        "default_assistant_profile",
        10,
        2000,
        100,
        7,
        5.0,
        0.6,
        "gpt-4o-mini",
        "all-MiniLM-L6-v2",
        None,
    ]


async def test_history_profile_and_knowledge_work_as_before_and_can_be_asked_why(
    make: Made, opened: MemoryService, user_id: str
) -> None:
    """In a running loop, as in a notebook's cell."""
    memory = make(timezone="Asia/Tokyo", short_term_capacity=4)
    assert memory.get_user_profile_summary() == "None"
    memory.add_memory("I love tea.", "Good.", timestamp="2024-03-01 09:00:00", meta_data={"mood": "calm"})
    memory.add_memory("I love jazz.", "Nice.", timestamp=datetime(2024, 3, 1, 10, tzinfo=UTC))
    assert memory.get_memory_stats() == {
        "user_id": user_id,
        "short_term_count": 2,
        "mid_term_sessions_count": 0,
        "has_user_profile": False,
        "assistant_knowledge_count": 0,
    }
    memory.force_mid_term_analysis()
    stats = memory.get_memory_stats()
    assert stats["mid_term_sessions_count"] >= 1
    assert stats["has_user_profile"]
    assert "The user likes tea." in memory.get_user_profile_summary()
    assert memory.get_assistant_knowledge_summary() == []
    fact = next(fact for fact in memory.facts() if "tea" in fact.text)
    why = memory.why(fact.fact_id)
    assert [page.source.quote for page in why.pages] == ["I love tea"]
    assert any("jazz" in hit.text for hit in memory.search("jazz").hits)
    turns = (await opened.user(user_id).turns()).items
    assert [turn.event_time for turn in turns] == [
        datetime(2024, 3, 1, 10, tzinfo=UTC),
        datetime(2024, 3, 1, 0, tzinfo=UTC),
    ]
    assert turns[1].metadata == {"mood": "calm"}
    assert user_id in repr(memory)
    for wrong in ({"timestamp": "yesterday"}, {"meta_data": "x"}):
        with pytest.raises(InvalidInput, match=next(iter(wrong)).replace("meta_data", "metadata")):
            memory.add_memory("a", "b", **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="timezone"):
        make(timezone="Mars/Olympus")


async def test_capacities_and_thresholds_are_those_of_each_instance(
    make: Made, opened: MemoryService, user_id: str
) -> None:
    """Several instances of different parameters in one process, each with a user of its own."""
    small = make(
        user_id=f"{user_id}-small",
        short_term_capacity=1,
        mid_term_capacity=1,
        long_term_knowledge_capacity=2,
        retrieval_queue_capacity=1,
        mid_term_heat_threshold=0.1,
        mid_term_similarity_threshold=2,
    )
    large = make(user_id=f"{user_id}-large", short_term_capacity=3, mid_term_heat_threshold=1000)
    joined = make(user_id=f"{user_id}-joined", short_term_capacity=1, mid_term_similarity_threshold=0.01)
    for memory in (small, large, joined):
        _talk(memory, *THINGS)
    stats = small.get_memory_stats()
    assert stats["short_term_count"] == 1
    assert stats["mid_term_sessions_count"] == 1  # of as many as there are topics
    assert len(small.facts()) == 2
    assert len(small.facts(status="archived")) > 0
    assert len(small.search("I love something").hits) == 1
    stats = large.get_memory_stats()
    assert 1 <= stats["short_term_count"] <= 3
    assert not stats["has_user_profile"]  # nothing is that hot
    assert len(large.search("I love something", kinds=["page"]).hits) > 1
    segments = {m.user_id: (await opened.user(m.user_id).stats()).segments for m in (small, joined)}
    assert segments[small.user_id] > segments[joined.user_id]
    assert {turn.user_input for turn in (await opened.user(large.user_id).turns()).items} == {
        f"I love {thing}." for thing in THINGS
    }
    await assert_invariants(opened, small.user_id)


def test_key_url_and_model_choose_who_reads(make: Made, model_server: Scene, user_id: str) -> None:
    offline = make(short_term_capacity=1)
    _talk(offline, "tea", "jazz")
    assert model_server.scenario.count("read_batch") == 0
    asking = make(openai_api_key="sk-one", openai_base_url=model_server.base_url, short_term_capacity=1, llm_model="m7")
    _talk(asking, "chess")
    (request,) = model_server.scenario.requests("read_batch")
    assert request.body["model"] == "m7"
    model_server.scenario.when(error(500), kind="read_batch")
    _talk(asking, "rugby")  # the model fails: the turn is kept, and its work is due
    model_server.scenario.clear()
    asking.force_mid_term_analysis()
    assert {f"The user likes {thing}." for thing in ("tea", "jazz", "chess", "rugby")} <= {
        fact.text for fact in asking.facts()
    }


def test_answers_follow_what_they_are_told_and_are_remembered(make: Made, model_server: Scene) -> None:
    memory = make(
        openai_api_key="sk-one", openai_base_url=model_server.base_url, llm_model="m8", retrieval_queue_capacity=2
    )
    _talk(memory, "tea", "jazz", "chess")
    said = memory.get_response("Do I love chess?", "coach", "short", {"place": "kitchen"})
    assert "chess" in said
    assert "coach" in said
    assert "style: short" in said
    assert "[" not in said  # the markers of citations
    (request,) = model_server.scenario.requests("answer")
    assert request.body["model"] == "m8"
    assert "kitchen" in request.text
    assert memory.get_memory_stats()["short_term_count"] == 4
    turn = memory.search("Do I love chess?", kinds=["page"]).hits[0]
    assert "Do I love chess?" in turn.text
    assert said.split()[-1] in turn.text
    model_server.scenario.when(error(400), kind="answer")
    with pytest.raises(ModelError):
        memory.get_response("Do I love jazz?")
    assert make().get_response("Do I love tea?")  # the rules answer, too
    with pytest.raises(InvalidInput, match="retrieval_queue_capacity"):
        make(retrieval_queue_capacity=0)


def test_each_instance_has_its_user_assistant_and_embedding(make: Made, model_server: Scene, user_id: str) -> None:
    butler = make(
        assistant_id="butler",
        openai_api_key="sk-one",
        openai_base_url=model_server.base_url,
        embedding_model_kwargs={"user": "of-this-test"},
    )
    model_server.scenario.when(edited(_with_recommendation), kind="propose_claims")
    butler.add_memory("Which book shall I read?", "I recommend Emma.", timestamp="2024-03-01 09:00:00")
    butler.force_mid_term_analysis()
    (known,) = butler.get_assistant_knowledge_summary()
    assert known["knowledge"] == "The assistant recommended Emma."
    assert [page.source.quote for page in butler.why(known["fact_id"]).pages] == ["I recommend Emma"]
    assert butler.get_memory_stats()["assistant_knowledge_count"] == 1
    assert make(assistant_id="driver").get_assistant_knowledge_summary() == []
    assert make(user_id=f"{user_id}-other", assistant_id="butler").get_assistant_knowledge_summary() == []
    assert {one.body.get("user") for one in model_server.scenario.requests("embeddings")} == {"of-this-test"}
    with pytest.raises(SetupError, match=r"all-MiniLM-L6-v2.*other-model.*reembed"):
        make(embedding_model_name="other-model")


def _with_recommendation(reply: str) -> str:
    claim = {
        "page": 1,
        "speaker": "assistant",
        "quote": "I recommend Emma",
        "kind": "assistant_knowledge",
        "subject": "assistant",
        "predicate": "recommended",
        "object": "Emma",
        "text": "The assistant recommended Emma.",
        "stance": "states",
        "replaces": "",
        "valid_from": "",
        "valid_to": "",
        "confidence": 0.9,
        "sensitivity": "none",
        "reason": "",
        "more": [],
    }
    return json.dumps({"claims": [*json.loads(reply)["claims"], claim]})


def test_kwargs_of_the_packaged_model_count(make: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYOS_EMBEDDING_BASE_URL")
    with pytest.raises(SetupError, match=r"384.*128.*reembed"):
        make(embedding_model_kwargs={"truncate_dim": 128})
    with pytest.raises(SetupError, match="embedding_options: nonsense"):
        make(embedding_model_kwargs={"nonsense": 1})


def test_threads_share_one_memory(make: Made, user_id: str) -> None:
    memory, failed = make(short_term_capacity=2), []

    def talk(name: str) -> None:
        try:
            _talk(memory, *(f"{name} {thing}" for thing in THINGS[:3]))
        except Exception as exc:
            failed.append(exc)

    threads = [threading.Thread(target=talk, args=(name,)) for name in ("hot", "cold", "old")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert memory.get_memory_stats()["short_term_count"] <= 2
    assert sum(hit.kind == "page" for hit in memory.search("I love", top_k=20).hits) == 9


QUICKSTART = """
import os
from memoryos_graph import Memoryos

USER_ID = "demo_user"
ASSISTANT_ID = "demo_assistant"
API_KEY = "sk-scripted"
BASE_URL = os.environ["MODEL_URL"]
DATA_STORAGE_PATH = "./simple_demo_data"
LLM_MODEL = "gpt-4o-mini"


def simple_demo():
    memo = Memoryos(
        user_id=USER_ID,
        openai_api_key=API_KEY,
        openai_base_url=BASE_URL,
        data_storage_path=DATA_STORAGE_PATH,
        llm_model=LLM_MODEL,
        assistant_id=ASSISTANT_ID,
        short_term_capacity=7,
        mid_term_heat_threshold=5,
        retrieval_queue_capacity=7,
        long_term_knowledge_capacity=100,
        embedding_model_name="BAAI/bge-m3",
    )
    memo.add_memory(
        user_input="Hi! I'm Tom, I work as a data scientist in San Francisco.",
        agent_response="Hello Tom! Nice to meet you. What kind of data do you work with?",
    )
    print(memo.get_response(query="What do you remember about my job?"))
    print(
        memo.get_response(
            query="Where do I work?",
            relationship_with_user="friend",
            style_hint="brief",
            user_conversation_meta_data={"channel": "demo"},
        )
    )
    memo.force_mid_term_analysis()
    print(memo.get_user_profile_summary())
    print(memo.get_assistant_knowledge_summary())
    print(memo.get_memory_stats())
    return memo


if __name__ == "__main__":
    memo = simple_demo()
    child = os.fork()  # what users of web servers and data loaders do without seeing it
    if child == 0:
        memo.add_memory("I love tea.", "So do I!")
    else:
        assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.timeout(600)  # it starts a Neo4j, and two processes with two forks
async def test_the_quickstart_runs_in_two_processes_on_one_folder(tmp_path: Path, model_server: Scene) -> None:
    """Each forks, too; the managed database is in the folder, and nobody warns, also not at exit."""
    (tmp_path / "quickstart.py").write_text(QUICKSTART)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORYOS_", "NEO4J_", "OPENAI_"))}
    env = kept | {
        "MODEL_URL": model_server.base_url,
        "MEMORYOS_EMBEDDING_BASE_URL": model_server.base_url,
        "PYTHONWARNINGS": "default",
    }
    if "MEMORYOS_JARS_DIR" in os.environ:
        env["MEMORYOS_JARS_DIR"] = os.environ["MEMORYOS_JARS_DIR"]
    pipe = asyncio.subprocess.PIPE
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "quickstart.py", cwd=tmp_path, env=env, stdout=pipe, stderr=pipe
        )
        for _ in range(2)
    ]
    outputs = [await process.communicate() for process in started]
    assert [(p.returncode, err) for p, (_, err) in zip(started, outputs, strict=True)] == [(0, b"")] * 2
    assert all(b"data scientist" in out for out, _ in outputs)
    assert list((tmp_path / "simple_demo_data").glob("neo4j-*"))
    folder = tmp_path / "simple_demo_data"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORYOS_EMBEDDING_BASE_URL", model_server.base_url)
        memo = Memoryos("demo_user", "", str(folder), embedding_model_name="BAAI/bge-m3")
        try:
            assert sum(hit.kind == "page" for hit in memo.search("I", top_k=20).hits) == 8
        finally:
            close_all()
