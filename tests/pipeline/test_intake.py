from __future__ import annotations

import asyncio

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.errors import Conflict, InvalidInput, TooLarge

from ..conftest import FakeClock
from ..graph import ask, assert_invariants

pytestmark = pytest.mark.engine


async def test_a_turn_is_stored_as_it_was_said(memory: UserMemory) -> None:
    said = TurnIn(
        user_input="Grüße 👋🏽 aus Köln\r\nzweite Zeile",
        assistant_response="e\u0301 stays two code points",
        id="t1",
        metadata={"a": [1, {"b": None}]},
        tags=["x"],
    )
    (stored,) = await memory.remember(said)
    page = await memory.turn(stored.page_id)
    assert (page.user_input, page.assistant_response) == (said.user_input, said.assistant_response)
    assert (page.metadata, page.tags, page.id, page.seq) == ({"a": [1, {"b": None}]}, ["x"], "t1", 1)
    assert (page.tier, page.state) == ("stm", "stored")


async def test_case_c17_the_same_id_gives_the_same_page(memory: UserMemory) -> None:
    turns = [TurnIn(user_input=f"line {n}", id=f"t{n}") for n in range(3)]
    first, again = await memory.remember(turns), await memory.remember(turns)
    assert [t.page_id for t in first] == [t.page_id for t in again]
    assert [t.created for t in again] == [False] * 3
    assert len((await memory.turns()).items) == 3


async def test_other_content_under_the_same_id_is_a_conflict_and_stores_nothing(memory: UserMemory) -> None:
    await memory.remember(TurnIn(user_input="one", id="t1"))
    with pytest.raises(Conflict, match=r"turns\[1\]"):
        await memory.remember([TurnIn(user_input="new", id="t2"), TurnIn(user_input="other", id="t1")])
    assert [t.user_input for t in (await memory.turns()).items] == ["one"]


async def test_an_id_twice_in_one_request_is_one_page(memory: UserMemory) -> None:
    first, second = await memory.remember([TurnIn(user_input="one", id="t1"), TurnIn(user_input="one", id="t1")])
    assert (first.page_id, first.seq) == (second.page_id, second.seq)
    with pytest.raises(Conflict):
        await memory.remember([TurnIn(user_input="a", id="t2"), TurnIn(user_input="b", id="t2")])


async def test_case_u13_one_idempotency_key_stores_a_batch_once(memory: UserMemory, clock: FakeClock) -> None:
    turns = [TurnIn(user_input="no id"), TurnIn(user_input="no id either")]
    first = await memory.remember(turns, idempotency_key="k1")
    again = await memory.remember(turns, idempotency_key="k1")
    assert [t.page_id for t in first] == [t.page_id for t in again]
    with pytest.raises(Conflict, match="Idempotency-Key"):
        await memory.remember([TurnIn(user_input="other")], idempotency_key="k1")
    clock.move(hours=25)
    (later,) = await memory.remember([TurnIn(user_input="other")], idempotency_key="k1")
    assert later.seq == 3


async def test_case_u41_two_services_of_one_user_both_keep_their_turns(
    service: MemoryService, user_id: str, settings: object, clock: FakeClock, fake_embedder: object
) -> None:
    async with MemoryService.open(settings, worker=False, clock=clock, embedder=fake_embedder) as other:  # type: ignore[arg-type]
        await asyncio.gather(
            *(s.user(user_id).remember(TurnIn(user_input=f"{n}")) for n in range(10) for s in (service, other))
        )
    turns = (await service.user(user_id).turns()).items
    assert sorted(t.seq for t in turns) == list(range(1, 21))
    assert sorted(t.user_input for t in turns) == sorted(f"{n}" for n in range(10) for _ in range(2))
    await assert_invariants(service, user_id)


async def test_case_n9_parallel_first_turns_make_one_user(service: MemoryService, user_id: str) -> None:
    memory = service.user(user_id)
    await asyncio.gather(*(memory.remember(TurnIn(user_input="same", conversation_id="c")) for _ in range(20)))
    counts = await ask(
        service,
        "MATCH (u:User {user_id: $user_id}) WITH count(u) AS users "
        "MATCH (c:Conversation {user_id: $user_id}) RETURN users, count(c) AS conversations",
        user_id=user_id,
    )
    assert counts == [{"users": 1, "conversations": 1}]
    await assert_invariants(service, user_id)


async def test_sessions_end_at_a_pause_and_at_forty_pages(memory: UserMemory, clock: FakeClock) -> None:
    async def sessions() -> list[str]:
        return [t.session_id for t in reversed((await memory.turns(limit=100)).items)]

    await memory.remember(TurnIn(user_input="morning"))
    clock.move(hours=3, minutes=59)
    await memory.remember(TurnIn(user_input="noon"))
    clock.move(hours=4)
    await memory.remember(TurnIn(user_input="evening"))
    first, second, third = await sessions()
    assert first == second != third
    await memory.remember([TurnIn(user_input=f"{n}") for n in range(45)])
    ids = await sessions()
    assert [ids.count(i) for i in dict.fromkeys(ids)] == [2, 40, 6]


