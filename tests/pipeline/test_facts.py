"""Facts over time in the graph: what was true, what was believed, and why it ended. A test's claims, a real Neo4j."""

from __future__ import annotations

from datetime import datetime

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.domain.claim import FactKind, Stance
from memoryos_graph.domain.page import Side
from memoryos_graph.errors import InvalidInput, NotFound

from ..conftest import FakeClock
from ..graph import ask, assert_invariants
from .said import Said

pytestmark = pytest.mark.engine


@pytest.fixture
def said(service: MemoryService, user_id: str) -> Said:
    return Said(service, user_id)


def rated(letter: str, **over: object) -> dict[str, object]:
    return {"predicate": "drinks", "object": letter} | over


async def test_case_d2_d4_what_was_true_at_a_time_and_how_many(said: Said) -> None:
    await said.say("I drink coffee", rated("coffee"), at="2026-01-01T00:00:00Z")
    await said.say("I drink tea now", rated("tea"), at="2026-03-01T00:00:00Z")
    assert await said.objects() == ["tea"]
    for as_of, objects in (
        ("2025-12-31T00:00:00Z", []),
        ("2026-01-01T00:00:00Z", ["coffee"]),
        ("2026-02-01T00:00:00Z", ["coffee"]),
        ("2026-03-01T00:00:00Z", ["tea"]),
    ):
        assert await said.objects(as_of=as_of) == objects
        assert (await said.memory.stats(as_of=as_of)).facts == ({"current": 1} if objects else {})


async def test_case_d10_the_answer_echoes_its_moment(said: Said, clock: FakeClock) -> None:
    listed = await said.memory.facts(as_of="2020-01-01T00:00:00+01:00")
    assert listed.as_of == datetime.fromisoformat("2020-01-01T00:00:00+01:00")
    assert listed.known_at == clock.now()
    assert ((await said.memory.facts()).as_of, (await said.memory.facts()).known_at) == (None, None)


