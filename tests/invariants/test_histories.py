"""Random histories on the real database: the invariants hold after each step, and a plain model predicts the pages."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryos_graph import MemoryService, TurnIn

from ..conftest import FakeClock
from ..graph import assert_invariants

SENTENCES = [
    "I live in Oslo.",
    "I moved to Bergen.",
    "I like jazz.",
    "I don't like jazz any more.",
    "I am allergic to penicillin.",
    "我对花生过敏。",
    "What a day! 👩‍👩‍👧",
    "The cat e\u0301 sleeps.\r\nStill.",
    "Do you remember where I live?",
]
ADD = st.tuples(
    st.just("add"),
    st.lists(
        st.tuples(
            st.sampled_from(SENTENCES),
            st.sampled_from(["", "I see."]),
            st.sampled_from("ab"),
            st.none() | st.integers(0, 9),
        ),
        min_size=1,
        max_size=6,
    ),
)
STEP = ADD | st.tuples(st.sampled_from(["index", "migrate", "promote", "all", "wait"]), st.booleans())


SHORT = settings(
    max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.engine
@pytest.mark.timeout(300)
@SHORT
@given(history=st.lists(STEP, min_size=1, max_size=8))
async def test_histories(service: MemoryService, clock: FakeClock, history: list[tuple[str, object]]) -> None:
    await _run_history(service, clock, history)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(SHORT, max_examples=100)
@given(history=st.lists(STEP, min_size=1, max_size=14))
async def test_many_histories(service: MemoryService, clock: FakeClock, history: list[tuple[str, object]]) -> None:
    await _run_history(service, clock, history)


async def _run_history(service: MemoryService, clock: FakeClock, history: list[tuple[str, object]]) -> None:
    memory = service.user(f"history-{uuid.uuid4().hex}")
    expected: dict[str, str] = {}
    unnamed = 0
    for kind, detail in history:
        if kind == "add":
            turns = []
            for text, answer, conversation, number in detail:  # type: ignore[attr-defined]
                named = None if number is None else f"{conversation}-{number}"
                said = expected.get(named, text) if named else text
                turns.append(
                    TurnIn(
                        user_input=said,
                        assistant_response="" if named else answer,
                        id=named,
                        conversation_id=conversation,
                    )
                )
                if named:
                    expected[named] = said
                else:
                    unnamed += 1
            await memory.remember(turns)
        elif kind == "wait":
            clock.move(hours=5)
        else:
            await memory.maintain(kind, force=bool(detail))
        await assert_invariants(service, memory.user_id)
    found = (await memory.turns(limit=500)).items
    assert len(found) == len(expected) + unnamed
    assert {t.id: t.user_input for t in found if t.id} == expected
    await memory.maintain("all", force=False)
    assert (await memory.stats()).pages["stm"] <= service.ctx.settings.short_term_capacity
    await memory.maintain("all", force=True)
    await assert_invariants(service, memory.user_id)
    facts = (await memory.facts(limit=500)).items
    assert len([f for f in facts if f.predicate == "lives_in"]) <= 1
