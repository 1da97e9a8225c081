"""Keys: who may call, for which users, and for what. Keys are global, so each test takes its own away."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from memoryos_graph import MemoryService, Settings
from memoryos_graph.access import CACHE_S, Keys, check_binding
from memoryos_graph.contract import KeyCreated
from memoryos_graph.errors import InvalidInput, NotFound, SetupError

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask
from .conftest import client_of, path_of


@pytest.fixture(scope="module")
async def keyed(settings: Settings, clock: FakeClock, fake_embedder: FakeEmbedder) -> AsyncIterator[MemoryService]:
    async with MemoryService.open(settings, worker=False, clock=clock, embedder=fake_embedder) as opened:
        yield opened


@pytest.fixture
async def client(keyed: MemoryService) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(keyed) as opened:
        yield opened
    await ask(keyed, "MATCH (k:ApiKey) DELETE k")
    keyed._keys = Keys(keyed.ctx)


def _bearer(key: KeyCreated | str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key if isinstance(key, str) else key.token}"}


async def test_without_keys_this_machine_is_answered(client: httpx.AsyncClient, base: str) -> None:
    assert (await client.get(f"{base}/stats")).status_code == 200


@pytest.mark.parametrize(
    ("peer", "host", "status"),
    [
        ("127.0.0.1", "localhost:8000", 200),
        ("::1", "[::1]:8000", 200),
        ("10.0.0.7", "localhost", 403),
        ("127.0.0.1", "rebound.example.com", 403),
        ("127.0.0.1", "rebound.example.com.", 403),
    ],
)
async def test_without_keys_nobody_else_is_answered(
    keyed: MemoryService, client: httpx.AsyncClient, base: str, peer: str, host: str, status: int
) -> None:
    app = client._transport.app  # type: ignore[attr-defined]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(peer, 1)), base_url="http://x") as other:
        answer = await other.get(f"{base}/stats", headers={"Host": host})
    assert answer.status_code == status
    assert status == 200 or "memoryos keys create" in answer.json()["detail"]


async def test_with_a_key_stored_every_call_needs_one(
    client: httpx.AsyncClient, keyed: MemoryService, base: str
) -> None:
    key = await keyed.create_key("all", "*", ["read", "write"])
    for headers in (
        {},
        _bearer("mos_wrong"),
        _bearer(""),
        _bearer("mos_" + "x" * 9000),
        {"Authorization": f"Basic {key.token}"},
    ):
        for method, path in (
            ("GET", "/turns"),
            ("POST", "/turns"),
            ("GET", "/stats"),
            ("POST", "/search"),
            ("GET", "/facts/x"),
        ):
            answer = await client.request(method, base + path, headers=headers, content=b"{ not even JSON")
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
    for path in ("/healthz", "/readyz", "/version", "/openapi.json"):
        assert (await client.get(path)).status_code == 200
    assert (await client.post(f"{base}/turns", json={"user_input": "x"}, headers=_bearer(key))).status_code == 201


async def test_a_key_is_for_its_users_and_scopes(client: httpx.AsyncClient, keyed: MemoryService, user_id: str) -> None:
    reader = await keyed.create_key("reader", [user_id], ["read"])
    writer = await keyed.create_key("writer", [user_id, "other"], ["write"])
    base, turn = path_of(user_id), {"user_input": "x"}
    assert (await client.get(f"{base}/turns", headers=_bearer(reader))).status_code == 200
    assert (await client.post(f"{base}/search", json={"query": "x"}, headers=_bearer(reader))).status_code == 200
    assert (await client.post(f"{base}/turns", json=turn, headers=_bearer(writer))).status_code == 201
    for method, path, key in (
        ("POST", f"{base}/turns", reader),
        ("POST", f"{base}/maintenance", reader),
        ("GET", f"{base}/turns", writer),
        ("GET", f"{path_of('other')}/turns", reader),
        ("GET", f"{path_of(user_id + 'x')}/turns", reader),
    ):
        answer = await client.request(method, path, json=turn | {"run": "all"}, headers=_bearer(key))
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_case_s5_a_key_for_the_user_star_is_not_for_all(client: httpx.AsyncClient, keyed: MemoryService) -> None:
    literal = await keyed.create_key("literal", ["*"], ["read"])
    assert (await client.get(f"{path_of('*')}/turns", headers=_bearer(literal))).status_code == 200
    assert (await client.get(f"{path_of('ana')}/turns", headers=_bearer(literal))).status_code == 403
    everyone = await keyed.create_key("everyone", "*", ["read"])
    assert (await client.get(f"{path_of('ana')}/turns", headers=_bearer(everyone))).status_code == 200


async def test_a_revoked_key_ends_here_at_once_and_elsewhere_soon(
    client: httpx.AsyncClient, keyed: MemoryService, base: str
) -> None:
    key = await keyed.create_key("one", "*", ["read"])
    elsewhere = MemoryService(keyed.ctx, keyed._worker)
    await elsewhere.authenticate(key.token)
    assert (await client.get(f"{base}/stats", headers=_bearer(key))).status_code == 200
    revoked = await keyed.revoke_key(key.key_id)
    assert revoked.revoked_at is not None
    assert (await client.get(f"{base}/stats", headers=_bearer(key))).status_code == 401
    assert (await client.get(f"{base}/stats")).status_code == 401  # revoking the last key locks, it does not open
    assert CACHE_S <= 2
    elsewhere._keys._read_at -= CACHE_S + 0.1
    async with client_of(elsewhere) as other:
        assert (await other.get(f"{base}/stats", headers=_bearer(key))).status_code == 401
    with pytest.raises(NotFound):
        await keyed.revoke_key("nope")


async def test_secrets_are_shown_once_and_stored_nowhere(client: httpx.AsyncClient, keyed: MemoryService) -> None:
    key = await keyed.create_key("one", ["ana"], ["write", "read", "read"])
    assert key.token.startswith("mos_")
    assert len(key.token) > 40
    (listed,) = (await keyed.keys()).items
    assert listed.model_dump() == key.model_dump(exclude={"token"})
    assert (listed.users, listed.scopes) == (["ana"], ["read", "write"])
    (node,) = await ask(keyed, "MATCH (k:ApiKey) RETURN k {.*} AS key")
    assert key.token not in repr(node)


@pytest.mark.parametrize(
    ("label", "users", "scopes", "field"),
    [
        ("", "*", ["read"], "label"),
        ("x", [], ["read"], "users"),
        ("x", "ana", ["read"], "users"),
        ("x", [".."], ["read"], "users"),
        ("x", "*", [], "scopes"),
        ("x", "*", ["sudo"], "scopes"),
    ],
)
async def test_impossible_keys_are_refused(
    client: httpx.AsyncClient, keyed: MemoryService, label: str, users: list[str], scopes: list[str], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await keyed.create_key(label, users, scopes)
    assert refused.value.field.startswith(field)
    assert (await keyed.keys()).items == []


async def test_keys_cost_no_statement_per_request(client: httpx.AsyncClient, keyed: MemoryService, base: str) -> None:
    await keyed.has_keys()
    before = keyed.ctx.store.connection.statements
    for _ in range(20):
        await keyed.authenticate(None)
    assert keyed.ctx.store.connection.statements - before <= 1


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback_needs_no_key(settings: Settings, host: str) -> None:
    check_binding(settings.model_copy(update={"host": host}), has_keys=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "memory.example.com", ""])
def test_binding_elsewhere_needs_a_key(settings: Settings, host: str) -> None:
    elsewhere = settings.model_copy(update={"host": host})
    check_binding(elsewhere, has_keys=True)
    with pytest.raises(SetupError, match="memoryos keys create") as refused:
        check_binding(elsewhere, has_keys=False)
    assert refused.value.code == "keys_needed"