async def test_next_follows_arrival_inside_a_session_only(
    service: MemoryService, memory: UserMemory, clock: FakeClock
) -> None:
    for conversation, text in [("a", "a1"), ("b", "b1"), ("a", "a2"), ("b", "b2")]:
        await memory.remember(TurnIn(user_input=text, conversation_id=conversation))
    clock.move(hours=9)
    await memory.remember([TurnIn(user_input="a3", conversation_id="a"), TurnIn(user_input="a4", conversation_id="a")])
    rows = await ask(
        service,
        "MATCH (a:Page {user_id: $user_id})-[:NEXT]->(b) "
        "RETURN a.user_input + '>' + b.user_input AS pair ORDER BY pair",
        user_id=memory.user_id,
    )
    assert [row["pair"] for row in rows] == ["a1>a2", "a3>a4", "b1>b2"]
    await assert_invariants(service, memory.user_id)


async def test_recorded_at_never_goes_back(memory: UserMemory, clock: FakeClock) -> None:
    await memory.remember(TurnIn(user_input="first"))
    clock.move(hours=-5)
    await memory.remember(TurnIn(user_input="second"))
    second, first = (await memory.turns()).items
    assert second.recorded_at == first.recorded_at


async def test_adding_takes_two_statements_no_embedding_no_model(
    service: MemoryService, memory: UserMemory, fake_embedder: object
) -> None:
    for turns in ([TurnIn(user_input="one")], [TurnIn(user_input=f"{n}", id=f"{n}") for n in range(100)]):
        before = service.ctx.store.connection.statements
        await memory.remember(turns)
        assert service.ctx.store.connection.statements - before == 2
    assert fake_embedder.calls == []  # type: ignore[attr-defined]


async def test_no_turn_and_too_many_turns_are_refused(memory: UserMemory) -> None:
    with pytest.raises(InvalidInput):
        await memory.remember([])
    with pytest.raises(TooLarge):
        await memory.remember([TurnIn(user_input="x")] * 1001)
    assert (await memory.turns()).items == []


async def test_the_event_chain_verifies_and_holds_no_text_of_the_caller(
    service: MemoryService, memory: UserMemory
) -> None:
    for n in range(3):
        await memory.remember(TurnIn(user_input=f"secret-word-{n}", id=f"my-id-{n}", metadata={"k": "secret-word"}))
    events = await ask(service, "MATCH (e:Event {user_id: $user_id}) RETURN e ORDER BY e.seq", user_id=memory.user_id)
    head = ""
    for n, row in enumerate(events, 1):
        event = dict(row["e"])
        assert (event["seq"], event["prev_hash"]) == (n, head)
        assert "secret-word" not in str(event)
        assert "my-id" not in str(event)
        head = event["hash"]
    (user,) = await ask(
        service, "MATCH (u:User {user_id: $user_id}) RETURN u.event_head AS head", user_id=memory.user_id
    )
    assert user["head"] == head


def _chat(number: int = 1, system: str = "You are Max, a terse helper.") -> TurnIn:
    return TurnIn.model_validate(
        {
            "conversation_id": f"c{number}",
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": f"What is the weather, day {number}?"},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "a", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
                        {"id": "b", "function": {"name": "calendar", "arguments": "{}"}},
                    ],
                },
                {"role": "tool", "tool_call_id": "b", "content": "free"},
                {"role": "tool", "tool_call_id": "a", "content": '{"temp": -3}'},
                {"role": "assistant", "content": "Cold, and you are free."},
            ],
        }
    )


async def test_tool_calls_are_kept_as_short_summaries_and_found(memory: UserMemory) -> None:
    (stored,) = await memory.remember(_chat())
    page = await memory.turn(stored.page_id)
    assert page.tool_calls == [
        {"name": "weather", "arguments": {"city": "Oslo"}, "result_summary": "temp: -3"},
        {"name": "calendar", "arguments": {}, "result_summary": "free"},
    ]
    assert (page.user_input, page.assistant_response) == ("What is the weather, day 1?", "Cold, and you are free.")
    await memory.maintain("index")
    (hit,) = (await memory.search("calendar free", kinds=["page"])).hits
    assert {(s.side, s.quote) for s in hit.sources if s.side == "tool"} == {
        ("tool", "weather(city: Oslo) → temp: -3\ncalendar() → free")
    }


async def test_case_p8_a_system_text_is_kept_once_for_an_assistant(service: MemoryService, memory: UserMemory) -> None:
    await memory.remember([_chat(n) for n in range(10)])
    for n in range(10, 20):
        await memory.remember(_chat(n))
    await memory.remember(_chat(20, system="You are Max, a friendly helper."))
    texts = [t.system_text for t in (await memory.turns()).items if t.system_text]
    assert sorted(texts) == ["You are Max, a friendly helper.", "You are Max, a terse helper."]
    await memory.maintain()
    assert (await memory.facts(kind="assistant_trait", status=None)).items == []
    assert not (await memory.search("terse", kinds=["page"], mode="hybrid", top_k=1)).hits[0].parts.get("text")


async def test_history_told_late_does_not_wait_in_short_term_memory(
    service: MemoryService, memory: UserMemory, clock: FakeClock
) -> None:
    await memory.remember([TurnIn(user_input=f"today {n}") for n in range(3)])
    old = [TurnIn(user_input=f"long ago {n}", event_time=f"2020-05-0{n + 1}T10:00:00Z") for n in range(7)]  # type: ignore[arg-type]
    await memory.remember(old)
    await memory.remember(TurnIn(user_input="today 3"))
    done = await memory.maintain(force=False)
    assert [run.counts["pages"] for run in done.runs if run.kind == "migrate"] == [5, 2]
    tiers = {t.user_input: t.tier for t in (await memory.turns()).items}
    assert {text for text, tier in tiers.items() if tier == "stm"} == {f"today {n}" for n in range(4)}
    await assert_invariants(service, memory.user_id)
