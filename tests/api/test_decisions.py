"""Decisions about facts over HTTP: what is given back, and what is refused."""

from __future__ import annotations

from typing import Any

import httpx


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
