"""What a search is bound to: filters, moments, kinds, budget; and what it says it left out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.contract import Hit, SearchResult
from memoryos_graph.errors import InvalidInput
from memoryos_graph.recall.explain import ARMS

from ..conftest import FakeClock
from ..graph import ask
from .test_search import told

pytestmark = pytest.mark.engine

CITIES = ("Oslo", "Rome", "Lyon", "Graz", "Bergen")


def day(month: int, day: int = 1, year: int = 2025) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def turn(text: str, **more: Any) -> TurnIn:
    return TurnIn(user_input=text, **more)


def texts(hits: Iterable[Hit]) -> set[str]:
    return {hit.text for hit in hits}


async def moved_often(memory: UserMemory) -> None:
    """Five homes, one a month from January on, read by the rules."""
    await memory.remember(
        [turn(f"I live in {city} now.", event_time=day(month)) for month, city in enumerate(CITIES, start=1)]
    )
    await memory.maintain("all")


async def test_case_d1_one_current_address_and_the_others_counted(memory: UserMemory) -> None:
    await moved_often(memory)
    for mode in ("hybrid", "flat", "memoryos"):
        result = await memory.search("Where do I live now?", kinds=["fact"], mode=mode)
        assert [hit.text for hit in result.hits] == ["The user lives in Bergen."]
        assert (result.hits[0].tier, result.hits[0].status) == ("lpm", "current")
        assert result.suppressed == {"superseded": 4}
    everything = await memory.search("Where do I live now?", kinds=["fact"], include=["superseded"])
    assert texts(everything.hits) == {f"The user lives in {city}." for city in CITIES}
    assert {hit.status for hit in everything.hits} == {"current", "superseded"}
    assert everything.suppressed == {}


async def test_case_d2_as_of_shows_what_was_true_then(memory: UserMemory, service: MemoryService) -> None:
    await moved_often(memory)
    result = await memory.search("Where do I live now?", as_of=day(3, 15))
    facts = [hit.text for hit in result.hits if hit.kind == "fact"]
    assert facts == ["The user lives in Lyon."]
    assert texts(hit for hit in result.hits if hit.kind == "page") == {
        f"I live in {city} now." for city in ("Oslo", "Rome", "Lyon")
    }
    assert result.suppressed == {"by_time": 4, "superseded": 2}
    before = await memory.search("Where do I live now?", as_of=day(1, year=2020))
    assert before.hits == []


async def test_known_at_shows_what_was_believed_then(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(turn("I live in Oslo.", event_time=day(1)))
    await memory.maintain("all")
    at = clock.now()
    clock.move(days=10)
    await memory.remember(turn("I live in Rome now.", event_time=day(6)))
    await memory.maintain("all")
    then = await memory.search("Where do I live now?", known_at=at)
    assert texts(then.hits) == {"I live in Oslo.", "The user lives in Oslo."}
    june = await memory.search("Where do I live now?", known_at=at, as_of=day(12), kinds=["fact"])
    assert texts(june.hits) == {"The user lives in Oslo."}
    assert all(source.quote == "I live in Oslo" for hit in june.hits for source in hit.sources)
    now = await memory.search("Where do I live now?", kinds=["fact"])
    assert texts(now.hits) == {"The user lives in Rome."}


async def test_case_d10_the_echo_is_the_moment_asked_for(memory: UserMemory, http: httpx.AsyncClient) -> None:
    await told(memory, "the tram was late")
    body = {"query": "tram", "as_of": "2020-01-01T00:00:00Z", "tags": ["x"], "include": ["archived"], "explain": True}
    result = (await http.post(f"/v1/users/{memory.user_id}/search", json=body)).json()
    for scope in (result["scope"], result["explain"]["scope"]):
        assert scope["as_of"] == "2020-01-01T00:00:00Z"
        assert (scope["known_at"], scope["tags"], scope["include"]) == (None, ["x"], ["archived"])
    assert (result["hits"], result["suppressed"]) == ([], {"by_time": 1})


async def test_case_d8_aware_stamps_and_a_query_without_time(memory: UserMemory) -> None:
    """Times with any offset are instants; a search without a time compares none with none."""
    (page_id,) = await told(memory, turn("the ferry to Tallinn", event_time="2025-05-01T01:30:00+05:30"))
    assert (await memory.search("ferry")).hits[0].id == page_id
    inside = {"since": "2025-04-30T22:00:00+02:00", "until": "2025-04-30T20:00:01Z"}
    assert [hit.id for hit in (await memory.search("ferry", **inside)).hits] == [page_id]
    assert (await memory.search("ferry", until="2025-05-01T01:30:00+05:30")).hits == []
    with pytest.raises(InvalidInput, match="since: Input should have timezone"):
        await memory.search("ferry", since="2025-05-01T01:30:00")


@pytest.fixture
async def scattered(memory: UserMemory) -> UserMemory:
    """Facts, pages and segments of two conversations, two assistants and three tags, all migrated and read."""
    rows = (
        ("I am allergic to peanuts.", "home", "amy", ["health", "food"], 1),
        ("I am allergic to pollen.", "home", "amy", ["health"], 3),
        ("I am allergic to latex.", "work", "bob", ["health", "tools"], 5),
        ("I am allergic to wasps.", "work", "amy", ["food"], 7),
    )
    await memory.remember(
        [
            turn(text, conversation_id=c, assistant_id=a, tags=tags, event_time=day(month))
            for text, c, a, tags, month in rows
        ]
    )
    await memory.maintain("all")
    return memory


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"conversation_id": "home"}, {"peanuts", "pollen"}),
    ({"assistant_id": "amy"}, {"peanuts", "pollen", "wasps"}),
    ({"tags": ["health"]}, {"peanuts", "pollen", "latex"}),
    ({"tags": ["health", "food"]}, {"peanuts"}),
    ({"since": day(3), "until": day(7)}, {"pollen", "latex"}),
    ({"conversation_id": "work", "assistant_id": "amy"}, {"wasps"}),
    ({"conversation_id": "work", "tags": ["health"]}, {"latex"}),
    ({"conversation_id": "nowhere"}, set()),
]


async def test_case_s3_and_x12_every_kind_is_filtered_by_all_filters_at_once(scattered: UserMemory) -> None:
    for given, expected in FILTERS:
        for mode in ("hybrid", "flat", "memoryos"):
            result = await scattered.search(
                "What am I allergic to?", kinds=["page", "fact", "segment"], mode=mode, **given
            )
            facts = {hit.text.split()[-1].rstrip(".") for hit in result.hits if hit.kind == "fact"}
            assert facts == expected, (given, mode)
            said = {source.quote.split()[-1].rstrip(".") for hit in result.hits for source in hit.sources}
            assert said <= expected, (given, mode)
            pages = {hit.text.split()[-1].rstrip(".") for hit in result.hits if hit.kind == "page"}
            assert pages == expected if mode != "memoryos" else pages <= expected, (given, mode)
        hybrid = await scattered.search("What am I allergic to?", **given)
        assert hybrid.suppressed.get("by_filter", 0) == 2 * (4 - len(expected))


async def test_segments_are_results_with_their_keywords_heat_and_pages(scattered: UserMemory) -> None:
    result = await scattered.search("allergic to wasps", kinds=["segment"], top_m=1)
    (best,) = result.hits
    assert (best.kind, best.tier) == ("segment", "mtm")
    assert best.keywords
    assert best.heat
    assert best.heat > 0
    assert best.similarity is not None
    assert best.score == pytest.approx(sum(best.parts.values()))
    assert all(source.quote[source.start : source.end] == source.quote for source in best.sources)
    listed = {segment.segment_id: segment.summary for segment in (await scattered.segments()).items}
    assert listed[best.id] == best.text
    both = await scattered.search("allergic to wasps", kinds=["page", "segment"], top_k=2, top_m=1)
    assert sorted(hit.kind for hit in both.hits) == ["page", "page", "segment"]


async def test_the_published_gate_looks_only_into_the_nearest_segments(memory: UserMemory) -> None:
    topics = ("violin strings bow", "tomato garden soil", "train ticket delay")
    await told(memory, *(f"{topic} number{n}" for n in range(3) for topic in topics))
    await memory.maintain("migrate", force=True)
    gated = await memory.search("garden soil and tomato", mode="memoryos", top_m=1, kinds=["page", "segment"])
    (segment,) = (hit for hit in gated.hits if hit.kind == "segment")
    assert set(segment.parts) == {"vector", "text"}
    members = {page.page_id for page in (await memory.segment(segment.id)).pages}
    assert 0 < len(members) < 9
    assert {hit.id for hit in gated.hits if hit.kind == "page"} == members
    assert len((await memory.search("garden soil and tomato", mode="flat", kinds=["page"])).hits) == 9


@pytest.mark.parametrize("mode", ["hybrid", "flat"])
async def test_300_archived_best_hits_and_one_live_page(memory: UserMemory, service: MemoryService, mode: str) -> None:
    pages = await told(memory, *["the blue heron nests"] * 300, "once I saw the blue heron fly over the lake")
    query = "MATCH (p:Page {user_id: $u}) WHERE p.page_id <> $live SET p.archived = true"
    await ask(service, query, u=memory.user_id, live=pages[-1])
    result = await memory.search("the blue heron nests", mode=mode)
    assert [hit.id for hit in result.hits] == [pages[-1]]
    assert result.suppressed == ({"archived": 300} if mode == "hybrid" else {})
    archived = await memory.search("the blue heron nests", mode=mode, include=["archived"], top_k=200)
    assert len(archived.hits) == 200
    tagged = await memory.search("the blue heron nests", mode=mode, include=["archived"], tags=["never"])
    assert tagged.hits == []


async def test_budget_bounds_the_texts_and_counts_what_did_not_fit(memory: UserMemory) -> None:
    await told(memory, *(f"a note on kites number {n}" + " and more" * n for n in range(9)))
    everything = await memory.search("kites", kinds=["page"])
    result = await memory.search("kites", kinds=["page"], budget_tokens=40)
    assert 0 < len(result.hits) < 9
    assert result.suppressed == {"over_budget": 9 - len(result.hits)}
    assert sum(len(hit.text) for hit in result.hits) <= 4 * 40
    assert [hit.id for hit in everything.hits if hit in result.hits] == [hit.id for hit in result.hits]


async def test_explain_names_every_arm_with_its_rank(scattered: UserMemory) -> None:
    result = await scattered.search("What am I allergic to?", kinds=["page", "fact", "segment"], explain=True)
    assert result.explain
    rows = result.explain["hits"]
    assert [row["id"] for row in rows] == [hit.id for hit in result.hits]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    for row, hit in zip(rows, result.hits, strict=True):
        assert row["parts"] == hit.parts
        assert set(row["arms"]) <= set(ARMS)
        assert row["arms"]
        assert all(set(arm) == {"rank", "score"} for arm in row["arms"].values())
    assert result.explain["suppressed"] == result.suppressed


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"top_m": 0}, "top_m"),
    ({"top_m": 51}, "top_m"),
    ({"conversation_id": ""}, "conversation_id"),
    ({"assistant_id": "a\n"}, "assistant_id"),
    ({"tags": ["x"] * 21}, "tags"),
    ({"tags": [""]}, "tags.0"),
    ({"since": "2025-01-01T00:00:00"}, "since"),
    ({"since": day(2).isoformat(), "until": day(2).isoformat()}, "until"),
    ({"as_of": "yesterday"}, "as_of"),
    ({"known_at": 5}, "known_at"),
    ({"include": ["hidden"]}, "include.0"),
    ({"kinds": ["turn"]}, "kinds.0"),
    ({"budget_tokens": 0}, "budget_tokens"),
    ({"mode": "paper"}, "mode"),
]


async def test_wrong_values_are_refused_by_name(memory: UserMemory, http: httpx.AsyncClient) -> None:
    for given, field in WRONG:
        with pytest.raises(InvalidInput) as caught:
            await memory.search("x", **given)
        assert caught.value.field == field
        answer = await http.post(f"/v1/users/{memory.user_id}/search", json={"query": "x", **given})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"].replace("[", ".").rstrip("]") == field


async def test_statements_stay_three_with_every_filter(scattered: UserMemory, service: MemoryService) -> None:
    connection = service.ctx.store.connection
    for mode, most in (("hybrid", 3), ("flat", 2), ("memoryos", 3)):
        before = connection.statements
        result: SearchResult = await scattered.search(
            "allergic", mode=mode, conversation_id="home", tags=["health"], as_of=day(12), known_at=day(1, year=2030),
            kinds=["page", "fact", "segment"], include=["archived", "superseded"],
        )  # fmt: skip
        assert result.hits
        assert connection.statements - before == most
