"""Cases from the field that concern the pipeline as a whole, with a model that misbehaves or speaks of others."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from memoryos_graph import MemoryService, TurnIn
from memoryos_graph.demo.scenario import Request, says
from memoryos_graph.errors import ModelError
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock
from ..graph import ask, assert_invariants
from ..model_server import Scene


@pytest.fixture
def modelled(service: MemoryService, model_provider: OpenAIProvider) -> MemoryService:
    """The service of the test, reading with the scripted model."""
    ctx = replace(service.ctx, provider=model_provider)
    return MemoryService(ctx, Worker(ctx))


def _claiming(quote: str, **claim: Any) -> Any:
    """A reaction that makes this claim wherever the quote stands in the side that its speaker has."""

    def content(request: Request) -> str:
        speaker = claim.get("speaker", "user")
        sides = {"user": "user_input", "assistant": "assistant_response", "system": "system_text"}
        found = [
            {"page": int(page.page_id), "speaker": speaker, "quote": quote} | claim
            for page in request.pages
            if quote in getattr(page, sides[speaker])
        ]
        return json.dumps({"claims": found})

    return says(content)


async def test_case_s4_five_users_at_once_see_exactly_their_own(service: MemoryService, user_id: str) -> None:
    users = [service.user(f"{user_id}-{n}") for n in range(5)]

    async def live(n: int) -> None:
        for turn in range(10):
            await users[n].remember(TurnIn(user_input=f"user{n} speaks of matter{turn}"))
            hits = (await users[n].search("speaks of matter", kinds=["page"])).hits
            assert all(hit.text.startswith(f"user{n} ") for hit in hits)

    await asyncio.gather(*(live(n) for n in range(5)))
    for n, memory in enumerate(users):
        await memory.maintain()
        texts = {turn.user_input for turn in (await memory.turns()).items}
        assert texts == {f"user{n} speaks of matter{turn}" for turn in range(10)}
        hits = (await memory.search("speaks of matter", kinds=["page"], top_k=50)).hits
        assert {hit.text for hit in hits} == texts
        await assert_invariants(service, memory.user_id)


async def test_cases_s10_u45_x10_what_an_assistant_told_one_user_is_that_users_alone(
    modelled: MemoryService, user_id: str, model_server: Scene
) -> None:
    ana, bo = modelled.user(f"{user_id}-ana"), modelled.user(f"{user_id}-bo")
    quote = "your test result ZX-4417 is negative"
    model_server.scenario.when(
        _claiming(
            quote,
            speaker="assistant",
            kind="assistant_knowledge",
            subject="assistant",
            predicate="told",
            object="test result ZX-4417",
            text="The assistant told the test result ZX-4417.",
        ),
        kind="propose_claims",
    )
    await ana.remember(TurnIn(user_input="And?", assistant_response=f"Good news: {quote}.", assistant_id="doc"))
    await bo.remember(TurnIn(user_input="Hello, I like jazz.", assistant_response="Hello!", assistant_id="doc"))
    await ana.maintain()
    await bo.maintain()
    (fact,) = (await ana.facts(kind="assistant_knowledge")).items
    assert (fact.subject, fact.sources[0].side) == ("assistant", "assistant")
    assert (await ana.facts(kind="profile")).items == []
    assert (await bo.facts(kind="assistant_knowledge", status=None)).items == []
    assert all("ZX-4417" not in hit.text for hit in (await bo.search("test result ZX-4417")).hits)
    rows = await ask(
        modelled,
        "MATCH (n {user_id: $id}) RETURN [k IN keys(n) WHERE k <> 'embedding' | toStringOrNull(n[k])] AS values",
        id=bo.user_id,
    )
    assert "ZX-4417" not in json.dumps(rows)


async def test_cases_l18_u03_the_text_of_an_error_is_never_memory(
    modelled: MemoryService, user_id: str, model_server: Scene
) -> None:
    memory = modelled.user(user_id)
    model_server.scenario.when(says("Error: could not reach the model backend"))
    await memory.remember([TurnIn(user_input=f"A note about sailing, {n}.") for n in range(11)])
    with pytest.raises(ModelError):
        await memory.maintain(force=False)
    assert (await memory.stats()).pages == {"stm": 11, "mtm": 0, "none": 0}
    model_server.scenario.clear()
    await memory.maintain()
    rows = await ask(
        modelled,
        """MATCH (n {user_id: $id}) WHERE any(k IN keys(n) WHERE toStringOrNull(n[k]) CONTAINS 'could not reach')
           RETURN labels(n) AS labels""",
        id=user_id,
    )
    assert rows == []
    assert (await memory.stats()).pages["mtm"] == 11
    await assert_invariants(modelled, user_id)


async def test_case_u24_everything_derived_leads_to_words_on_a_page(
    modelled: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = modelled.user(user_id)
    said = ["I live in Oslo.", "I like jazz.", "I moved to Bergen.", "I'm allergic to nuts.", "What a day!"]
    for text in said:
        await memory.remember(TurnIn(user_input=text))
        clock.move(days=1)
    await memory.maintain()
    facts = (await memory.facts(status=None)).items
    assert len(facts) >= 4
    for fact in facts:
        tree = await memory.why(fact.fact_id)
        assert tree.pages
        for page in tree.pages:
            assert page.user_input[page.source.start : page.source.end] == page.source.quote
    await assert_invariants(modelled, user_id)


async def test_case_u32_a_segment_that_drifts_is_told_anew_and_found_by_what_it_came_to(
    service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    memory = service.user(user_id)
    texts = [
        "The garden needs tomatoes and water.",
        "The garden needs tomatoes, water and a fence.",
        "The garden fence needs posts and paint.",
        "The fence posts need paint and screws.",
        "Fence paint and screws from the hardware store.",
        "The hardware store sells screws, paint and ladders.",
    ]
    for text in texts:
        await memory.remember(TurnIn(user_input=text))
        await memory.maintain()
        clock.move(hours=1)
    rows = await ask(
        service,
        """MATCH (v:SegmentVersion)-[:VERSION_OF]->(s:Segment {user_id: $id}) WITH s, v ORDER BY v.version
           RETURN s.version AS version, s.keywords AS keywords, collect(v.version) AS versions,
                  collect(v.summary) AS summaries, COUNT { (s)<-[:IN_SEGMENT]-() } AS pages ORDER BY pages DESC""",
        id=user_id,
    )
    drifted = rows[0]
    assert drifted["pages"] > 1
    assert drifted["versions"] == list(range(1, drifted["version"] + 1))
    assert len(set(drifted["summaries"])) == len(drifted["summaries"])
    assert (await memory.search("ladders from the hardware store")).hits[0].text == texts[-1]


async def test_case_d8_times_with_and_without_offsets_live_together(service: MemoryService, user_id: str) -> None:
    memory = service.user(user_id)
    aware = ["2021-05-01T10:00:00+09:00", "2021-05-01T00:30:00-03:00"]
    await memory.remember([TurnIn(user_input=f"flight {n}", event_time=at) for n, at in enumerate(aware)])  # type: ignore[arg-type]
    await memory.remember(TurnIn(user_input="flight without a time"))
    await memory.maintain()
    hits = (await memory.search("when was the flight in May 2021?", kinds=["page"])).hits
    assert {hit.text for hit in hits} == {"flight 0", "flight 1", "flight without a time"}
    times = [turn.event_time for turn in (await memory.turns()).items]
    assert all(at.utcoffset() is not None for at in times)