async def test_what_was_believed_is_answered_as_it_was_then(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", {"predicate": "lives_in", "object": "Oslo"}, at="2026-01-01T00:00:00Z")
    first = clock.now()
    clock.move(days=1)
    await said.say("Still in Oslo", {"predicate": "lives_in", "object": "Oslo"}, at="2026-01-20T00:00:00Z")
    second = clock.now()
    clock.move(days=1)
    moved = {"predicate": "lives_in", "object": "Rome", "stance": Stance.CHANGES}
    await said.say("I moved to Rome", moved, at="2026-02-01T00:00:00Z")
    third = clock.now()
    clock.move(days=1)
    in_between = {"predicate": "lives_in", "object": "Bergen"}
    await said.say("I live in Bergen", in_between, at="2026-01-10T00:00:00Z")  # told late: it splits Oslo
    (oslo,) = (await said.memory.facts(known_at=first)).items  # type: ignore[arg-type]
    assert (oslo.object, oslo.valid_to, oslo.status, oslo.support, len(oslo.sources)) == ("Oslo", None, "current", 1, 1)
    (oslo,) = (await said.memory.facts(known_at=second)).items
    assert (oslo.valid_to, oslo.support, len(oslo.sources)) == (None, 2, 2)
    assert await said.objects(known_at=third) == ["Rome"]
    assert await said.objects(known_at=third, as_of="2026-01-12T00:00:00Z") == ["Oslo"]
    assert await said.objects(as_of="2026-01-12T00:00:00Z") == ["Bergen"]
    assert await said.objects(as_of="2026-01-22T00:00:00Z") == ["Oslo"]
    (seen,) = (await said.memory.facts(known_at=third, as_of="2026-01-12T00:00:00Z")).items
    assert seen.valid_to == datetime.fromisoformat("2026-02-01T00:00:00Z")
    one = await said.memory.fact(oslo.fact_id, known_at=second)
    assert one == oslo
    with pytest.raises(NotFound):
        await said.memory.fact(oslo.fact_id, known_at="2025-01-01T00:00:00Z")
    listed = (await said.memory.facts(status=None)).items
    assert sorted(f.object for f in listed) == ["Bergen", "Oslo", "Oslo", "Rome"]  # older versions are in the history
    history = await said.memory.fact_history(oslo.fact_id)
    assert [f.object for f in history.items].count("Oslo") == 3
    assert {link.kind for link in history.supersessions} == {"change", "refresh"}
    await assert_invariants(said.service, said.memory.user_id)


async def test_status_is_never_used_for_another_moment(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", {"predicate": "lives_in", "object": "Oslo"}, at="2026-01-01T00:00:00Z")
    await ask(said.service, "MATCH (f:Fact {user_id: $user_id}) SET f.status = 'archived'", user_id=said.memory.user_id)
    (fact,) = (await said.memory.facts(as_of=clock.now())).items
    assert fact.status == "current"
    with pytest.raises(InvalidInput, match="status"):
        await said.memory.facts(as_of=clock.now(), status="superseded")


async def test_a_correction_is_believed_until_it_is_corrected(said: Said, clock: FakeClock) -> None:
    await said.say("My cat is Maya", {"predicate": "has_pet", "object": "Maya"}, at="2026-01-01T00:00:00Z")
    before = clock.now()
    clock.move(days=1)
    right = {"predicate": "has_pet", "object": "Mia", "stance": Stance.CORRECTS, "replaces": "Maya"}
    await said.say("Mia, not Maya", right, at="2026-01-05T00:00:00Z")
    assert await said.objects(known_at=before) == ["Maya"]
    assert await said.objects(as_of="2026-01-02T00:00:00Z") == ["Mia"]
    (maya,) = (await said.memory.facts(status="retracted")).items
    assert (maya.valid_to, maya.retired_at) == (None, clock.now())
    assert (await said.memory.fact(maya.fact_id, known_at=before)).status == "current"
    await said.say("My cat is Maya", at="2026-01-05T00:00:00Z")
    assert await said.objects() == ["Mia"]


async def test_why_it_ended_leads_to_the_words(said: Said) -> None:
    await said.say("I work at Acme", {"predicate": "works_at", "object": "Acme"}, at="2026-01-01T00:00:00Z")
    end = {"predicate": "works_at", "stance": Stance.ENDS}
    page_id = await said.say("I quit my job", end, at="2026-02-01T00:00:00Z")
    assert await said.objects() == []
    (fact,) = (await said.memory.facts(status="superseded")).items
    assert fact.valid_to == datetime.fromisoformat("2026-02-01T00:00:00Z")
    assert ([s.page_id for s in fact.ends], len(fact.sources)) == ([page_id], 1)
    tree = await said.memory.why(fact.fact_id)
    assert [(page.ends, page.source.quote) for page in tree.pages] == [
        (False, "I work at Acme"),
        (True, "I quit my job"),
    ]
    assert fact.fact_id in {f.fact_id for f in (await said.memory.turn(page_id)).facts}
    await assert_invariants(said.service, said.memory.user_id)


async def test_an_end_that_is_read_first_waits_for_what_it_ends(said: Said) -> None:
    end = {"predicate": "likes", "object": "tennis", "stance": Stance.ENDS}
    await said.say("I don't play tennis any more", end, at="2026-02-01T00:00:00Z")
    (run, *_) = [r for r in (await said.memory.runs()).items if r.kind == "promote"]
    assert run.rejected == {"nothing_to_end": 1}
    assert await said.objects(status=None) == []
    await said.say("I like tennis", {"predicate": "likes", "object": "Tennis"}, at="2026-01-01T00:00:00Z")
    (fact,) = (await said.memory.facts(status=None)).items
    assert (fact.status, len(fact.ends)) == ("superseded", 1)
    waiting = "MATCH (:User {user_id: $user_id})-[h:HEARD]->() RETURN h.predicate AS predicate"
    assert await ask(said.service, waiting, user_id=said.memory.user_id) == []


async def test_conflicts_are_shown_on_both_sides_until_they_are_settled(said: Said, clock: FakeClock) -> None:
    await said.say("Born on 14 May", {"predicate": "birthday", "object": "05-14"}, at="2026-01-01T00:00:00Z")
    await said.say("Born on 15 May", {"predicate": "birthday", "object": "05-15"}, at="2026-01-08T00:00:00Z")
    unclear = clock.now()
    assert await said.objects() == []
    one, other = (await said.memory.facts(status="conflicted")).items
    assert (one.conflicts_with, other.conflicts_with) == ([other.fact_id], [one.fact_id])
    assert [f.fact_id for f in (await said.memory.why(one.fact_id)).conflicts] == [other.fact_id]
    edge = "MATCH (:Fact {user_id: $user_id})-[c:CONFLICTS_WITH]->() RETURN c.detector AS detector, c.at AS at"
    assert [r["detector"] for r in await ask(said.service, edge, user_id=said.memory.user_id)] == ["policy"]
    clock.move(days=1)
    right = {"predicate": "birthday", "object": "05-14", "stance": Stance.CORRECTS}
    await said.say("It really is 14 May", right, at="2026-01-09T00:00:00Z")
    assert await said.objects() == ["05-14"]
    assert (await said.memory.facts()).items[0].conflicts_with == []
    assert {f.status for f in (await said.memory.facts(known_at=unclear)).items} == {"conflicted"}
    (conflict,) = (await said.memory.fact_history(one.fact_id)).conflicts
    assert (conflict.at, conflict.until) == (unclear, clock.now())


async def test_case_c4_u22_one_fact_with_exactly_its_sources(said: Said, clock: FakeClock) -> None:
    claim = {"predicate": "allergic_to", "object": "nuts"}
    pages = [await said.say("I am allergic to nuts", claim, conversation_id=f"c{n}") for n in range(3)]
    (fact,) = (await said.memory.facts()).items
    assert ({s.page_id for s in fact.sources}, fact.support) == (set(pages), 3)
    await said.memory.maintain()
    assert (await said.memory.facts()).items == [fact]
    assert (await said.memory.stats()).facts == {"current": 1}


async def test_case_p7_p10_who_said_it_is_kept_and_can_be_filtered(said: Said) -> None:
    claim = {"predicate": "allergic_to", "object": "nuts"}
    await said.say("I am allergic to nuts", claim)
    echo = claim | {"side": Side.ASSISTANT, "quote": "you are allergic to nuts"}
    await said.say("What can I eat?", echo, assistant_response="Mind that you are allergic to nuts.")
    (fact,) = (await said.memory.facts()).items
    assert ([s.speaker for s in fact.sources], fact.support) == (["user", "assistant"], 1)
    assert fact.confidence == pytest.approx(0.8)
    await said.say("I like figs", {"predicate": "likes", "object": "figs"})
    assert await said.objects(origin="assistant") == ["nuts"]
    assert await said.objects(origin="user") == ["figs", "nuts"]
    assert await said.objects(origin="tool") == []
    assert await said.objects(origin="assistant", as_of="2026-04-01T00:00:00Z") == ["nuts"]


async def test_case_u26_imported_history_has_both_times(said: Said, clock: FakeClock) -> None:
    await said.say("I work as a nurse", {"predicate": "works_as", "object": "nurse"}, at="2021-02-03T10:00:00+09:00")
    (fact,) = (await said.memory.facts()).items
    assert (fact.valid_from, fact.recorded_at) == (datetime.fromisoformat("2021-02-03T01:00:00Z"), clock.now())


async def test_case_d13_dates_do_not_break_the_next_statement(said: Said) -> None:
    trip = {
        "predicate": "plans_to",
        "object": "see Rome",
        "valid_from": datetime.fromisoformat("2026-05-01T00:00:00Z"),
        "valid_to": datetime.fromisoformat("2026-05-07T00:00:00Z"),
    }
    await said.say("I go to Rome in May", trip, at="2026-02-01T00:00:00Z")
    later = {"valid_from": datetime.fromisoformat("2026-06-01T00:00:00Z"), "valid_to": None}
    await said.say("Rome is in June now", trip | later, at="2026-02-05T00:00:00Z")
    (fact,) = (await said.memory.facts()).items
    assert (fact.valid_from.month, fact.valid_to) == (6, None)
    assert await said.objects(as_of="2026-05-03T00:00:00Z") == []


async def test_what_is_over_by_the_clock_is_not_current(said: Said, clock: FakeClock) -> None:
    until = {"valid_to": datetime.fromisoformat("2026-04-01T00:00:00Z")}
    await said.say("I work at Acme until April", {"predicate": "works_at", "object": "Acme"} | until)
    assert await said.objects() == ["Acme"]
    clock.move(days=60)
    assert (await said.objects(), await said.objects(status="superseded")) == ([], ["Acme"])
    assert (await said.memory.stats()).facts == {"superseded": 1}


async def test_knowledge_that_was_said_a_week_apart_is_profile_from_then_on(said: Said, clock: FakeClock) -> None:
    claim = {"predicate": "likes", "object": "jazz"}
    await said.say("I like jazz", claim, at="2026-01-01T00:00:00Z")
    before = clock.now()
    clock.move(days=1)
    await said.say("Jazz is great", claim, at="2026-01-08T00:00:00Z")
    assert await said.objects(kind="profile") == ["jazz"]
    assert await said.objects(kind="profile", known_at=before) == []
    (then,) = (await said.memory.facts(kind="knowledge", known_at=before)).items
    assert then.kind == "knowledge"


async def test_a_trait_shows_its_level_and_reason_once_two_days_speak_for_it(said: Said) -> None:
    claim = {
        "predicate": "openness",
        "object": "high",
        "kind": FactKind.TRAIT,
        "text": "The user is very open to new things.",
        "reason": "Tries everything.",
    }
    await said.say("I try everything once", claim, at="2026-01-01T00:00:00Z")
    assert await said.objects(kind="trait") == await said.objects(as_of="2026-02-01T00:00:00Z") == []
    await said.say("New food again!", claim, at="2026-01-03T00:00:00Z")
    (trait,) = (await said.memory.facts(kind="trait")).items
    assert (trait.level, trait.reason, len(trait.sources)) == ("high", "Tries everything.", 2)
