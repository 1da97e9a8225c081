"""Facts that hold after all, are settled, kept, or stated by hand; and what each costs."""

from __future__ import annotations

from typing import Any

import pytest

from memoryos_graph.contract import FactOut
from memoryos_graph.domain.claim import FactKind, Stance
from memoryos_graph.store.connection import Tx

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants
from ..pipeline.said import Said

pytestmark = pytest.mark.engine

OSLO = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."}
ROME = {"predicate": "lives_in", "object": "Rome", "text": "The user lives in Rome.", "stance": Stance.CHANGES}
JAZZ = {"predicate": "likes", "object": "jazz", "text": "The user likes jazz."}


async def _fact(said: Said, object: str, **asked: Any) -> FactOut:
    (fact,) = [one for one in (await said.memory.facts(**asked)).items if one.object == object]
    return fact


async def test_a_correction_or_retraction_is_undone_by_restoring_the_old_fact(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    await said.say("I like jazz", JAZZ, at="2026-01-01T00:00:00Z")
    oslo, jazz = await _fact(said, "Oslo"), await _fact(said, "jazz")
    clock.move(days=1)
    bergen = (await said.memory.correct(oslo.fact_id, "I live in Bergen")).fact
    blues = (await said.memory.correct(jazz.fact_id, object="blues")).fact
    clock.move(days=1)
    between = clock.now().isoformat()
    clock.move(days=1)
    done = await said.memory.restore(oslo.fact_id, reason="it was Oslo after all")
    back = done.fact
    assert (back.object, back.text, back.status, back.valid_from) == ("Oslo", oslo.text, "current", oslo.valid_from)
    assert (done.event.kind, back.recorded_at) == ("restore", clock.now())
    assert [source.quote for source in back.sources] == ["I live in Oslo", oslo.text]
    await said.memory.restore(jazz.fact_id)
    assert await said.objects() == ["Oslo", "jazz"]
    assert await said.objects(known_at=between) == ["Bergen", "blues"]
    for undone in (bergen, blues):
        assert (await said.memory.fact(undone.fact_id)).status == "retracted"
    history = await said.memory.fact_history(back.fact_id)
    assert ("restore", "it was Oslo after all") in {(link.kind, link.reason) for link in history.supersessions}
    clock.move(days=1)
    gone = (await said.memory.retract(back.fact_id)).fact
    again = (await said.memory.restore(gone.fact_id)).fact
    assert (again.object, again.status, again.valid_from) == ("Oslo", "current", oslo.valid_from)
    assert await said.objects() == ["Oslo", "jazz"]
    clock.move(days=1)
    await said.say("I moved to Rome", ROME)
    assert await said.objects() == ["Rome", "jazz"]
    assert (await said.memory.restore(again.fact_id)).fact.valid_to is None
    assert await said.objects() == ["Oslo", "jazz"]
    await assert_invariants(said.service, said.memory.user_id)


async def test_what_had_ended_is_restored_and_what_was_over_is_retracted_and_restored_as_over(
    said: Said, clock: FakeClock
) -> None:
    await said.say("I play tennis", {"predicate": "plays", "object": "tennis"}, at="2026-01-01T00:00:00Z")
    quit_it = {"predicate": "plays", "object": "tennis", "stance": Stance.ENDS}
    await said.say("I quit tennis", quit_it, at="2026-02-01T00:00:00Z")
    over = await _fact(said, "tennis", status="superseded")
    gone = (await said.memory.retract(over.fact_id)).fact
    assert (gone.fact_id, gone.status, gone.valid_to) == (over.fact_id, "retracted", over.valid_to)
    clock.move(days=1)
    back = (await said.memory.restore(gone.fact_id)).fact
    assert (back.status, back.valid_from, back.valid_to) == ("superseded", over.valid_from, over.valid_to)
    clock.move(days=1)
    now = (await said.memory.restore(back.fact_id)).fact
    assert (now.status, now.valid_from, now.valid_to, await said.objects()) == (
        "current", over.valid_from, None, ["tennis"],
    )  # fmt: skip


async def test_a_fact_that_a_rollback_withdrew_is_restored(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    old = await _fact(said, "Oslo")
    clock.move(days=1)
    await said.memory.profile_rollback(0)
    assert await said.objects() == []
    back = (await said.memory.restore(old.fact_id)).fact
    assert (back.valid_from, await said.objects()) == (old.valid_from, ["Oslo"])


async def test_confirm_settles_a_conflict_and_proves_a_trait(said: Said, clock: FakeClock) -> None:
    birthday = {"predicate": "birthday", "text": "The user's birthday."}
    await said.say("My birthday is May 3", birthday | {"object": "05-03"})
    clock.move(days=1)
    await said.say("My birthday is May 4", birthday | {"object": "05-04"})
    trait = {"predicate": "openness", "object": "high", "kind": FactKind.TRAIT, "text": "Curious."}
    await said.say("What is that?", trait)
    right, open = await _fact(said, "05-04", status="conflicted"), await _fact(said, "high", status="proposed")
    clock.move(days=1)
    proven = (await said.memory.confirm(open.fact_id)).fact
    assert (proven.status, proven.level, proven.superseded_by, proven.recorded_at) == (
        "current",
        "high",
        [],
        clock.now(),
    )
    assert (await said.memory.fact(open.fact_id)).superseded_by == [proven.fact_id]
    done = await said.memory.confirm(right.fact_id, reason="it is on my passport")
    assert (done.fact.fact_id, done.fact.status, done.fact.conflicts_with) == (right.fact_id, "current", [])
    wrong = await _fact(said, "05-03", status="retracted")
    assert wrong.superseded_by == [right.fact_id]
    assert (await said.memory.fact_history(right.fact_id)).supersessions[0].reason == "it is on my passport"
    await assert_invariants(said.service, said.memory.user_id)


async def test_a_pinned_fact_stays_so_in_newer_versions(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO)
    fact = await _fact(said, "Oslo")
    done = await said.memory.pin(fact.fact_id, version=fact.version)
    assert (done.fact.pinned, done.fact.version, done.event.kind) == (True, fact.version + 1, "pin")
    assert done.event.numbers == {"pinned": 1}
    clock.move(days=1)
    await said.memory.retract(fact.fact_id)
    assert (await said.memory.restore(fact.fact_id)).fact.pinned
    let_go = await said.memory.pin(fact.fact_id, False)
    assert not let_go.fact.pinned


async def test_a_fact_stated_by_hand_is_a_page_and_a_fact_that_quotes_it(said: Said) -> None:
    done = await said.memory.state("I am allergic to nuts. I told nobody.")
    fact = done.fact
    assert (fact.predicate, fact.object, fact.sensitivity, fact.origin) == ("allergic_to", "nuts", "health", "user")
    page = await said.memory.turn(fact.sources[0].page_id)
    assert (page.origin, page.tier, page.user_input) == ("manual", "none", "I am allergic to nuts. I told nobody.")
    assert (done.event.kind, done.event.seq, done.event.ids) == ("state", 1, [fact.fact_id, page.page_id])
    noted = (await said.memory.state("the spare key hangs in the shed")).fact
    assert (noted.predicate, noted.object) == ("noted", "the spare key hangs in the shed")
    given = (await said.memory.state("Mo it is", predicate="name", object="Mo", conversation_id="c1")).fact
    assert (given.predicate, given.object, given.kind) == ("name", "Mo", "profile")
    corrected = (await said.memory.correct(noted.fact_id, "it hangs in the hall")).fact
    assert (corrected.predicate, corrected.object) == ("noted", "it hangs in the hall")
    again = (await said.memory.state("I am allergic to nuts")).fact
    assert (again.fact_id, again.support) == (fact.fact_id, 2)
    await said.memory.maintain()
    assert fact.sources[0].page_id in {hit.id for hit in (await said.memory.search("nuts", kinds=["page"])).hits}
    await assert_invariants(said.service, said.memory.user_id)


async def test_each_decision_has_a_constant_price(
    said: Said, fake_embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statements and embeddings, the same with one fact of a predicate and with many."""
    run: list[str] = []
    plain = Tx.run

    async def counted(tx: Tx, name: str, **params: Any) -> Any:
        run.append(name)
        return await plain(tx, name, **params)

    async def price(verb: str, *given: Any, **options: Any) -> tuple[int, int]:
        run.clear()
        fake_embedder.calls.clear()
        await getattr(said.memory, verb)(*given, **options)
        return len(run), sum(map(len, fake_embedder.calls))

    for many in (1, 30):
        objects = [f"song {many} {n}" for n in range(many)]
        await said.say(f"I like {many}", *({"predicate": "likes", "object": name} for name in objects))
        fact = await _fact(said, objects[0])
        with monkeypatch.context() as patch:
            patch.setattr(Tx, "run", counted)
            assert await price("correct", fact.fact_id, object=f"blues {many}", reason="why") == (17, 1)
            assert await price("restore", fact.fact_id, reason="why") == (17, 1)
        fact = await _fact(said, objects[0])
        with monkeypatch.context() as patch:
            patch.setattr(Tx, "run", counted)
            assert await price("confirm", fact.fact_id) == (15, 1)
            assert await price("change", fact.fact_id, object=f"soul {many}") == (16, 1)
            assert await price("pin", fact.fact_id) == (4, 0)
            assert await price("state", f"I like metal {many}") == (16, 1)
        soul = await _fact(said, f"soul {many}")
        with monkeypatch.context() as patch:
            patch.setattr(Tx, "run", counted)
            assert await price("retract", soul.fact_id) == (16, 0)
    models = "MATCH (r:Run {user_id: $user_id}) RETURN sum(r.model_calls) AS calls"
    assert await ask(said.service, models, user_id=said.memory.user_id) == [{"calls": 0}]
