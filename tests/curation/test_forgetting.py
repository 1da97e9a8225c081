"""Forget with proof: what goes, what stays, what must not come back (cases F1 to F22, P4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memoryos_graph import MemoryService, TurnIn
from memoryos_graph.curation import forgetting
from memoryos_graph.domain.claim import Stance
from memoryos_graph.domain.page import PageState
from memoryos_graph.errors import Conflict, InvalidInput, ModelUnavailable, NotFound, TryAgain

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants, everything_stored
from ..pipeline.said import Said
from .canaries import canaries, tell

pytestmark = pytest.mark.engine

OSLO = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."}
ROME = {"predicate": "lives_in", "object": "Rome", "text": "The user lives in Rome.", "stance": Stance.CHANGES}


async def forget(said: Said, **selector: Any) -> str:
    plan = await said.memory.forget(**selector)
    return (await said.memory.confirm_forget(plan.plan_id)).receipt_id


async def test_case_f1_f7_a_forgotten_turn_takes_its_facts_and_words_with_it(
    said: Said, service: MemoryService, user_id: str
) -> None:
    await said.say("My code is ZX-4417 and I live in Oslo", OSLO)
    await said.say("I like jazz", {"predicate": "likes", "object": "jazz", "text": "The user likes jazz."})
    (page,) = [t for t in (await said.memory.turns()).items if "4417" in t.user_input]
    (fact,) = [f for f in (await said.memory.facts()).items if f.predicate == "lives_in"]
    plan = await said.memory.forget(pages=[page.page_id], reason_code="sensitive", reference="T-1")
    assert plan.counts["goes"] == {"page": 1, "fact": 1}
    assert {i.id for i in plan.items if i.what == "goes"} == {page.page_id, fact.fact_id}
    assert "4417" in json.dumps(await ask(service, "MATCH (p:Page {user_id: $id}) RETURN p.user_input", id=user_id))
    receipt = await said.memory.confirm_forget(plan.plan_id)
    assert (receipt.reason_code, receipt.reference, receipt.counts["pages"]) == ("sensitive", "T-1", 1)
    assert set(receipt.ids) == {page.page_id, fact.fact_id}
    stored = await everything_stored(service, user_id)
    assert "zx-4417" not in stored.lower()  # the digits alone may stand in an id
    assert "Oslo" not in stored
    for query in ("ZX-4417", "My code is ZX-4417 and I live in Oslo"):
        hits = (await said.memory.search(query)).hits
        assert page.page_id not in {h.id for h in hits}
        assert not any("Oslo" in h.text for h in hits)
    assert [f.text for f in (await said.memory.facts(status=None)).items] == ["The user likes jazz."]
    assert "Oslo" not in (await said.memory.profile()).text
    with pytest.raises(NotFound):
        await said.memory.turn(page.page_id)
    await assert_invariants(service, user_id)
    check = await said.memory.verify_receipt(receipt.receipt_id, text="ZX-4417")
    assert (check.status, check.came_back, check.said_elsewhere) == ("absent", [], [])


async def test_case_f2_what_is_said_elsewhere_stays_with_that_source(
    said: Said, service: MemoryService, user_id: str
) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    await said.say("Oslo is where I live", OSLO, at="2026-01-02T00:00:00Z")
    first, second = reversed((await said.memory.turns()).items)
    plan = await said.memory.forget(pages=[first.page_id])
    (stays,) = [i for i in plan.items if i.what == "stays"]
    assert stays.through == [second.page_id]
    await said.memory.confirm_forget(plan.plan_id)
    (fact,) = (await said.memory.facts(status=None)).items
    assert [(s.page_id, s.quote) for s in fact.sources] == [(second.page_id, "Oslo is where I live")]
    assert (fact.fact_id, fact.support, fact.valid_from) == (stays.id, 1, second.event_time)
    await assert_invariants(service, user_id)


async def test_case_f21_what_the_forgotten_turn_ended_holds_again_at_all_times(
    said: Said, clock: FakeClock, service: MemoryService, user_id: str
) -> None:
    await said.say("I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    clock.move(days=1)
    await said.say("I moved to Rome", ROME, at="2026-02-01T00:00:00Z")
    between = clock.at
    clock.move(days=1)
    (rome,) = (await said.memory.facts()).items
    plan = await said.memory.forget(pages=[rome.sources[0].page_id])
    assert [i.text for i in plan.items if i.what == "holds_again"] == ["The user lives in Oslo."]
    await said.memory.confirm_forget(plan.plan_id)
    for moment in ({}, {"as_of": "2026-02-15T00:00:00Z"}, {"known_at": between}):
        (oslo,) = (await said.memory.facts(**moment)).items  # type: ignore[arg-type]
        assert (oslo.object, oslo.valid_to, oslo.status) == ("Oslo", None, "current")
    assert (await said.memory.profile()).text == "Profile:\n- The user lives in Oslo."
    await assert_invariants(service, user_id)


async def test_case_f14_one_fact_goes_and_its_page_stays_and_it_is_not_read_again(
    said: Said, service: MemoryService, user_id: str
) -> None:
    jazz = {"predicate": "likes", "object": "jazz", "text": "The user likes jazz.", "quote": "jazz"}
    await said.say("I live in Oslo and like jazz", OSLO, jazz)
    (oslo,) = [f for f in (await said.memory.facts()).items if f.predicate == "lives_in"]
    before = (await said.memory.stats()).facts["current"]
    receipt_id = await forget(said, facts=[oslo.fact_id])
    assert (await said.memory.stats()).facts["current"] == before - 1
    (page,) = (await said.memory.turns()).items
    assert page.user_input == "I live in Oslo and like jazz"
    await ask(
        service,
        "MATCH (:Page {user_id: $id})-[m:IN_SEGMENT]->(s) SET m.analysed_run = null, s.n_unread = 1",
        id=user_id,
    )
    (run,) = [r for r in (await said.memory.maintain()).runs if r.kind == "promote"]
    assert run.rejected == {"forgotten": 1}
    assert [f.text for f in (await said.memory.facts(status=None)).items] == ["The user likes jazz."]
    assert (await said.memory.verify_receipt(receipt_id)).status == "absent"
    with pytest.raises(Conflict, match=receipt_id) as refused:
        await said.memory.forget(facts=[oslo.fact_id])
    assert refused.value.code == "already_forgotten"
    await assert_invariants(service, user_id)


async def test_redact_blacks_the_words_out_where_they_stand(said: Said, service: MemoryService, user_id: str) -> None:
    said_once = "I live in Oslo and like jazz"
    await said.say(said_once, OSLO | {"quote": "live in Oslo"}, assistant_response="Nice.", metadata={"note": "Oslo"})
    (oslo,) = (await said.memory.facts()).items
    await forget(said, facts=[oslo.fact_id], redact=True)
    (page,) = (await said.memory.turns()).items
    assert page.user_input == "I ████████████ and like jazz"
    assert (page.assistant_response, page.metadata, page.state) == ("Nice.", {}, PageState.STORED)
    await said.memory.maintain()
    assert "Oslo" not in await everything_stored(service, user_id)
    assert (await said.memory.search("jazz")).hits[0].id == page.page_id
    await assert_invariants(service, user_id)


async def test_case_f18_f22_a_plan_changes_nothing_and_is_confirmed_once(
    said: Said, clock: FakeClock, service: MemoryService, user_id: str
) -> None:
    await said.say("My job is at Acme", id="a")
    await said.say("I need a new job soon", id="b")
    await said.say("The cat sleeps", id="c")
    before = (await said.memory.turns()).items
    plan = await said.memory.forget(query="job")
    assert plan.counts["goes"] == {"page": 2}
    assert {i.text for i in plan.items if i.what == "goes"} == {"My job is at Acme", "I need a new job soon"}
    assert (await said.memory.turns()).items == before
    assert "job" not in json.dumps(
        await ask(service, "MATCH (r:Run {user_id: $id}) RETURN properties(r)", id=user_id), default=str
    )
    with pytest.raises(InvalidInput, match="also"):
        await said.memory.confirm_forget(plan.plan_id, also=["nope"])
    receipt = await said.memory.confirm_forget(plan.plan_id)
    assert await said.memory.confirm_forget(plan.plan_id) == receipt
    assert [t.id for t in (await said.memory.turns()).items] == ["c"]
    with pytest.raises(NotFound):
        await said.memory.forget(query="job")
    late = await said.memory.forget(since="2000-01-01T00:00:00Z")
    clock.move(hours=2)
    with pytest.raises(NotFound):
        await said.memory.confirm_forget(late.plan_id)
    assert (await said.memory.receipts()).items == [receipt]


async def test_a_plan_that_means_something_else_now_is_refused(said: Said, service: MemoryService) -> None:
    await said.memory.remember(TurnIn(user_input="I live in Oslo"))
    (page,) = (await said.memory.turns()).items
    plan = await said.memory.forget(pages=[page.page_id])
    said.provider.claims["I live in Oslo"] = [OSLO]
    await said.memory.maintain()
    with pytest.raises(Conflict) as refused:
        await said.memory.confirm_forget(plan.plan_id)
    assert refused.value.code == "plan_changed"
    assert len((await said.memory.turns()).items) == 1


async def test_case_f19_what_was_forgotten_stays_so_when_it_is_told_again(said: Said, clock: FakeClock) -> None:
    turn = TurnIn(user_input="My code is ZX-4417", id="t1")
    dated = TurnIn(user_input="We met in June", event_time="2025-06-01T10:00:00Z")  # type: ignore[arg-type]
    await said.memory.remember([turn, dated, TurnIn(user_input="The cat sleeps", id="t3")])
    ids = [t.page_id for t in (await said.memory.turns()).items if t.id != "t3"]
    receipt_id = await forget(said, pages=ids)
    again = await said.memory.remember([turn, dated])
    assert [(t.state, t.created) for t in again] == [(PageState.FORGOTTEN, False)] * 2
    assert {t.page_id for t in again} == set(ids)
    assert [t.id for t in (await said.memory.turns()).items] == ["t3"]
    assert (await said.memory.verify_receipt(receipt_id)).status == "absent"
    clock.move(days=1)
    (anew,) = await said.memory.remember(TurnIn(user_input="My code is ZX-4417", id="t9"))
    assert anew.created
    check = await said.memory.verify_receipt(receipt_id, text="zx-4417")
    assert (check.status, check.said_elsewhere) == ("said_elsewhere", [anew.page_id])


@pytest.mark.parametrize("selector", ["conversation_id", "assistant_id", "since", "pages"])
async def test_case_f17_every_selector_is_one_call(said: Said, selector: str) -> None:
    await said.memory.remember(
        [
            TurnIn(user_input="one", conversation_id="x", assistant_id="m", event_time="2025-06-01T10:00:00Z"),  # type: ignore[arg-type]
            TurnIn(user_input="two", conversation_id="y", event_time="2025-01-01T10:00:00Z"),  # type: ignore[arg-type]
        ]
    )
    first = next(t for t in (await said.memory.turns()).items if t.user_input == "one")
    chosen: dict[str, Any] = {
        "conversation_id": {"conversation_id": "x"},
        "assistant_id": {"assistant_id": "m"},
        "since": {"since": "2025-05-01T00:00:00Z", "until": "2025-07-01T00:00:00Z"},
        "pages": {"pages": [first.page_id]},
    }[selector]
    await forget(said, **chosen)
    assert [t.user_input for t in (await said.memory.turns()).items] == ["two"]


async def test_case_f5_f10_all_of_a_user_goes_and_nobody_else_changes(
    said: Said, service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    other = Said(service, f"{user_id}-bo")
    for one in (said, other):
        await one.say("My PIN is ZX-4417 and I live in Oslo", OSLO, id="t1")
    untouched = await everything_stored(service, other.memory.user_id)
    receipt_id = await forget(said, everything=True)
    assert await ask(service, "MATCH (n {user_id: $id}) RETURN labels(n)", id=user_id) == []
    key = service.ctx.secret.user_key(user_id)
    left = await ask(
        service, "MATCH (n {user_key: $key}) RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label", key=key
    )
    assert left == [{"label": "Event", "n": 1}, {"label": "Receipt", "n": 1}, {"label": "Tombstone", "n": 1}]
    assert (await said.memory.receipt(receipt_id)).selector == "everything"
    assert (await said.memory.verify_receipt(receipt_id, text="4417")).status == "absent"
    assert await everything_stored(service, other.memory.user_id) == untouched
    (again,) = await said.memory.remember(TurnIn(user_input="My PIN is ZX-4417 and I live in Oslo", id="t1"))
    assert again.state is PageState.FORGOTTEN
    (anew,) = await said.memory.remember(TurnIn(user_input="Hello again", id="t2"))
    assert anew.created
    events = await ask(service, "MATCH (e:Event {user_id: $id}) RETURN e.kind AS kind ORDER BY e.seq", id=user_id)
    assert [e["kind"] for e in events] == ["forget_everything", "remember"]
    assert (await said.memory.receipt(receipt_id)).receipt_id == receipt_id


async def test_who_comes_back_by_stating_a_fact_finds_receipts_and_tombstones_too(said: Said) -> None:
    turn = TurnIn(user_input="My PIN is ZX-4417", id="t1")
    await said.memory.remember(turn)
    receipt_id = await forget(said, everything=True)
    await said.memory.state("I live in Oslo.")
    (again,) = await said.memory.remember(turn)
    assert again.state is PageState.FORGOTTEN
    assert (await said.memory.receipt(receipt_id)).selector == "everything"
    assert (await said.memory.verify_audit()).ok


async def test_a_forget_that_died_is_invisible_and_finished_before_any_other_work(
    said: Said, service: MemoryService, user_id: str
) -> None:
    for n in range(12):
        await said.memory.remember(TurnIn(user_input=f"I keep code ZX-{n} in Oslo", id=f"t{n}"))
    await said.memory.maintain()
    gone = [t.page_id for t in (await said.memory.turns()).items if t.id in ("t3", "t4", "t7")]
    plan = await said.memory.forget(pages=gone)
    await forgetting.begin(service.ctx, user_id, plan.plan_id)  # and the process dies here
    assert not set(gone) & {t.page_id for t in (await said.memory.turns()).items}
    for text in ("ZX-3", "ZX-7"):
        assert not any(text in hit.text for hit in (await said.memory.search(text)).hits)
    assert (await said.memory.receipts()).items == []
    with pytest.raises(NotFound):
        await said.memory.forget_plan(plan.plan_id)
    (again,) = await said.memory.remember(TurnIn(user_input="I keep code ZX-3 in Oslo", id="t3"))
    assert (again.state, again.created) == (PageState.FORGOTTEN, False)
    with pytest.raises(TryAgain):
        await said.memory.remember(TurnIn(user_input="Something else", id="t3"))
    await said.memory.maintain("index")
    (receipt,) = (await said.memory.receipts()).items
    assert receipt.receipt_id == plan.plan_id
    assert receipt == await said.memory.confirm_forget(plan.plan_id)
    stored = await everything_stored(service, user_id)
    assert not [n for n in (3, 4, 7) if f"ZX-{n} " in stored]
    await said.memory.maintain()
    await assert_invariants(service, user_id)


async def test_i3_words_in_every_place_they_can_enter_are_gone_everywhere(
    said: Said, service: MemoryService, user_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    words = canaries()
    pages = await tell(said, words)
    await said.memory.remember(TurnIn(user_input="The weather is fine", id="other"))
    before = await everything_stored(service, user_id)
    assert sum(word in before for word in words) >= 15
    plan = await said.memory.forget(pages=pages)
    receipt = await said.memory.confirm_forget(plan.plan_id)
    await said.memory.maintain()
    told = await everything_stored(service, user_id) + caplog.text + receipt.model_dump_json()
    told += (await said.memory.timeline()).model_dump_json() + (await said.memory.runs()).model_dump_json()
    told += (await said.memory.search(" ".join(words[:8]))).model_dump_json(exclude={"query"})
    told += (await said.memory.profile()).model_dump_json() + (await service.metrics()).decode()
    told += (b"".join([piece async for piece in said.memory.export()])).decode()
    assert [word for word in words if word in told] == []
    assert [t.id for t in (await said.memory.turns()).items] == ["other"]
    await assert_invariants(service, user_id)


async def test_an_answer_that_repeats_what_is_forgotten_loses_that_side(
    said: Said, service: MemoryService, user_id: str
) -> None:
    page_id = await said.say("I am allergic to hazelnuts")
    answer = await said.memory.answer("What am I allergic to?")
    assert "hazelnuts" in answer.text
    plan = await said.memory.forget(pages=[page_id])
    assert plan.counts["loses_words"] == {"page": 1}
    assert plan.counts["goes"] == {"page": 1, "answer": 1}
    await said.memory.confirm_forget(plan.plan_id)
    await said.memory.maintain()
    (question,) = (await said.memory.turns()).items
    assert (question.user_input, question.assistant_response, question.answer_id) == (
        "What am I allergic to?",
        "",
        None,
    )
    assert "hazelnuts" not in await everything_stored(service, user_id)
    with pytest.raises(NotFound):
        await said.memory.get_answer(str(answer.answer_id))
    await assert_invariants(service, user_id)


async def test_what_came_with_an_answering_side_goes_with_it(said: Said, service: MemoryService, user_id: str) -> None:
    """What tools told for an answer, and what was noted beside it, may repeat the words that it is made from."""
    page_id = await said.say("I am allergic to hazelnuts")
    answer = await said.memory.answer("What am I allergic to?")
    beside = {
        "tool_calls": json.dumps([{"name": "diet", "arguments": {}, "result_summary": "no hazelnuts"}]),
        "tool_text": "diet() → no hazelnuts",
        "metadata": json.dumps({"topic": "hazelnuts"}),
        "tags": ["hazelnuts"],
    }
    query = "MATCH (p:Page {user_id: $id, answer_id: $answer}) SET p += $beside"
    await ask(service, query, id=user_id, answer=answer.answer_id, beside=beside)
    await forget(said, pages=[page_id])
    (question,) = (await said.memory.turns()).items
    assert (question.user_input, question.tool_calls, question.metadata, question.tags) == (
        "What am I allergic to?", [], {}, [],
    )  # fmt: skip
    assert "hazelnuts" not in await everything_stored(service, user_id)
    await assert_invariants(service, user_id)


async def test_a_long_plan_is_read_page_by_page(said: Said) -> None:
    stored = await said.memory.remember([TurnIn(user_input=f"Note {n}", conversation_id="notes") for n in range(130)])
    plan = await said.memory.forget(conversation_id="notes")
    assert plan.counts["goes"] == {"page": 130}  # the counts are of all of it, whatever is listed
    sizes, listed, part = [len(plan.items)], list(plan.items), plan
    while part.next_cursor:
        part = await said.memory.forget_plan(plan.plan_id, limit=40, cursor=part.next_cursor)
        assert (part.plan_id, part.counts) == (plan.plan_id, plan.counts)
        sizes.append(len(part.items))
        listed += part.items
    goes = [item.id for item in listed if item.what == "goes"]
    assert sorted(goes) == sorted(turn.page_id for turn in stored)
    assert sizes[0] == 50
    assert max(sizes[1:]) == 40


async def test_a_forget_that_is_not_finished_knows_its_turns_again(
    said: Said, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    """Until a page is deleted it stands for its tombstone: by its id, by its request, by what it says with its time."""
    at = clock.at
    await said.memory.remember(TurnIn(user_input="Badge QX-1", id="t1"))
    await said.memory.remember(TurnIn(user_input="Badge QX-2"), idempotency_key="k")
    await said.memory.remember(TurnIn(user_input="Badge QX-3", event_time=at))
    plan = await said.memory.forget(conversation_id="assistant")
    await forgetting.begin(said.memory._ctx, said.memory.user_id, plan.plan_id)
    for _ in range(2):
        again = [
            *await said.memory.remember(TurnIn(user_input="Badge QX-1", id="t1")),
            *await said.memory.remember(TurnIn(user_input="Badge QX-2"), idempotency_key="k"),
            *await said.memory.remember(TurnIn(user_input="Badge QX-3", event_time=at, id="other")),
        ]
        assert [(turn.state, turn.created) for turn in again] == [(PageState.FORGOTTEN, False)] * 3
        await said.memory.confirm_forget(plan.plan_id)
    assert (await said.memory.turns()).items == []


async def test_what_was_said_a_moment_ago_is_found_by_its_words(said: Said) -> None:
    await said.memory.remember(TurnIn(user_input="My badge is QX-7781"))
    await said.memory.remember(TurnIn(user_input="Again: my badge is QX-7781", id="again"))
    plan = await said.memory.forget(query="badge QX-7781")
    assert plan.counts["goes"] == {"page": 2}
    found = await said.memory.search("When did I speak of badge QX-7781 yesterday?")  # before its index step
    assert {hit.text.split(": ")[-1] for hit in found.hits} == {"My badge is QX-7781", "my badge is QX-7781"}
    (first, _) = [item.id for item in plan.items if item.what == "goes"]
    plan = await said.memory.forget(pages=[first])
    assert plan.counts["also_said_in"] == {"page": 1}


async def test_case_f19_a_receipt_names_what_came_back(said: Said, service: MemoryService, user_id: str) -> None:
    page_id = await said.say("My code is ZX-4417", id="t1")
    await said.say("The cat sleeps")
    (row,) = await ask(service, "MATCH (p:Page {page_id: $id}) RETURN properties(p) AS page", id=page_id)
    receipt_id = await forget(said, pages=[page_id])
    await ask(service, "CREATE (p:Page) SET p = $page", page=row["page"])  # as a restored backup would
    check = await said.memory.verify_receipt(receipt_id, text="ZX-4417")
    assert (check.status, check.came_back) == ("came_back", [page_id])


async def test_cases_f4_f12_nothing_hangs_on_when_the_only_source_goes(
    said: Said, service: MemoryService, user_id: str
) -> None:
    page_id = await said.say("I live in Oslo and like jazz", OSLO, assistant_response="Oslo is fine.")
    assert "Oslo" in (await said.memory.profile()).text
    assert "Oslo" in (await said.memory.answer("Where do I live?", store=False)).text
    await forget(said, pages=[page_id])
    left = await ask(service, "MATCH (n {user_id: $id}) RETURN collect(DISTINCT labels(n)[0]) AS labels", id=user_id)
    assert set(left[0]["labels"]) <= {"User", "Run", "Event", "Receipt", "Tombstone", "ProfileVersion"}
    assert (await said.memory.profile()).text == ""
    answer = await said.memory.answer("Where do I live?", store=False)
    assert (answer.abstained, "Oslo" in answer.text) == (True, False)


async def test_case_f11_failed_jobs_and_repeats_of_requests_keep_nothing(
    said: Said, service: MemoryService, user_id: str, fake_embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    fake_embedder.fail_on = "ZX-4417"
    turn = TurnIn(user_input="My code is ZX-4417")
    (stored,) = await said.memory.remember(turn, idempotency_key="key-ZX-4417")
    with pytest.raises(ModelUnavailable):
        await said.memory.maintain("index")
    (run,) = (await said.memory.runs()).items
    assert (run.state, run.error_code) == ("failed", "model_unavailable")
    await forget(said, pages=[stored.page_id])
    fake_embedder.fail_on = None
    await said.memory.maintain()
    told = await everything_stored(service, user_id) + caplog.text + (await service.metrics()).decode()
    told += (await said.memory.runs()).model_dump_json()
    assert "zx-4417" not in told.lower()  # the digits alone may stand in an id
    (again,) = await said.memory.remember(turn, idempotency_key="key-ZX-4417")
    assert (again.state, again.created) == (PageState.FORGOTTEN, False)
