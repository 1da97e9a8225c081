"""Cypher over HTTP: one call that works, one that is refused, of each."""

from __future__ import annotations

import httpx

from .conftest import Filled

MINE = "MATCH (f:Fact {user_id: $user_id}) RETURN f.object AS x ORDER BY x LIMIT 1"


async def test_free_and_named_queries_and_their_refusals(http: httpx.AsyncClient, filled: Filled) -> None:
    found = await http.post(f"{filled.base}/cypher", json={"query": MINE})
    assert (found.status_code, found.json()["rows"]) == (200, [{"x": "Ana"}])
    refused = await http.post(f"{filled.base}/cypher", json={"query": "MATCH (f:Fact) RETURN f"})
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["title"]) == (422, "query_refused", "This query is not run")
    assert "write (f:Fact {user_id: $user_id})" in problem["detail"]
    assert problem["errors"][0]["field"] == "query"
    given = await http.post(f"{filled.base}/cypher", json={"query": MINE, "params": {"user_id": "x"}})
    assert (given.status_code, given.json()["errors"][0]["field"]) == (422, "params")
    listed = (await http.get("/v1/cypher/queries")).json()["items"]
    why = next(one for one in listed if one["name"] == "why")
    assert [parameter["name"] for parameter in why["parameters"]] == ["fact_id"]
    params = {"params": {"fact_id": filled.fact_id}}
    named = await http.post(f"{filled.base}/cypher/why", json=params)
    assert (named.status_code, named.json()["rows"][0]["said_by"]) == (200, "user")
    drawn = await http.post(
        f"{filled.base}/cypher/from_page", json={"params": {"page_id": filled.page_id}, "form": "graph"}
    )
    assert {"Page", "Fact", "Session"} <= {node["label"] for node in drawn.json()["nodes"]}
    assert (await http.post(f"{filled.base}/cypher/nothing", json={})).status_code == 404
    missing = await http.post(f"{filled.base}/cypher/why", json={})
    assert (missing.status_code, "fact_id is missing" in missing.json()["detail"]) == (422, True)
    wrong = await http.post(f"{filled.base}/cypher/heat", json={"params": {"x": 1}})
    assert (wrong.status_code, "x is not a parameter of heat" in wrong.json()["detail"]) == (422, True)
