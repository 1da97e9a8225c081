"""Another embedding model (cases N4, U36): on a database of this file's own, since it concerns all users."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from memoryos_graph import MemoryService, Settings, UserMemory, load_settings
from memoryos_graph.errors import ModelChanged, ModelUnavailable, SetupError
from memoryos_graph.pipeline import reembedding
from memoryos_graph.store import managed
from memoryos_graph.store.cypher_files import Line

from ..conftest import FakeEmbedder
from ..graph import ask, assert_invariants
from ..model_server import Scene
from ..processes import without_torch

pytestmark = pytest.mark.engine


class Short(FakeEmbedder):
    """Another model: vectors of 96 numbers."""

    model_id = "short"
    dimension = 96

    def _vector(self, text: str) -> list[float]:
        long = super()._vector(text)
        folded = [sum(long[i::96]) for i in range(96)]
        norm = sum(x * x for x in folded) ** 0.5 or 1.0
        return [x / norm for x in folded]


class Meanwhile(Short):
    """Lets something happen before the nth call is answered."""

    def __init__(self, nth: int, happens: Any) -> None:
        super().__init__()
        self._nth = nth
        self._happens = happens

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        if len(self.calls) + 1 == self._nth and self._happens is not None:
            happens, self._happens = self._happens, None
            await happens()
        return await super().embed(texts, kind)


@pytest.fixture(scope="module")
async def own(line: Line, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Settings]:
    folder = tmp_path_factory.mktemp("reembed")
    server = await managed.acquire(folder, line=line)
    yield load_settings(
        data_dir=folder,
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=server.password,
        short_term_capacity=2,
        migration_batch=2,
        promotion_min_pages=1,
        heat_threshold=0.1,
    )
    server.lease.release()
    await asyncio.to_thread(managed.stop, folder, line=line)


@pytest.fixture
async def empty(own: Settings) -> AsyncIterator[Settings]:
    """The database without anything but its schema, of the model all-MiniLM-L6-v2."""
    async with MemoryService.open(own, worker=False, embedder=FakeEmbedder()) as service:
        await ask(service, "MATCH (n) WHERE NOT n:Meta DETACH DELETE n")
    yield own
    async with _any_model(own) as service:
        await ask(service, "MATCH (n) WHERE NOT n:Meta DETACH DELETE n")
        await ask(service, "MATCH (m:Meta) SET m.reembed = null, m.next_model = null")
    await MemoryService.reembed(own, embedder=FakeEmbedder())


def _any_model(settings: Settings) -> Any:
    from contextlib import asynccontextmanager

    from memoryos_graph.bootstrap import open_context
    from memoryos_graph.scheduler.worker import Worker

    @asynccontextmanager
    async def opened() -> AsyncIterator[MemoryService]:
        async with open_context(settings, embedder=FakeEmbedder(), any_model=True) as ctx:
            yield MemoryService(ctx, Worker(ctx))

    return opened()


def _turns(first: int, n: int) -> list[dict[str, Any]]:
    return [{"user_input": f"I like topic{i}.", "assistant_response": f"Noted {i}"} for i in range(first, first + n)]


async def _filled(memory: UserMemory, n: int = 6, run: str = "all") -> None:
    await memory.remember(_turns(0, n))
    await memory.maintain(run)


async def _vectors(service: MemoryService, user_id: str) -> dict[str, set[int]]:
    """Lengths of all vectors of a user, by property."""
    rows = await ask(
        service,
        """MATCH (n:Page|Fact|Segment {user_id: $user_id}) UNWIND ['embedding', 'embedding_b'] AS key
           WITH key, n[key] AS vector WHERE vector IS NOT NULL RETURN key, collect(DISTINCT size(vector)) AS lengths""",
        user_id=user_id,
    )
    return {row["key"]: set(row["lengths"]) for row in rows}


async def _runs(memory: UserMemory) -> list[tuple[str, str | None, dict[str, int]]]:
    return [(run.state, run.error_code, run.counts) for run in (await memory.runs()).items if run.kind == "reembed"]


async def test_cases_n4_u36_vectors_of_another_length_take_the_place_of_the_old_ones(
    empty: Settings, user_id: str
) -> None:
    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as old:
        await _filled(old.user(user_id))
        before = await old.user(user_id).search("topic3")
        facts = (await old.user(user_id).facts()).items
    with pytest.raises(SetupError, match=r"384.*96.*`memoryos reembed`"):
        async with MemoryService.open(empty, worker=False, embedder=Short()):
            pass

    short, told = Short(), []
    result = await MemoryService.reembed(empty, embedder=short, on_vectors=lambda *done: told.append(done))
    assert (result.model_before, result.model, result.dimension) == ("all-MiniLM-L6-v2", "short", 96)
    assert result.vectors["pages"] == 6
    assert result.vectors["facts"] == len(facts) > 0
    assert result.vectors["segments"] > 0
    assert told[-1] == (sum(result.vectors.values()),) * 2
    assert len(short.calls) == 1
    assert len(short.calls[0]) == sum(result.vectors.values())
    assert "Noted 2\nI like topic3.\nNoted 3" in short.calls[0]  # as a page is indexed

    async with MemoryService.open(empty, worker=False, embedder=Short()) as new:
        memory = new.user(user_id)
        after = await memory.search("topic3")
        assert not after.degraded
        assert after.hits[0].id == before.hits[0].id
        assert await _vectors(new, user_id) == {"embedding_b": {96}}
        assert await _runs(memory) == [("done", None, result.vectors)]
        await memory.remember(_turns(6, 4))
        await memory.maintain("all")
        assert (await memory.search("topic8", kinds=["page"])).hits[0].text.startswith("I like topic8")
        assert await _vectors(new, user_id) == {"embedding_b": {96}}
        assert (await new.readiness()).parts["embedder"].ok
        await assert_invariants(new, user_id)
        names = [row["name"] for row in await ask(new, "SHOW INDEXES YIELD name, type WHERE type = 'VECTOR'")]
        assert sorted(names) == ["fact_embedding_b", "page_embedding_b", "passage_embedding_b"]
    with pytest.raises(SetupError, match=r"96.*384"):
        async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()):
            pass
    again = Short()
    assert not any((await MemoryService.reembed(empty, embedder=again)).vectors.values())
    assert again.calls == []
    assert (await MemoryService.reembed(empty, embedder=FakeEmbedder())).vectors["pages"] == 10
    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as back:
        assert await _vectors(back, user_id) == {"embedding": {384}}


async def test_search_goes_on_meanwhile_and_what_comes_meanwhile_is_caught_up_with(
    empty: Settings, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 4)
    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as old:
        memory = old.user(user_id)
        await _filled(memory)

        async def life_goes_on() -> None:
            await memory.remember(_turns(6, 4))
            await memory.maintain("all")
            found = await memory.search("topic8", kinds=["page"])
            assert found.hits[0].text.startswith("I like topic8")
            assert not found.degraded
            assert (await _vectors(old, user_id)) == {"embedding": {384}, "embedding_b": {96}}

        short = Meanwhile(2, life_goes_on)
        result = await MemoryService.reembed(empty, embedder=short)
        texts = [text for call in short.calls for text in call]
        assert result.vectors["pages"] == 10
        assert sum("I like topic" in text and "Noted" in text for text in texts) >= 10

        with pytest.raises(ModelChanged):  # the old service notices, whatever it does, and is told what to do
            await memory.maintain("all")
        assert "start again" in (await old.readiness()).parts["embedder"].detail
        assert len(await memory.remember(_turns(10, 1))) == 1
        with pytest.raises(SetupError, match="start"):
            await memory.search("topic8")
    async with MemoryService.open(empty, worker=False, embedder=Short()) as new:
        memory = new.user(user_id)
        await memory.maintain("index")
        assert (await memory.search("topic10", kinds=["page"])).hits[0].text.startswith("I like topic10")
        assert await _vectors(new, user_id) == {"embedding_b": {96}}
        missing = await ask(
            new,
            "MATCH (n:Page|Fact|Segment {user_id: $user_id}) WHERE n.embedding_b IS NULL RETURN n.page_id AS id",
            user_id=user_id,
        )
        assert missing == []


async def test_missing_vectors_after_the_swap_are_told_and_then_caught_up_with(empty: Settings, user_id: str) -> None:
    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as old:
        await _filled(old.user(user_id))
        # left by a process that was killed right after the swap, while a writer had not ended
        await ask(
            old,
            """MATCH (m:Meta) SET m.embedding_model = 'short', m.embedding_dimension = 96,
               m.embedding_property = 'embedding_b', m.reembed = 'catching_up'""",
        )
        with pytest.raises(ModelChanged):
            await old.user(user_id).search("topic3")
    async with MemoryService.open(empty, worker=False, embedder=Short()) as new:
        found = await new.user(user_id).search("topic3", kinds=["page"])
        assert found.degraded
        assert found.notes
        assert found.hits[0].text.startswith("I like topic3")
        assert not (await new.readiness()).parts["embedder"].ok
        with pytest.raises(SetupError, match="short"):
            await MemoryService.reembed(empty, embedder=FakeEmbedder())
        assert (await MemoryService.reembed(empty, embedder=Short())).vectors["pages"] == 6
        assert not (await new.user(user_id).search("topic3")).degraded
        assert await _vectors(new, user_id) == {"embedding_b": {96}}


async def test_a_failing_model_stops_it_and_a_third_model_starts_anew(
    empty: Settings, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 4)

    class Third(Short):
        model_id = "third"

    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as old:
        memory = old.user(user_id)
        await _filled(memory)
        failing = Short()

        async def fail() -> None:
            failing.fail_next = 1

        failing = Meanwhile(2, fail)
        with pytest.raises(ModelUnavailable):
            await MemoryService.reembed(empty, embedder=failing)
        assert [state for state, *_ in await _runs(memory)] == ["failed"]
        assert (await memory.search("topic3", kinds=["page"])).hits[0].text.startswith("I like topic3")
        third = Third()
        result = await MemoryService.reembed(empty, embedder=third)
        assert result.vectors["pages"] == 6  # none of the other model's is kept
        assert sum(len(call) for call in third.calls) == sum(result.vectors.values())
        assert await _vectors(old, user_id) == {"embedding_b": {96}}


async def test_it_is_killed_and_goes_on_without_embedding_twice(
    empty: Settings, user_id: str, cli_env: dict[str, str], model_server: Scene
) -> None:
    from memoryos_graph.demo.scenario import Hold, Reaction

    async with MemoryService.open(empty, worker=False, embedder=FakeEmbedder()) as old:
        await _filled(old.user(user_id), 70, "index")
        assert empty.neo4j_uri is not None
        assert empty.neo4j_password is not None
        env = without_torch(cli_env, model_server) | {
            "NEO4J_URI": empty.neo4j_uri,
            "NEO4J_PASSWORD": empty.neo4j_password.get_secret_value(),
            "MEMORYOS_DATA_DIR": str(empty.data_dir),
            "MEMORYOS_EMBEDDING_MODEL": "scripted-embedding",
            "MEMORYOS_EMBEDDING_DIMENSION": "384",  # else each start asks the model, with a text of its own
        }
        scenario, hold = model_server.scenario, Hold()
        scenario.when(Reaction(), kind="embeddings", times=1)
        scenario.when(Reaction(hold=hold), kind="embeddings", times=1)
        process = await _reembed(env)
        assert await asyncio.to_thread(hold.arrived.wait, 60)
        process.kill()
        await process.wait()
        hold.let_go()
        first, cut_off = (len(one.body["input"]) for one in scenario.requests("embeddings"))
        running = [run for run in (await old.user(user_id).runs(state="running")).items if run.kind == "reembed"]
        assert len(running) == 1
        assert not (await old.user(user_id).search("topic3")).degraded
        await ask(old, "MATCH (j:JobLease {job: 'reembed'}) SET j.leased_until = datetime()")  # its 10 s are over
        process = await _reembed(env)
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        assert b"scripted-embedding" in out
        total = (await ask(old, "MATCH (n:Page|Fact|Segment {user_id: $u}) RETURN count(n) AS n", u=user_id))[0]["n"]
        embedded = sum(len(one.body["input"]) for one in scenario.requests("embeddings"))
        assert embedded == total + cut_off
        assert first > 0
        states = [(state, code) for state, code, _ in await _runs(old.user(user_id))]
        assert states == [("done", None), ("failed", "interrupted")]


async def _reembed(env: dict[str, str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "memoryos_graph", "reembed", env=env, stdout=pipe, stderr=pipe
    )


def test_the_folder_is_not_the_one_of_the_run(own: Settings, data_dir: Path) -> None:
    assert own.data_dir != data_dir
