"""The timeline and the chain over HTTP: what works and what is refused."""

from __future__ import annotations

import httpx

from .conftest import Filled


async def test_the_timeline_the_head_and_its_check(http: httpx.AsyncClient, filled: Filled) -> None:
    first = (await http.get(f"{filled.base}/timeline", params={"limit": 1})).json()
    assert set(first["items"][0]) == {"seq", "kind", "at", "actor", "ids", "numbers", "hash"}
    assert (await http.get(f"{filled.base}/timeline", params={"cursor": first["next_cursor"]})).json()["items"]
    stored = (await http.get(f"{filled.base}/timeline", params={"kind": "remember"})).json()["items"]
    assert {event["kind"] for event in stored} == {"remember"}
    head = (await http.get(f"{filled.base}/audit/head")).json()
    assert (head["seq"], head["hash"]) == (first["items"][0]["seq"], first["items"][0]["hash"])
    body = {"head": {"seq": head["seq"], "hash": head["hash"]}}
    verified = (await http.post(f"{filled.base}/audit/verify", json=body)).json()
    assert (verified["ok"], verified["contains_head"], verified["what"]) == (True, True, None)
    assert (await http.post(f"{filled.base}/audit/verify", json={})).json()["contains_head"] is None
    for field, wrong in (("head.seq", {"seq": -1, "hash": ""}), ("head.hash", {"seq": 1, "hash": "x"})):
        refused = await http.post(f"{filled.base}/audit/verify", json={"head": wrong})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)
    refused = await http.get(f"{filled.base}/timeline", params={"kind": "x"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "kind")
