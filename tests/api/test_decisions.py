"""Decisions about facts over HTTP: what is given back, and what is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService
from memoryos_graph.pipeline.retention import prune

from ..conftest import FakeClock
from ..graph import ask


async def test_a_life_of_decisions(http: httpx.AsyncClient, base: str) -> None:
    """State, correct, change, retract, restore, confirm, pin: each gives the fact as it is now, and the event."""

    async def post(path: str, body: Any = None) -> dict[str, Any]:
        answer = await http.post(f"{base}/facts{path}", **({} if body is None else {"json": body}))
        assert answer.status_code == (200 if path else 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    oslo = (await post("", {"text": "I live in Oslo", "valid_from": "2026-01-01T00:00:00Z"}))["fact"]
    assert (oslo["predicate"], oslo["object"], oslo["sources"][0]["quote"]) == ("lives_in", "Oslo", "I live in Oslo")
    path = f"/{oslo['fact_id']}"
    bergen = await post(f"{path}/correct", {"text": "I live in Bergen", "reason": "a slip", "version": 1})
    assert bergen["fact"]["supersedes"] == [oslo["fact_id"]]
    assert (bergen["event"]["kind"], bergen["event"]["seq"], bergen["event"]["actor"]) == ("correct", 2, "caller")
    stale = await http.post(f"{base}/facts/{bergen['fact']['fact_id']}/retract", json={"version": 7})
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert "Bergen" not in stale.text
    back = (await post(f"{path}/restore"))["fact"]
    assert (back["object"], back["status"], back["valid_from"]) == ("Oslo", "current", "2026-01-01T00:00:00Z")
    rome = (await post(f"/{back['fact_id']}/change", {"object": "Rome"}))["fact"]
    confirmed = await post(f"/{rome['fact_id']}/confirm", {"reason": "asked again"})
    assert (confirmed["fact"]["fact_id"], confirmed["fact"]["support"]) == (rome["fact_id"], 2)
    pinned = await post(f"/{rome['fact_id']}/pin")
    assert (pinned["fact"]["pinned"], pinned["event"]["kind"]) == (True, "pin")
    gone = (await post(f"/{rome['fact_id']}/retract", {"reason": "no"}))["fact"]
    assert (gone["status"], gone["text"]) == ("retracted", rome["text"])
    now = (await http.get(f"{base}/facts")).json()["items"]
    assert [(fact["object"], fact["valid_to"]) for fact in now] == [("Oslo", None)]
    kinds = [event["kind"] for event in (await http.get(f"{base}/timeline")).json()["items"]]
    assert kinds == ["retract", "pin", "confirm", "change", "restore", "correct", "state"]
    assert (await http.post(f"{base}/audit/verify", json={})).json()["ok"]
    history = (await http.get(f"{base}/facts{path}/history")).json()["supersessions"]
    assert "a slip" in {link["reason"] for link in history}


async def test_what_is_refused_says_why(http: httpx.AsyncClient, base: str) -> None:
    for verb, body in (("correct", {"text": "x"}), ("change", {"text": "x"}), ("retract", {}), ("restore", {}),
                       ("confirm", {}), ("pin", {"pinned": False})):  # fmt: skip
        answer = await http.post(f"{base}/facts/no-such-fact/{verb}", json=body)
        assert (verb, answer.status_code, answer.json()["code"]) == (verb, 404, "not_found")
    for path, body, field in (
        ("", {}, "text"),
        ("", {"text": "  "}, "text"),
        ("", {"text": "x" * 2001}, "text"),
        ("", {"text": "x", "predicate": "Lives In"}, "predicate"),
        ("/f/correct", {"text": "x", "valid_from": "2026-01-01T00:00:00"}, "valid_from"),
        ("/f/correct", {"text": "x", "version": 0}, "version"),
        ("/f/retract", {"text": "x"}, "text"),
        ("/f/pin", {"pinned": "sometimes"}, "pinned"),
    ):
        answer = await http.post(f"{base}/facts{path}", json=body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), (path, body)
    assert (await http.post(f"{base}/facts/f/change", json={"reason": "x"})).status_code == 422


async def test_a_decision_is_made_once_under_its_key(http: httpx.AsyncClient, base: str, clock: FakeClock) -> None:
    """A client that lost the answer asks again: it gets that answer, and nothing is written."""

    async def post(path: str, body: Any, key: str) -> httpx.Response:
        return await http.post(f"{base}/facts{path}", json=body, headers={"Idempotency-Key": key})

    async def events() -> int:
        return len((await http.get(f"{base}/timeline")).json()["items"])

    told = {"text": "I live in Oslo"}
    oslo = (await post("", told, "k0")).json()
    assert (await post("", told, "k0")).json() == oslo
    path = f"/{oslo['fact']['fact_id']}"
    bergen = (await post(f"{path}/correct", {"text": "I live in Bergen", "version": 1}, "k1")).json()
    moved = f"/{bergen['fact']['fact_id']}"
    asked: list[tuple[str, str, Any]] = [
        ("confirm", moved, {}),
        ("pin", moved, {}),
        ("change", moved, {"object": "Rome"}),
        ("restore", path, {}),
        ("retract", "", {"reason": "no"}),
    ]
    at = path
    for verb, about, body in asked:
        at = about or at
        first = await post(f"{at}/{verb}", body, verb)
        assert first.status_code == 200, first.text
        before = await events()
        again = await post(f"{at}/{verb}", body, verb)
        assert (again.status_code, again.json()) == (200, first.json())
        assert await events() == before
        at = f"/{first.json()['fact']['fact_id']}"
    again = await post(f"{path}/correct", {"text": "I live in Bergen", "version": 1}, "k1")
    assert again.json()["event"] == bergen["event"]  # though the version is an old one now
    for at, body in ((f"{path}/correct", {"text": "I live in Rome"}), (f"{path}/retract", {}), ("", told)):
        other = await post(at, body, "k1")
        assert (other.status_code, other.json()["code"]) == (409, "conflict")
        assert "Rome" not in other.text
    clock.move(hours=25)
    assert (await post("", told, "k0")).json()["event"]["seq"] > oslo["event"]["seq"]


async def test_a_repeat_does_not_bring_back_what_was_forgotten(http: httpx.AsyncClient, base: str) -> None:
    key = {"Idempotency-Key": "k"}
    stated = (await http.post(f"{base}/facts", json={"text": "I live in Oslo"}, headers=key)).json()["fact"]
    plan = (await http.post(f"{base}/forget", json={"facts": [stated["fact_id"]], "redact": True})).json()
    assert (await http.post(f"{base}/forget/{plan['plan_id']}/confirm", json={})).status_code == 200
    again = await http.post(f"{base}/facts", json={"text": "I live in Oslo"}, headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "already_forgotten")
    assert (await http.get(f"{base}/facts")).json()["items"] == []


@pytest.mark.engine
async def test_what_a_request_is_known_by_is_kept_for_a_day(
    http: httpx.AsyncClient, base: str, user_id: str, service: MemoryService, clock: FakeClock
) -> None:
    async def kept() -> list[dict[str, Any]]:
        return [row["r"] for row in await ask(service, "MATCH (r:Request {user_id: $id}) RETURN r {.*}", id=user_id)]

    for key in ("zqx-first", "zqx-other"):
        await http.post(f"{base}/facts", json={"text": "I have a zqx cat"}, headers={"Idempotency-Key": key})
    assert len(await kept()) == 2
    assert "zqx" not in str(await kept())
    clock.move(hours=23)
    await prune(service.ctx, user_id)
    assert len(await kept()) == 2
    clock.move(hours=1)
    await prune(service.ctx, user_id)
    assert await kept() == []
    await http.post(f"{base}/facts", json={"text": "I have a dog"}, headers={"Idempotency-Key": "k"})
    plan = (await http.post(f"{base}/forget", json={"everything": True})).json()
    assert (await http.post(f"{base}/forget/{plan['plan_id']}/confirm", json={})).status_code == 200
    assert await kept() == []
