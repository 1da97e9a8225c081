"""Decisions of callers about facts: what is so instead, since when, what stays readable, and that it holds."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.contract import FactOut
from memoryos_graph.errors import Conflict, InvalidInput, MemoryosError, NotFound

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants, everything_stored
from ..pipeline.said import Said

pytestmark = pytest.mark.engine

OSLO = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."}
JAZZ = {"predicate": "likes", "object": "jazz", "text": "The user likes jazz."}
MYSQL = {"predicate": "uses", "object": "Postgres", "text": "The user uses Postgres."}


async def _fact(said: Said, object: str, **asked: Any) -> FactOut:
    (fact,) = [one for one in (await said.memory.facts(**asked)).items if one.object == object]
    return fact


async def _faults(*calls: Awaitable[object]) -> list[str]:
    """The kind of error that each call ends in."""
    kinds = []
    for call in calls:
        with pytest.raises(MemoryosError) as caught:
            await call
        kinds.append(caught.value.code)
    return kinds


async def test_case_c7_c12_c19_a_just_added_fact_is_corrected_and_all_of_it_is_kept(
    said: Said, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    page_id = await said.say("I live in Oslo", OSLO, conversation_id="home")
    old = await _fact(said, "Oslo")
    answer = await said.memory.answer("Where do I live?")
    fake_embedder.calls.clear()
    done = await said.memory.correct(old.fact_id, "No, I live in Bergen.", reason="a slip", version=old.version)
    ((first, *others),) = fake_embedder.calls
    assert (first, [text.split("\n")[0] for text in others]) == ("The user lives in Bergen.", ["I live in Bergen"])
    new = done.fact
    assert (new.object, new.text, new.status, new.origin) == ("Bergen", "The user lives in Bergen.", "current", "user")
    assert (new.valid_from, new.supersedes, new.kind) == (old.valid_from, [old.fact_id], old.kind)
    assert [(s.side, s.start, s.speaker) for s in new.sources] == [("user", 4, "user")]
    page = await said.memory.turn(new.sources[0].page_id)
    assert (page.user_input, page.origin, page.tier, page.conversation_id) == (
        "No, I live in Bergen.", "correction", "none", "home",
    )  # fmt: skip
    event = done.event
    assert (event.kind, event.actor, event.ids) == ("correct", "caller", [new.fact_id, old.fact_id, page.page_id])
    was = await said.memory.fact(old.fact_id)
    assert (was.text, was.status, was.retired_at, was.valid_to) == (old.text, "retracted", new.recorded_at, None)
    assert was.superseded_by == [new.fact_id]
    (link,) = (await said.memory.fact_history(new.fact_id)).supersessions
    assert (link.kind, link.reason, link.actor, link.at) == ("correction", "a slip", "caller", clock.now())
    await said.memory.maintain()
    found = await said.memory.search("where do I live, Oslo or Bergen?", kinds=["fact"])
    assert [hit.id for hit in found.hits] == [new.fact_id]
    assert page.page_id in {hit.id for hit in (await said.memory.search("Bergen", kinds=["page"])).hits}
    context = await said.memory.context("Where do I live, Oslo or Bergen?")
    shown = {item.id for part in (context.persona, context.evidence) for item in part}
    assert new.fact_id in shown
    assert old.fact_id not in shown
    again = await said.memory.answer("Where do I live, Oslo or Bergen?")
    used = [(one.answer_id, one.cited) for one in (await said.memory.why(new.fact_id)).used_by_answers]
    assert used == [(again.answer_id, True)]
    assert [one.answer_id for one in (await said.memory.why(old.fact_id)).used_by_answers] == [answer.answer_id]
    assert (await said.memory.profile()).text == "Profile:\n- The user lives in Bergen."
    assert [v.removed[0].object for v in (await said.memory.profile_versions()).items[:1]] == ["Oslo"]
    stored = "MATCH (e:Event|Run {user_id: $user_id}) RETURN collect(properties(e)) AS all"
    (row,) = await ask(said.service, stored, user_id=said.memory.user_id)
    assert not [word for word in ("slip", "Bergen") if word in str(row["all"])]
    assert await said.memory.turn(page_id)
    await assert_invariants(said.service, said.memory.user_id)


async def test_case_c14_a_correction_holds_against_reading_and_importing_again(said: Said, clock: FakeClock) -> None:
    batch: list[Any] = [
        {"id": "t1", "user_input": "I live in Oslo", "event_time": "2026-01-01T00:00:00Z"},
        {"id": "t2", "user_input": "I like jazz", "event_time": "2026-01-02T00:00:00Z"},
        {"id": "t3", "user_input": "I like chess", "event_time": "2026-01-03T00:00:00Z"},
    ]
    chess = {"predicate": "likes", "object": "chess"}
    said.provider.claims = {"I live in Oslo": [OSLO], "I like jazz": [JAZZ], "I like chess": [chess]}
    await said.memory.remember(batch)
    await said.memory.maintain()
    clock.move(days=1)
    await said.memory.correct((await _fact(said, "Oslo")).fact_id, "I live in Bergen")
    await said.memory.correct((await _fact(said, "jazz")).fact_id, object="blues")
    await said.memory.retract((await _fact(said, "chess")).fact_id)
    decided = await said.objects()
    assert decided == ["Bergen", "blues"]
    facts = [fact.model_dump() for fact in (await said.memory.facts(status=None)).items]
    unread = """MATCH (p:Page {user_id: $user_id})-[m:IN_SEGMENT]->(s:Segment) REMOVE m.analysed_run
                WITH s, count(m) AS n SET s.n_unread = n, s.unread_since = $now"""
    for _ in range(2):
        clock.move(days=1)
        await ask(said.service, unread, user_id=said.memory.user_id, now=clock.now())
        assert not any(turn.created for turn in await said.memory.remember(batch))
        assert (await said.memory.maintain()).runs
        assert [fact.model_dump() for fact in (await said.memory.facts(status=None)).items] == facts
    # read otherwise, from other words of the same pages; and told without ids, as by another export
    said.provider.claims = {
        "I live in Oslo": [OSLO | {"quote": "live in Oslo"}],
        "I like jazz": [JAZZ | {"quote": "like jazz"}],
        "I like chess": [chess | {"quote": "like chess"}],
    }
    await ask(said.service, unread, user_id=said.memory.user_id, now=clock.now())
    await said.memory.remember([{key: turn[key] for key in ("user_input", "event_time")} for turn in batch])
    await said.memory.maintain()
    assert await said.objects() == decided
    await assert_invariants(said.service, said.memory.user_id)
    # but what is said later is a new statement
    await said.say("I like jazz again", JAZZ)
    assert await said.objects() == [*decided, "jazz"]


async def test_case_c13_c21_one_of_five_facts_of_one_turn_and_of_one_user(
    said: Said, service: MemoryService, user_id: str
) -> None:
    five = [{"predicate": "uses", "object": name} for name in ("vim", "tmux", "Postgres", "Linux", "Rust")]
    await said.say("I use vim, tmux, Postgres, Linux and Rust", *five)
    other = Said(service, f"{user_id}-bo")
    await other.say("I use Postgres", MYSQL)
    everything = "MATCH (n) WHERE n.user_id = $user_id OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m.fact_id AS to"
    bo = await ask(service, everything, user_id=other.memory.user_id)
    before = {f.object: f for f in (await said.memory.facts()).items}
    stored = """MATCH (f:Fact {user_id: $user_id})-[d:DERIVED_FROM]->(p) WHERE f.object <> $but
                RETURN properties(f) AS f, properties(d) AS d, p.page_id AS page ORDER BY f.fact_id"""
    kept = await ask(service, stored, user_id=user_id, but="Postgres")
    done = await said.memory.correct(before["Postgres"].fact_id, "uses MySQL")
    assert (done.fact.object, done.fact.predicate) == ("MySQL", "uses")
    now = await ask(service, stored, user_id=user_id, but="Postgres")
    assert [row for row in now if row["f"]["fact_id"] != done.fact.fact_id] == kept
    assert await ask(service, everything, user_id=other.memory.user_id) == bo
    assert await said.objects() == ["Linux", "MySQL", "Rust", "tmux", "vim"]


async def test_case_c2_a_change_ends_what_was_true_and_the_history_shows_when(said: Said, clock: FakeClock) -> None:
    coffee = {"predicate": "drinks", "object": "coffee", "text": "The user drinks coffee."}
    await said.say("I drink coffee", coffee, at="2026-01-01T00:00:00Z")
    await said.say("I still drink coffee", coffee, at="2026-02-10T00:00:00Z")
    clock.move(days=1)
    before = clock.now()
    clock.move(days=1)
    old = await _fact(said, "coffee")
    done = await said.memory.change(old.fact_id, object="tea", valid_from="2026-02-01T00:00:00Z", reason="a headache")
    assert (done.fact.object, done.fact.text, done.event.kind) == ("tea", "The user drinks tea.", "change")
    assert await said.objects() == ["tea"]
    assert await said.objects(as_of="2026-01-15T00:00:00Z") == ["coffee"]
    assert await said.objects(as_of="2026-02-20T00:00:00Z") == ["tea"]
    assert await said.objects(as_of="2026-02-20T00:00:00Z", known_at=before.isoformat()) == ["coffee"]
    history = await said.memory.fact_history(done.fact.fact_id)
    shown = [(f.object, f.valid_to and f.valid_to.isoformat()) for f in history.items if f.status == "superseded"]
    assert ("coffee", "2026-02-01T00:00:00+00:00") in shown
    assert {(link.kind, link.reason) for link in history.supersessions} >= {("change", "a headache")}
    plain = await said.say("I like jazz", JAZZ)
    jazz = await _fact(said, "jazz")
    blues = (await said.memory.change(jazz.fact_id, "I like blues")).fact
    ended = await said.memory.fact(jazz.fact_id)
    assert (ended.valid_to, ended.retired_at, ended.superseded_by) == (clock.now(), None, [blues.fact_id])
    assert await said.memory.turn(plain)
    await assert_invariants(said.service, said.memory.user_id)


async def test_case_d4_c18_a_retraction_on_both_axes_counts_as_it_lists(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    await said.say("I like jazz", JAZZ, at="2026-01-01T00:00:00Z")
    clock.move(days=1)
    before = clock.now().isoformat()
    clock.move(days=1)
    old = await _fact(said, "Oslo")
    done = await said.memory.retract(old.fact_id, reason="a joke")
    assert (done.fact.fact_id, done.fact.status, done.fact.retired_at) == (old.fact_id, "retracted", clock.now())
    assert (done.fact.valid_from, done.fact.valid_to, done.fact.text) == (old.valid_from, None, old.text)
    assert [source.quote for source in done.fact.ends] == ["That is not so."]
    assert (done.event.kind, await said.objects()) == ("retract", ["jazz"])
    tree = await said.memory.why(old.fact_id)
    assert [page.reason for page in tree.pages if page.ends] == ["a joke"]
    for moment, listed in (
        ({"as_of": before}, ["jazz"]),
        ({"as_of": before, "known_at": before}, ["Oslo", "jazz"]),
        ({"as_of": clock.now().isoformat()}, ["jazz"]),
    ):
        assert await said.objects(**moment) == listed
        assert sum((await said.memory.stats(**moment)).facts.values()) == len(listed)
    await said.memory.maintain()
    for kind in ("page", "fact"):
        found = await said.memory.search("That is not so. Oslo", kinds=[kind])
        assert not {hit.id for hit in found.hits} & {old.fact_id, done.fact.ends[0].page_id}
    kinds = "MATCH (e:Event {user_id: $user_id}) RETURN collect(DISTINCT e.kind) AS kinds"
    (row,) = await ask(said.service, kinds, user_id=said.memory.user_id)
    assert {"retract", "correct"} & set(row["kinds"]) == {"retract"}


async def test_what_a_retracted_or_corrected_fact_had_replaced_holds_again(said: Said, clock: FakeClock) -> None:
    """I10: a retraction of a move lets the older city hold again, one of a correction what was corrected."""
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    await said.say("I like jazz", JAZZ, at="2026-01-01T00:00:00Z")
    rome = await said.memory.change((await _fact(said, "Oslo")).fact_id, object="Rome")
    blues = await said.memory.correct((await _fact(said, "jazz")).fact_id, object="blues")
    clock.move(days=1)
    await said.memory.retract(rome.fact.fact_id)
    await said.memory.retract(blues.fact.fact_id)
    assert await said.objects() == ["Oslo", "jazz"]
    assert (await _fact(said, "Oslo")).valid_to is None
    await assert_invariants(said.service, said.memory.user_id)


async def test_what_can_not_be_decided_is_refused_and_changes_nothing(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-10T00:00:00Z")
    await said.say("My birthday is on May 3", {"predicate": "birthday", "object": "05-03"}, at="2026-01-10T00:00:00Z")
    oslo, day = await _fact(said, "Oslo"), await _fact(said, "05-03")
    memory, before = said.memory, await ask(said.service, "MATCH (n {user_id: $user_id}) RETURN count(n)",
                                            user_id=said.memory.user_id)  # fmt: skip
    assert await _faults(
        memory.correct(oslo.fact_id, "I live in Bergen", version=oslo.version + 1),
        memory.correct("no-such-fact", "I live in Bergen"),
        memory.retract("no-such-fact"),
        memory.pin("no-such-fact"),
        memory.pin(oslo.fact_id, version=99),
        memory.restore(oslo.fact_id),
        memory.change(oslo.fact_id, "I live in Rome", valid_from="2026-01-09T00:00:00Z"),
        memory.change(day.fact_id, "My birthday is on May 4"),
        memory.correct(oslo.fact_id),
        memory.correct(oslo.fact_id, " "),
        memory.correct(oslo.fact_id, "I live in Rome", valid_from="2027-01-09T00:00:00Z"),
    ) == ["conflict", "not_found", "not_found", "not_found", *["conflict"] * 4, *["invalid_input"] * 3]
    with pytest.raises(NotFound):
        await said.service.user(f"{memory.user_id}-nobody").correct(oslo.fact_id, "I live in Bergen")
    after = await ask(said.service, "MATCH (n {user_id: $user_id}) RETURN count(n)", user_id=memory.user_id)
    assert after == before
    gone = (await memory.retract(oslo.fact_id)).fact
    with pytest.raises(Conflict, match="restore it"):
        await memory.correct(gone.fact_id, "I live in Bergen")
    with pytest.raises(InvalidInput, match="text or object"):
        await memory.correct(day.fact_id)


async def test_a_correction_renews_the_summaries_that_told_the_old_value(said: Said, service: MemoryService) -> None:
    page_id = await said.say("I live in Oslo", OSLO)
    (topic,) = (await said.memory.segments()).items
    assert "Oslo" in topic.summary
    done = await said.memory.correct((await _fact(said, "Oslo")).fact_id, object="Bergen")
    told = await said.memory.segment(topic.segment_id)
    assert ("Bergen" in told.summary, "Oslo" in told.summary, told.version) == (True, False, topic.version + 1)
    assert "oslo" not in " ".join(told.keywords).lower()
    query = """MATCH (v:SegmentVersion {user_id: $id})-[:DERIVED_FROM]->(p:Page) WHERE v.version = $version
               RETURN collect(p.page_id) AS pages"""
    (row,) = await ask(service, query, id=said.memory.user_id, version=told.version)
    assert set(row["pages"]) == {page_id, done.fact.sources[0].page_id}
    await assert_invariants(service, said.memory.user_id)
    plan = await said.memory.forget(pages=[done.fact.sources[0].page_id])
    await said.memory.confirm_forget(plan.plan_id)
    assert "Bergen" not in await everything_stored(service, said.memory.user_id)
    assert "Oslo" in (await said.memory.segment(topic.segment_id)).summary
    await assert_invariants(service, said.memory.user_id)
