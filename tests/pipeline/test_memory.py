"""From turns to facts by the offline rules, told from outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.errors import ModelUnavailable
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants

pytestmark = pytest.mark.engine


def _turns(*texts: str, conversation: str = "c") -> list[TurnIn]:
    return [TurnIn(user_input=text, assistant_response="I see.", conversation_id=conversation) for text in texts]


async def test_case_p1_why_leads_to_the_quote_and_its_place(service: MemoryService, memory: UserMemory) -> None:
    text = "Hello 👋🏽! By the way, I am allergic to penicillin. Thanks."
    (stored,) = await memory.remember(TurnIn(user_input=text, id="t1"))
    await memory.maintain()
    (fact,) = (await memory.facts()).items
    assert (fact.predicate, fact.object, fact.status) == ("allergic_to", "penicillin", "current")
    tree = await memory.why(fact.fact_id)
    (page,) = tree.pages
    assert page.source.page_id == stored.page_id
    assert text[page.source.start : page.source.end] == page.source.quote
    assert "allergic to penicillin" in page.source.quote
    assert (page.speaker, page.user_input, tree.extractor) == ("user", text, "rules")
    (detail,) = (await memory.turn(stored.page_id)).facts
    assert detail == fact
    await assert_invariants(service, memory.user_id)


async def test_case_x2_chinese_in_chinese_facts_out(memory: UserMemory) -> None:
    await memory.remember(TurnIn(user_input="我对花生过敏。", assistant_response="好的，我记住了。"))
    await memory.maintain()
    (fact,) = (await memory.facts()).items
    assert "花生" in fact.object
    assert "花生" in fact.sources[0].quote
    assert not any(c.isascii() and c.isalpha() for c in fact.text)


async def test_a_repeat_is_one_fact_with_exactly_its_sources(memory: UserMemory, clock: FakeClock) -> None:
    stored = await memory.remember(_turns("I live in Oslo.", "The weather is nice today.", "I live in Oslo."))
    await memory.maintain()
    (fact,) = (await memory.facts()).items
    assert {s.page_id for s in fact.sources} == {stored[0].page_id, stored[2].page_id}
    once = fact.confidence
    await memory.maintain()
    (again,) = (await memory.facts()).items
    assert (again.confidence, len(again.sources)) == (once, 2)


async def test_a_move_ends_the_old_address_and_keeps_it_readable(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(_turns("I live in Oslo."))
    await memory.maintain()
    clock.move(days=40)
    moved_at = clock.now()
    await memory.remember(_turns("I moved to Bergen last week."))
    await memory.maintain()
    (current,) = (await memory.facts()).items
    assert (current.predicate, current.object) == ("lives_in", "Bergen")
    old = next(f for f in (await memory.facts(status=None)).items if f.object == "Oslo")
    assert (old.status, old.superseded_by, current.supersedes) == ("superseded", [current.fact_id], [old.fact_id])
    assert old.valid_to is not None
    assert old.valid_to <= moved_at
    assert old.retired_at is None
    assert [f.object for f in (await memory.why(current.fact_id)).replaced] == ["Oslo"]


async def test_history_told_late_stays_history(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(TurnIn(user_input="I live in Bergen.", event_time=clock.now()))
    await memory.maintain()
    clock.move(days=1)
    await memory.remember(TurnIn(user_input="I live in Oslo.", event_time="2020-05-01T10:00:00+02:00"))  # type: ignore[arg-type]
    await memory.maintain()
    (current,) = (await memory.facts()).items
    assert current.object == "Bergen"
    (old,) = (await memory.facts(status="superseded")).items
    assert (old.object, old.valid_to) == ("Oslo", current.valid_from)


async def test_case_u26_facts_carry_the_time_of_the_page(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(TurnIn(user_input="I work as a nurse.", event_time="2021-02-03T10:00:00+09:00"))  # type: ignore[arg-type]
    await memory.maintain()
    (fact,) = (await memory.facts()).items
    assert fact.valid_from.isoformat() == "2021-02-03T01:00:00+00:00"
    assert fact.recorded_at == clock.now()
    assert fact.sources[0].event_time == fact.valid_from


async def test_case_d5_a_time_near_midnight_keeps_its_utc_day(memory: UserMemory) -> None:
    (stored,) = await memory.remember(TurnIn(user_input="late", event_time="2026-05-01T02:00:00Z"))  # type: ignore[arg-type]
    assert (await memory.turn(stored.page_id)).event_time.isoformat() == "2026-05-01T02:00:00+00:00"


async def test_case_l16_a_full_queue_drops_nothing(service: MemoryService, memory: UserMemory) -> None:
    for n in range(20):
        await memory.remember(TurnIn(user_input=f"note number{n} about gardening"))
        await memory.maintain(force=False)
        stats = await memory.stats()
        assert stats.pages["stm"] <= 10
        assert stats.pages["stm"] + stats.pages["mtm"] == n + 1
    for n in range(20):
        hits = (await memory.search(f"number{n}", kinds=["page"])).hits
        assert hits[0].text == f"note number{n} about gardening"
    await assert_invariants(service, memory.user_id)


async def test_the_oldest_batch_migrates_when_short_term_memory_is_over_capacity(memory: UserMemory) -> None:
    await memory.remember([TurnIn(user_input=f"note {n}") for n in range(11)])
    done = await memory.maintain(force=False)
    assert [r.counts["pages"] for r in done.runs if r.kind == "migrate"] == [5]
    tiers = {t.user_input: t.tier for t in (await memory.turns()).items}
    assert [tiers[f"note {n}"] for n in range(11)] == ["mtm"] * 5 + ["stm"] * 6


async def test_case_l22_u14_a_dialogue_is_one_chain_over_a_restart(
    settings: object, user_id: str, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    words = "the cello lesson on Friday with the new bow"
    for texts in (
        [f"About {words} one", f"More about {words} two", f"And {words} three"],
        [f"Yes {words} four", f"So {words} five"],
    ):
        async with MemoryService.open(settings, worker=False, clock=clock, embedder=fake_embedder) as service:  # type: ignore[arg-type]
            for text in texts:
                await service.user(user_id).remember(TurnIn(user_input=text))
                clock.move(minutes=2)
            await service.user(user_id).maintain()
    async with MemoryService.open(settings, worker=False, clock=clock, embedder=fake_embedder) as service:  # type: ignore[arg-type]
        rows = await ask(
            service,
            "MATCH (p:Page {user_id: $user_id})-[:IN_CHAIN]->(c) RETURN count(p) AS pages, count(DISTINCT c) AS chains",
            user_id=user_id,
        )
        assert rows == [{"pages": 5, "chains": 1}]
        links = await ask(
            service,
            "MATCH (a:Page {user_id: $user_id})-[:CONTINUES]->(b:Page) RETURN count(*) AS continues",
            user_id=user_id,
        )
        assert links == [{"continues": 4}]
        await assert_invariants(service, user_id)


async def test_case_u16_migrating_the_middle_of_a_dialogue_leaves_its_links(
    service: MemoryService, memory: UserMemory
) -> None:
    await memory.remember([TurnIn(user_input=f"part {n} of the long story") for n in range(12)])
    await memory.maintain(force=False)
    rows = await ask(
        service,
        "MATCH (a:Page {user_id: $user_id})-[:NEXT]->(b:Page) RETURN a.seq AS a, b.seq AS b ORDER BY a",
        user_id=memory.user_id,
    )
    assert [(r["a"], r["b"]) for r in rows] == [(n, n + 1) for n in range(1, 12)]
    await assert_invariants(service, memory.user_id)


async def test_case_u05_a_failing_embedder_loses_nothing(
    service: MemoryService, memory: UserMemory, fake_embedder: FakeEmbedder
) -> None:
    await memory.remember([TurnIn(user_input=f"kept {n}") for n in range(12)])
    fake_embedder.fail_next = 1
    with pytest.raises(ModelUnavailable):
        await memory.maintain(force=False)
    assert len((await memory.turns()).items) == 12
    assert [r.error_code for r in (await memory.runs(state="failed")).items] == ["model_unavailable"]
    (added,) = await memory.remember(TurnIn(user_input="kept 12"))
    assert added.created
    assert (await memory.search("kept 3", kinds=["page"])).hits[0].text == "kept 3"
    await memory.maintain(force=False)
    stats = await memory.stats()
    assert stats.states == {"stored": 0, "indexed": 13, "failed": 0}
    await assert_invariants(service, memory.user_id)


async def test_a_failure_in_migration_leaves_the_pages_in_short_term_memory(
    service: MemoryService, memory: UserMemory, fake_embedder: FakeEmbedder
) -> None:
    await memory.remember([TurnIn(user_input=f"kept {n}") for n in range(12)])
    await memory.maintain("index")
    fake_embedder.fail_next = 1
    with pytest.raises(ModelUnavailable):
        await memory.maintain("migrate")
    assert (await memory.stats()).pages == {"stm": 12, "mtm": 0, "none": 0}
    await memory.maintain("migrate")
    assert (await memory.stats()).pages == {"stm": 7, "mtm": 5, "none": 0}


async def test_case_u07_pages_with_one_side_survive_migration(memory: UserMemory) -> None:
    await memory.remember(TurnIn(user_input="a note about the zeppelin"))
    await memory.remember(TurnIn(assistant_response="a reminder about the violin"))
    await memory.remember([TurnIn(user_input=f"filler {n}") for n in range(15)])
    await memory.maintain()
    for word in ("zeppelin", "violin"):
        assert word in (await memory.search(word, kinds=["page"])).hits[0].text


async def test_only_hot_segments_are_promoted_unless_forced(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(_turns("I am allergic to penicillin."))
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    (segment,) = (await memory.segments()).items
    assert segment.heat.heat == pytest.approx(2.0)
    assert (await memory.maintain("promote")).runs == []
    assert len((await memory.maintain("promote", force=True)).runs) == 1
    (segment,) = (await memory.segments()).items
    assert (segment.n_unread, segment.heat.l_interaction) == (0, 0)


async def test_heat_shows_its_parts_and_cools_with_the_clock(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(_turns("We talked about the garden."))
    await memory.maintain("index")
    await memory.maintain("migrate", force=True)
    await memory.search("garden")
    await memory.maintain("promote")
    (warm,) = (await memory.segments()).items
    assert (warm.heat.n_visit, warm.heat.l_interaction, warm.heat.recency) == (1, 1, 1.0)
    clock.move(seconds=1e7)
    (cool,) = (await memory.segments()).items
    assert cool.heat.recency == pytest.approx(0.3679, abs=1e-4)
    assert cool.heat.heat == pytest.approx(2.3679, abs=1e-4)


async def test_a_second_run_changes_nothing(memory: UserMemory) -> None:
    await memory.remember(_turns("I live in Oslo.", "I have a dog named Rex.", "I like jazz."))
    await memory.maintain()
    before = (await memory.stats(), await memory.facts(), await memory.segments())
    assert (await memory.maintain()).runs == []
    assert (await memory.stats(), await memory.facts(), await memory.segments()) == before


async def test_facts_are_never_taken_from_the_assistant(memory: UserMemory) -> None:
    await memory.remember(TurnIn(user_input="ok", assistant_response="I live in Oslo and I am allergic to nuts."))
    await memory.maintain()
    assert (await memory.facts(status=None)).items == []


async def test_a_full_segment_goes_on_in_another(service: MemoryService, user_id: str) -> None:
    settings = service.ctx.settings.model_copy(update={"segment_max_pages": 5})
    small = MemoryService(replace(service.ctx, settings=settings), Worker(service.ctx))
    memory = small.user(user_id)
    await memory.remember(_turns(*["The cello lesson about Bach on Friday."] * 15))
    await memory.maintain(force=True)
    rows = await ask(
        service,
        """MATCH (s:Segment {user_id: $user_id}) OPTIONAL MATCH (s)-[c:CONTINUES]->(n)
           RETURN s.n_pages AS pages, n.segment_id IS NOT NULL AS goes_on, c.score >= 0.6 AS fits
           ORDER BY s.segment_id""",
        user_id=user_id,
    )
    assert [row["pages"] for row in rows] == [5, 5, 5]
    assert [(row["goes_on"], row["fits"]) for row in rows] == [(True, True), (True, True), (False, None)]
    await assert_invariants(service, user_id)


async def test_a_batch_waits_for_its_oldest_page_and_is_always_the_same(
    service: MemoryService, memory: UserMemory
) -> None:
    stored = await memory.remember(_turns(*(f"note {n}" for n in range(12))))
    await memory.maintain("index")
    await ask(
        service,
        "MATCH (p:Page {user_id: $user_id, page_id: $page_id}) SET p.state = 'stored' RETURN count(p)",
        user_id=memory.user_id,
        page_id=stored[2].page_id,
    )
    assert (await memory.maintain("migrate")).runs == []
    await memory.maintain("index")
    (run,) = (await memory.maintain("migrate")).runs
    assert run.counts["pages"] == 5
    tiers = {t.seq: t.tier for t in (await memory.turns()).items}
    assert [seq for seq, tier in sorted(tiers.items()) if tier == "mtm"] == [1, 2, 3, 4, 5]
