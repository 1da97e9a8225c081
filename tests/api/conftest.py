"""One service and one client for all tests of the HTTP layer; users are fresh, so nothing is shared but time."""

from __future__ import annotations

from collections.abc import AsyncIterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

import httpx
import pytest
from memoryos_graph.api.app import create_app

from memoryos_graph import MemoryService, Settings, UserMemory

from ..conftest import FakeClock, FakeEmbedder


def client_of(service: MemoryService) -> httpx.AsyncClient:
    """A client of the whole app over one service; what the app raises is an answer, as on a real server."""
    transport = httpx.ASGITransport(app=create_app(service), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


def path_of(user_id: str) -> str:
    """Where a user's routes are: the id is one segment, whatever it is."""
    return f"/v1/users/{quote(user_id, safe='')}"


async def send_raw(service: MemoryService, method: str, target: str, chunks: Sequence[bytes] = ()) -> httpx.Response:
    """A request as it comes from the wire: the path not tidied up by a client, the body in chunks without a length."""
    path, _, query = target.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    incoming = iter(chunks)
    status, headers, body = 0, [], b""

    async def receive() -> dict[str, object]:
        chunk = next(incoming, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status, headers, body
        status, headers = message.get("status", status), message.get("headers", headers)
        body += message.get("body", b"")

    await create_app(service)(scope, receive, send)
    return httpx.Response(status, headers=headers, content=body)


@pytest.fixture(scope="session")
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def fake_embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture(scope="session")
async def service(settings: Settings, clock: FakeClock, fake_embedder: FakeEmbedder) -> AsyncIterator[MemoryService]:
    async with MemoryService.open(settings, worker=False, clock=clock, embedder=fake_embedder) as opened:
        yield opened


@pytest.fixture(scope="session")
async def http(service: MemoryService) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(service) as client:
        yield client


@pytest.fixture
def base(user_id: str) -> str:
    """The path of the test's user."""
    return path_of(user_id)


@dataclass(frozen=True)
class Filled:
    """A user with a bit of everything, and one id of each kind."""

    user_id: str
    page_id: str
    fact_id: str
    segment_id: str
    run_id: str
    answer_id: str
    plan_id: str
    receipt_id: str
    query_name: str = "heat"

    @property
    def base(self) -> str:
        return path_of(self.user_id)


@pytest.fixture(scope="session")
async def filled(service: MemoryService) -> Filled:
    """For reading only: every test of the session sees the same."""
    return await fill(service)


async def fill(service: MemoryService) -> Filled:
    memory: UserMemory = service.user(f"filled-{uuid4().hex}")
    texts = ["My name is Ana. I live in Porto.", "I have a dog.", "我对花生过敏。"]
    stored = await memory.remember(
        [{"user_input": text, "assistant_response": "I see.", "id": f"t{n}"} for n, text in enumerate(texts)]
    )
    await memory.maintain()
    facts, segments = (await memory.facts()).items, (await memory.segments()).items
    assert facts
    assert segments
    run_id = (await memory.runs()).items[0].run_id
    answer = await memory.answer("Where do I live?")
    ids = (stored[0].page_id, facts[0].fact_id, segments[0].segment_id, run_id, str(answer.answer_id))
    told = await memory.remember([{"user_input": "The kettle is on."}, {"user_input": "Never mind."}])
    plans = [(await memory.forget(pages=[turn.page_id])).plan_id for turn in told]
    receipt = await memory.confirm_forget(plans[0])
    return Filled(memory.user_id, *ids, plan_id=plans[1], receipt_id=receipt.receipt_id)
