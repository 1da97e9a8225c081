"""The parts of a prompt, without a model: what is in them, what they cost, and what did not fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.llm.embedder import SentenceTransformerEmbedder
from memoryos_graph.llm.tokens import ModelCounter
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask

pytestmark = pytest.mark.engine

BERGEN = TurnIn(user_input="I moved to Bergen in March 2025.", assistant_response="How do you like the rain?")


async def told(memory: UserMemory, *turns: TurnIn | str, promoted: bool = False) -> list[str]:
    given = [turn if isinstance(turn, TurnIn) else TurnIn(user_input=turn) for turn in turns]
    stored = await memory.remember(given)
    await memory.maintain("all" if promoted else "index", force=promoted)
    return [one.page_id for one in stored]


async def test_a_context_has_recent_turns_evidence_and_persona_apart(
    memory: UserMemory, service: MemoryService, fake_embedder: FakeEmbedder, clock: FakeClock
) -> None:
    bergen, sister = await told(memory, BERGEN, "My sister Ida is a nurse.", promoted=True)
    clock.move(hours=1)
    kettle, garden = await told(memory, "The kettle is broken", "The garden needs rain")
    elsewhere = TurnIn(user_input="A note in another thread", conversation_id="other")
    (other,) = await told(memory, elsewhere)
    fake_embedder.calls.clear()
    before = service.ctx.store.connection.statements
    result = await memory.context("Where did I move to in March?", top_k=3)
    assert service.ctx.store.connection.statements - before == 7
    assert len(fake_embedder.calls) == 1

    assert [item.id for item in result.recent] == [kettle, garden, other]  # newest last
    assert {item.tier for item in result.recent} == {"stm"}
    assert (result.evidence[0].id, result.evidence[0].tier) == (bergen, "mtm")
    assert result.evidence[0].score is not None
    assert result.evidence[0].sources[0].quote == BERGEN.user_input
    assert any(item.text == "The user lives in Bergen." for item in result.persona)
    assert all(item.tier == "lpm" and item.sources for item in result.persona)
    assert sister not in {item.id for item in result.recent}
    assert (result.conflicts, result.cuts, result.weak) == ([], [], False)
    counts = result.tokens
    assert 0 < counts.total <= counts.recent + counts.evidence + counts.persona + counts.conflicts + 30
    assert counts.counted_by == "characters"
    markers = {item.marker: item.id for item in (*result.recent, *result.evidence, *result.persona)}
    assert set(markers) == set(range(1, len(markers) + 1))
    assert result.text.count('"item": ') == len(markers)

    scoped = await memory.context("Where did I move to?", conversation_id="other")
    assert [item.id for item in scoped.recent] == [other]
    assert bergen in {item.id for item in scoped.evidence}  # evidence is looked for in everything
    assert (await memory.context("?!")).notes  # without any word nothing is searched, and the rest is there
    visits = service.ctx.visits.take(memory.user_id)
    assert visits


async def test_what_disagrees_is_shown_with_what_is_newest(memory: UserMemory, clock: FakeClock) -> None:
    await told(memory, BERGEN, "My birthday is 3 May 1990.", promoted=True)
    clock.move(days=1)
    await told(memory, "My birthday is 4 June 1991.", promoted=True)
    clock.move(days=1)
    (oslo,) = await told(memory, "I moved to Oslo yesterday.")
    result = await memory.context("Where do I live, and when is my birthday?")
    by_kind = {one.kind: one for one in result.conflicts}
    assert set(by_kind) == {"unsettled", "newer_evidence"}
    newer = by_kind["newer_evidence"]
    texts = {item.marker: item for item in (*result.recent, *result.evidence, *result.persona)}
    assert [texts[marker].text for marker in newer.markers] == [
        "The user lives in Bergen.",
        "I moved to Oslo yesterday.",
    ]
    assert newer.page_ids == [oslo]
    assert newer.newest == newer.markers[1]
    assert by_kind["unsettled"].newest is None
    assert len(by_kind["unsettled"].fact_ids) == 2
    assert '"newest": null' in result.text


async def test_case_u37_huge_turns_keep_the_budget_and_what_was_cut_is_told(
    memory: UserMemory, service: MemoryService
) -> None:
    noise = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. "
    needle = "The code of my locker is 4417."
    huge = [TurnIn(user_input=f"{n} " + noise * 1500, assistant_response="😀" * 20_000) for n in range(4)]
    hidden = TurnIn(user_input=noise * 800 + needle + " " + noise * 800, assistant_response="x" * 50_000)
    ids = await told(memory, hidden, *huge, "The kettle is broken")
    counter = ModelCounter("all-MiniLM-L6-v2", SentenceTransformerEmbedder().tokenizer)
    by_model = MemoryService(replace(service.ctx, tokens=counter), Worker(service.ctx)).user(memory.user_id)
    for user, budget in ((memory, 1_000), (by_model, 1_000), (by_model, 300)):
        result = await user.context("What is the code of my locker?", budget_tokens=budget)
        counts = result.tokens
        assert counts.total == user._ctx.tokens.count(result.text) <= budget
        assert counts.recent + counts.evidence + counts.persona + counts.conflicts <= budget
        (item,) = [item for item in (*result.recent, *result.evidence) if item.id == ids[0]][:1]
        assert item.shortened
        (shown,) = [source for source in item.sources if source.side == "user"]
        assert needle in shown.quote
        assert shown.quote == hidden.user_input[shown.start : shown.end]
        cut = {one.id: one for one in result.cuts}
        assert (cut[ids[0]].reason, cut[ids[0]].tokens > budget) == ("shortened", True)
        listed = {item.id for item in (*result.recent, *result.evidence)}
        assert {one.id for one in result.cuts if one.reason == "left_out"} == set(ids) - listed
        assert "😀" not in "".join(source.quote for source in item.sources)


async def test_recent_turns_and_persona_are_those_of_the_moment_asked_for(memory: UserMemory, clock: FakeClock) -> None:
    await told(memory, BERGEN, promoted=True)
    then = clock.now()
    clock.move(days=40)
    (oslo,) = await told(memory, "I moved to Oslo.")
    now = await memory.context("Where do I live?")
    past = await memory.context("Where do I live?", known_at=then)
    assert oslo in {item.id for item in now.recent}
    assert past.recent == []
    assert [item.text for item in past.persona] == ["The user lives in Bergen."]
    await memory.maintain("all", force=True)
    both = await memory.context("Where does the user live?", include=["superseded"])
    assert {item.text for item in both.evidence if item.kind == "fact"} >= {"The user lives in Bergen."}
    assert '"past": true' in both.text
    assert '"past": true' not in (await memory.context("Where does the user live?")).text
    early = await memory.context("Where do I live?", as_of=datetime(2020, 1, 1, tzinfo=UTC))
    assert (early.persona, early.recent) == ([], [])


async def test_an_unanswered_question_is_no_evidence(memory: UserMemory, service: MemoryService) -> None:
    await told(memory, BERGEN)
    question = "What is the name of my grandmother's parrot?"
    first = await memory.answer(question)
    assert (first.abstained, first.weak) == (True, True)
    await memory.maintain("index")
    again = await memory.answer(question)
    assert (again.abstained, again.weak) == (True, True)
    rows = await ask(service, "MATCH (a:Answer {user_id: $u}) RETURN a.abstained AS a", u=memory.user_id)
    assert rows == [{"a": True}] * 2
