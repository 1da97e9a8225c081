from __future__ import annotations

import pytest

from memoryos_graph import UserMemory
from memoryos_graph.eval.review import sample, sheet


@pytest.mark.engine
async def test_a_sheet_quotes_each_fact_and_leaves_boxes(memory: UserMemory) -> None:
    said = ["I live in Narvik.", "I'm allergic to hazelnuts.", "I play the cello.", "My sister is called Ulla."]
    await memory.remember([{"user_input": text, "event_time": "2026-02-01T10:00:00Z"} for text in said])
    await memory.maintain("all")
    every = await sample(memory, 100)
    assert 3 <= len(every) == len({fact.fact_id for fact in every})
    assert await sample(memory, 2, seed=7) == await sample(memory, 2, seed=7)
    two = await sample(memory, 2)
    assert len(two) == 2
    text = sheet("ana", every)
    assert text.count("- [ ]") == 3 * len(every)
    assert "> 2026-02-01, user: “I live in Narvik" in text
    assert f"## {len(every)}. " in text
