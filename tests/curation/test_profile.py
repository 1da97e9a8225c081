"""The profile over time: versions with evidence, differences, and the way back (cases U01, U04, U25)."""

from __future__ import annotations

import pytest

from memoryos_graph.contract import FactOut
from memoryos_graph.domain.claim import FactKind, Stance
from memoryos_graph.domain.page import Side
from memoryos_graph.errors import InvalidInput, NotFound

from ..conftest import FakeClock
from ..graph import ask, assert_invariants
from ..pipeline.said import Said

pytestmark = pytest.mark.engine

OSLO = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."}
ROME = {"predicate": "lives_in", "object": "Rome", "text": "The user lives in Rome.", "stance": Stance.CHANGES}
JAZZ = {"predicate": "likes", "object": "jazz", "text": "The user likes jazz."}


def _as_known(facts: list[FactOut]) -> list[FactOut]:
    """Facts without `version`, which counts changes and is no part of what was believed."""
    return [fact.model_copy(update={"version": 0}) for fact in facts]


async def _three_updates(said: Said, clock: FakeClock) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    clock.move(days=1)
    await said.say("I like jazz", JAZZ, at="2026-01-02T00:00:00Z")
    clock.move(days=1)
    await said.say("I moved to Rome", ROME, at="2026-01-03T00:00:00Z")
    clock.move(days=1)


async def test_case_u01_u04_nothing_but_facts_makes_a_profile(said: Said) -> None:
    await said.say("You are a pirate from now on", assistant_response="The user is a pirate.")
    profile = await said.memory.profile()
    assert (profile.text, profile.facts, profile.version) == ("", [], 0)
    assert (await said.memory.profile_versions()).items == []


async def test_the_profile_is_the_facts_in_their_own_words(said: Said) -> None:
    await said.say("I live in Oslo", OSLO)
    await said.say("I like jazz", JAZZ)
    told = {"predicate": "name", "object": "Mo", "kind": FactKind.ASSISTANT_KNOWLEDGE, "subject": "assistant"}
    answer = "Call me Mo."
    await said.say("Hi", told | {"side": Side.ASSISTANT, "text": "The assistant is Mo."}, assistant_response=answer)
    profile = await said.memory.profile()
    assert profile.text == (
        "Profile:\n- The user lives in Oslo.\n\n"
        "Knowledge:\n- The user likes jazz.\n\n"
        "Assistant:\n- The assistant is Mo."
    )
    assert [f.object for f in profile.assistant] == ["Mo"]
    assert all(fact.sources for fact in (*profile.facts, *profile.assistant))
    assert await said.memory.profile() == profile


async def test_a_profile_is_in_the_language_of_its_facts(said: Said) -> None:
    await said.say("我住在北京", {"predicate": "lives_in", "object": "北京", "text": "用户住在北京。"})
    assert (await said.memory.profile()).text == "个人资料:\n- 用户住在北京。"


async def test_case_u25_versions_have_evidence_and_differ(said: Said, clock: FakeClock) -> None:
    await _three_updates(said, clock)
    versions = (await said.memory.profile_versions()).items
    assert [v.version for v in versions] == [3, 2, 1]
    assert ([f.object for f in versions[0].added], [f.object for f in versions[0].removed]) == (["Rome"], ["Oslo"])
    assert all(f.sources[0].quote for v in versions for f in (*v.added, *v.removed))
    assert versions[0].run_id in {run.run_id for run in (await said.memory.runs()).items}
    first = await said.memory.profile(version=1)
    assert [(f.object, f.status, f.valid_to) for f in first.facts] == [("Oslo", "current", None)]
    second = await said.memory.profile(version=2)
    assert second.text == "Profile:\n- The user lives in Oslo.\n\nKnowledge:\n- The user likes jazz."
    diff = await said.memory.profile_diff(1, 3)
    assert diff.text == "+ The user lives in Rome.\n+ The user likes jazz.\n- The user lives in Oslo."
    page = await said.memory.profile_versions(limit=2)
    rest = await said.memory.profile_versions(cursor=page.next_cursor)
    assert ([v.version for v in page.items], [v.version for v in rest.items]) == ([3, 2], [1])


async def test_a_profile_of_another_moment(said: Said, clock: FakeClock) -> None:
    await _three_updates(said, clock)
    versions = (await said.memory.profile_versions()).items
    then = await said.memory.profile(known_at=versions[1].at)
    assert (then.version, sorted(f.object for f in then.facts)) == (2, ["Oslo", "jazz"])
    assert sorted(f.object for f in (await said.memory.profile(as_of="2026-01-02T12:00:00Z")).facts) == ["Oslo", "jazz"]
    by_time = await said.memory.profile_diff(versions[1].at.isoformat())
    assert (by_time.from_version, by_time.to_version) == (2, 3)
    assert [f.object for f in by_time.added] == ["Rome"]
    with pytest.raises(NotFound):
        await said.memory.profile(version=4)
    with pytest.raises(InvalidInput, match="version"):
        await said.memory.profile(version=1, as_of="2026-01-02T12:00:00Z")
    assert (await said.memory.profile(version=0)).facts == []


async def test_case_u25_a_rollback_restores_a_version_and_forgets_nothing(said: Said, clock: FakeClock) -> None:
    await _three_updates(said, clock)
    before = clock.now()
    known = await said.memory.profile(known_at=before)
    listed = await said.memory.facts(known_at=before, as_of="2026-01-02T12:00:00Z")
    clock.move(days=1)
    done = await said.memory.profile_rollback(1)
    assert (done.version, done.restored_version, len(done.restored), len(done.retired), done.gone) == (4, 1, 1, 2, 0)
    now = await said.memory.profile()
    assert (now.text, now.version) == ("Profile:\n- The user lives in Oslo.", 4)
    (oslo,) = now.facts
    assert (oslo.valid_to, [s.quote for s in oslo.sources]) == (None, ["I live in Oslo"])
    assert _as_known((await said.memory.profile(known_at=before)).facts) == _as_known(known.facts)
    later = await said.memory.facts(known_at=before, as_of="2026-01-02T12:00:00Z")
    assert _as_known(later.items) == _as_known(listed.items)
    assert await said.objects(as_of="2026-01-03T12:00:00Z") == ["Oslo"]
    history = await said.memory.fact_history(oslo.fact_id)
    assert {link.kind for link in history.supersessions} == {"change", "rollback"}
    events = "MATCH (e:Event {user_id: $user_id, kind: 'profile_rollback'}) RETURN size(e.ids) AS ids, e.actor AS actor"
    assert await ask(said.service, events, user_id=said.memory.user_id) == [{"ids": 3, "actor": "caller"}]
    await assert_invariants(said.service, said.memory.user_id)
    again = await said.memory.profile_rollback(3)
    assert sorted(f.object for f in (await said.memory.profile()).facts) == ["Rome", "jazz"]
    assert (again.version, (await said.memory.profile_diff(3)).text) == (5, "")
    assert (await said.memory.profile_rollback(5)).version == 5  # nothing to do: no new version


async def test_after_a_rollback_life_goes_on(said: Said, clock: FakeClock) -> None:
    await _three_updates(said, clock)
    await said.memory.profile_rollback(1)
    clock.move(days=1)
    await said.say("I moved to Rome", ROME, at="2026-01-03T00:00:00Z")  # said once more, on another page
    assert await said.objects() == ["Rome"]
    (oslo,) = (await said.memory.facts(status="superseded")).items
    assert oslo.object == "Oslo"
    await said.memory.profile_rollback(0)
    assert await said.objects() == []
    with pytest.raises(NotFound):
        await said.memory.profile_rollback(99)
