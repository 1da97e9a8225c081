"""One real Neo4j for the whole run, a fresh user per test; embedder and clock are ours, the graph is never faked."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import httpx
import hypothesis
import pytest

for name in [n for n in os.environ if n.startswith(("MEMORYOS_", "NEO4J_", "OPENAI_"))]:
    if name != "MEMORYOS_JARS_DIR":
        del os.environ[name]

from memoryos_graph import MemoryService, Settings, UserMemory, load_settings
from memoryos_graph.clock import Clock
from memoryos_graph.demo.scripted_answers import vector
from memoryos_graph.domain.passages import Span, windows
from memoryos_graph.errors import ModelUnavailable
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.store import managed
from memoryos_graph.store.cypher_files import Line
from memoryos_graph.visits import VisitBuffer

hypothesis.settings.register_profile(
    "untimed", deadline=None
)  # how long an example takes says nothing on a busy machine
hypothesis.settings.load_profile("untimed")

if TYPE_CHECKING:  # it imports the client of model servers, which takes a second or two
    from memoryos_graph.llm.openai_provider import OpenAIProvider

    from .model_server import Scene, ScriptedModel


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--neo4j-line", default="2026", choices=["2026", "5"], help="server line the tests run on")


class FakeEmbedder:
    """Word hashes as unit vectors: equal words are near, others are not. Poses as the packaged model, so that the
    database may be shared with processes that use the real one."""

    model_id = "all-MiniLM-L6-v2"
    dimension = 384

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.fail_next = 0
        self.fail_once_on: str | None = None
        self.fail_on: str | None = None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        if self.fail_next:
            self.fail_next -= 1
            raise ModelUnavailable()
        if kind == "document" and self.fail_on is not None and any(self.fail_on in text for text in texts):
            raise ModelUnavailable()
        if self.fail_once_on is not None and any(self.fail_once_on in text for text in texts):
            self.fail_once_on = None
            raise ModelUnavailable()
        if texts:
            self.calls.append(list(texts))
        return [self._vector(text) for text in texts]

    async def windows(self, text: str) -> list[Span]:
        """As a model that reads 60 words."""
        return windows(text, [match.span() for match in re.finditer(r"\S+", text)], 60)

    async def warm_up(self) -> None:
        pass

    @property
    def ready(self) -> bool:
        return True

    def _vector(self, text: str) -> list[float]:
        return vector(text)


class FakeClock(Clock):
    """Time that stands still until a test moves it; ids stay real."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        """Let time pass, such as `move(days=3)`."""
        self.at += timedelta(**by)


@pytest.fixture(scope="session")
def line(request: pytest.FixtureRequest) -> Line:
    return Line(request.config.getoption("--neo4j-line"))


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memoryos-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
async def server(data_dir: Path, line: Line) -> AsyncIterator[managed.ManagedServer]:
    found = await managed.acquire(data_dir, line=line)
    yield found
    found.lease.release()
    await asyncio.to_thread(managed.stop, data_dir, line=line)


@pytest.fixture(scope="session")
def settings(server: managed.ManagedServer, data_dir: Path) -> Settings:
    return load_settings(
        data_dir=data_dir,
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=server.password,
        worker_poll_s=0.2,
    )


@pytest.fixture(scope="session")
def cli_env(server: managed.ManagedServer, data_dir: Path) -> dict[str, str]:
    """The environment of a subprocess that uses the server of this run."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORYOS_", "NEO4J_", "OPENAI_"))}
    return kept | {
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "MEMORYOS_DATA_DIR": str(data_dir),
        "PYTHONWARNINGS": "default",
        "COLUMNS": "120",
    }


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def fake_embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture(scope="session")
async def opened(settings: Settings) -> AsyncIterator[MemoryService]:
    """One open service for the run, so that a test need not connect anew."""
    async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()) as service:
        yield service


@pytest.fixture
def service(opened: MemoryService, clock: FakeClock, fake_embedder: FakeEmbedder) -> MemoryService:
    """A service without a worker and with the test's own clock and embedder: tests run the steps themselves."""
    ctx = replace(opened.ctx, clock=clock, embedder=fake_embedder, visits=VisitBuffer())
    return MemoryService(ctx, Worker(ctx))


@pytest.fixture(scope="session")
def model_process() -> Iterator[ScriptedModel]:
    """The scripted model of the run."""
    from .model_server import ScriptedModel

    with ScriptedModel() as model:
        yield model


@pytest.fixture
def model_server(model_process: ScriptedModel) -> Iterator[Scene]:
    """The scripted model at an address of this test's own, with a clean scenario and its own count of requests."""
    scene = model_process.scene()
    yield scene
    scene.scenario.let_go()


@pytest.fixture
async def model_provider(model_server: Scene) -> AsyncIterator[OpenAIProvider]:
    """A provider on the scripted model; put it into a service by `replace(service.ctx, provider=...)`."""
    from .model_server import open_provider

    async with open_provider(model_server.base_url) as provider:
        yield provider


@pytest.fixture
def user_id() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def memory(service: MemoryService, user_id: str) -> UserMemory:
    return service.user(user_id)


@pytest.fixture
async def http(service: MemoryService) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the HTTP layer on the service of the test."""
    from memoryos_graph.api.app import create_app

    app = create_app(service=service)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with contextlib.AsyncExitStack() as stack:
        yield await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://memoryos"))
