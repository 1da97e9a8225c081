"""Search, facts, segments, stats, runs and maintenance: a call that works and one that is refused."""

from __future__ import annotations

from typing import get_args

import httpx
import pytest
from memoryos_graph.api.routes.facts import FactQuery

from memoryos_graph import MemoryService
from memoryos_graph.contract import PartState, Readiness
from memoryos_graph.domain.fact import FactStatus
from memoryos_graph.errors import DatabaseUnavailable

from ..conftest import FakeEmbedder
from .conftest import Filled, client_of


async def test_search_gives_hits_with_parts_and_sources(http: httpx.AsyncClient, filled: Filled) -> None:
    answer = await http.post(
        f"{filled.base}/search", json={"query": "Where does Ana live?", "top_k": 3, "explain": True}
    )
    assert answer.status_code == 200
    hits = answer.json()["hits"]
    assert 0 < len(hits) <= 3
    assert any("Porto" in hit["text"] for hit in hits)
    for hit in hits:
        assert hit["score"] == pytest.approx(sum(hit["parts"].values()))
        assert hit["sources"]
        for source in hit["sources"]:
            page = (await http.get(f"{filled.base}/turns/{source['page_id']}")).json()
            side = page["user_input"] if source["side"] == "user" else page["assistant_response"]
            assert side[source["start"] : source["end"]] == source["quote"]
    assert answer.json()["explain"] is not None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": None}, "query"),
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "top_k": -1}, "top_k"),
        ({"query": "x", "top_k": 201}, "top_k"),
        ({"query": "x", "kinds": []}, "kinds"),
        ({"query": "x", "kinds": ["segment?"]}, "kinds[0]"),
        ({"query": "x", "mode": "magic"}, "mode"),
        ({"query": "x", "limit": 5}, "limit"),
        ({"query": "x" * 20_001}, "query"),
        ({"query": "\x00"}, "query"),
    ],
)
async def test_bad_search_is_refused_by_name(http: httpx.AsyncClient, filled: Filled, body: object, field: str) -> None:
    answer = await http.post(f"{filled.base}/search", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


async def test_search_without_a_model_is_502(
    http: httpx.AsyncClient, filled: Filled, fake_embedder: FakeEmbedder
) -> None:
    fake_embedder.fail_next = 1
    answer = await http.post(f"{filled.base}/search", json={"query": "Where does Ana live?"})
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")


async def test_facts_are_listed_filtered_and_shown(http: httpx.AsyncClient, filled: Filled) -> None:
    listed = (await http.get(f"{filled.base}/facts")).json()
    assert listed["next_cursor"] is None
    assert {fact["status"] for fact in listed["items"]} == {"current"}
    every = (await http.get(f"{filled.base}/facts?status=all&kind=profile")).json()["items"]
    assert {fact["kind"] for fact in every} == {"profile"}
    assert (await http.get(f"{filled.base}/facts?status=retracted")).json()["items"] == []
    fact = (await http.get(f"{filled.base}/facts/{filled.fact_id}")).json()
    assert fact in listed["items"]


async def test_provenance_leads_from_fact_to_quote_to_page(http: httpx.AsyncClient, filled: Filled) -> None:
    tree = (await http.get(f"{filled.base}/facts/{filled.fact_id}/provenance")).json()
    assert tree["fact"]["fact_id"] == filled.fact_id
    for page in tree["pages"]:
        source = page["source"]
        assert page["user_input"][source["start"] : source["end"]] == source["quote"]


@pytest.mark.parametrize(
    ("query", "field"),
    [("kind=x", "kind"), ("status=x", "status"), ("status=", "status"), ("limit=501", "limit"), ("user=ana", "user")],
)
async def test_bad_filters_are_refused_by_name(http: httpx.AsyncClient, filled: Filled, query: str, field: str) -> None:
    answer = await http.get(f"{filled.base}/facts?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


async def test_segments_show_heat_and_members(http: httpx.AsyncClient, filled: Filled) -> None:
    (listed, *_) = (await http.get(f"{filled.base}/segments")).json()["items"]
    assert set(listed["heat"]) == {"heat", "n_visit", "l_interaction", "recency", "threshold"}
    segment = (await http.get(f"{filled.base}/segments/{filled.segment_id}")).json()
    assert len(segment["pages"]) == segment["n_pages"]


async def test_stats_count_this_user_only(http: httpx.AsyncClient, filled: Filled, base: str) -> None:
    stats = (await http.get(f"{filled.base}/stats")).json()
    assert (sum(stats["pages"].values()), stats["conversations"], stats["failed_runs"]) == (5, 1, 0)
    assert sum((await http.get(f"{base}/stats")).json()["pages"].values()) == 0


async def test_maintenance_gives_its_runs_and_they_are_listed(http: httpx.AsyncClient, base: str) -> None:
    await http.post(f"{base}/turns", json={"user_input": "I live in Oslo."})
    answer = await http.post(f"{base}/maintenance", json={"run": "all"})
    assert answer.status_code == 200
    kinds = [run["kind"] for run in answer.json()["runs"]]
    assert kinds == ["index", "migrate", "promote"]
    listed = (await http.get(f"{base}/runs?state=done&limit=2")).json()
    assert [run["kind"] for run in listed["items"]] == ["promote", "migrate"]
    rest = (await http.get(f"{base}/runs", params={"cursor": listed["next_cursor"]})).json()
    assert ([run["kind"] for run in rest["items"]], rest["next_cursor"]) == (["index"], None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "run"),
        ({"run": "everything"}, "run"),
        ({"run": "all", "force": "maybe"}, "force"),
        ({"run": "all", "x": 1}, "x"),
    ],
)
async def test_bad_maintenance_is_refused_by_name(http: httpx.AsyncClient, base: str, body: object, field: str) -> None:
    answer = await http.post(f"{base}/maintenance", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


async def test_health_routes(http: httpx.AsyncClient) -> None:
    assert (await http.get("/healthz")).json() == {"status": "alive"}
    assert (await http.get("/version")).json()["name"] == "memoryos-graph"
    ready = await http.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"]["neo4j"]["ok"] is True


async def test_readyz_is_503_without_a_database_and_200_when_degraded(
    service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def unreachable(*_: object) -> None:
        raise DatabaseUnavailable

    async with client_of(service) as http:
        with monkeypatch.context() as patch:
            patch.setattr(service.ctx.store.connection, "read", unreachable)
            answer = await http.get("/readyz")
            assert (answer.status_code, answer.json()["status"]) == (503, "not_ready")
            assert int(answer.headers["Retry-After"]) > 0
            assert answer.json()["parts"]["neo4j"] == {"ok": False, "detail": "database_unavailable"}
            assert (await http.get("/healthz")).status_code == 200

        async def degraded() -> Readiness:
            return Readiness(status="degraded", parts={"worker": PartState(ok=False, detail="x")})

        monkeypatch.setattr(service, "readiness", degraded)
        answer = await http.get("/readyz")
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")


def test_facts_can_be_asked_by_every_status() -> None:
    assert set(get_args(FactQuery.model_fields["status"].annotation)) == {*FactStatus, "all"}


async def test_facts_and_profile_of_other_moments(http: httpx.AsyncClient, filled: Filled) -> None:
    early = (await http.get(f"{filled.base}/facts", params={"as_of": "2020-01-01T00:00:00Z"})).json()
    assert (early["items"], early["as_of"]) == ([], "2020-01-01T00:00:00Z")
    assert (await http.get(f"{filled.base}/facts", params={"origin": "tool"})).json()["items"] == []
    naive = await http.get(f"{filled.base}/facts", params={"as_of": "2020-01-01T00:00:00"})
    assert (naive.status_code, naive.json()["errors"][0]["field"]) == (422, "as_of")  # case D8: refused by name
    history = (await http.get(f"{filled.base}/facts/{filled.fact_id}/history")).json()
    assert filled.fact_id in [fact["fact_id"] for fact in history["items"]]
    profile = (await http.get(f"{filled.base}/profile")).json()
    assert profile["facts"]
    assert profile["facts"][0]["sources"][0]["speaker"] == "user"
    diff = (await http.get(f"{filled.base}/profile/diff", params={"from": 0, "to": profile["version"]})).json()
    assert len(diff["added"]) == len(profile["facts"])
    assert (await http.get(f"{filled.base}/profile", params={"version": 99})).status_code == 404
    assert (await http.post(f"{filled.base}/profile/rollback", json={"version": 99})).status_code == 404
    versions = (await http.get(f"{filled.base}/profile/versions")).json()["items"]
    assert versions[0]["version"] == profile["version"]
