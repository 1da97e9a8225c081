"""Recorded users, lived through by this version: the memory must become what it was when the snapshot was written."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.errors import InvalidInput
from memoryos_graph.eval.replay import differences, read_snapshot, replay, write_snapshot

FOLDER = Path(__file__).parent / "trajectories"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["english", "chinese"])
async def test_a_recorded_user_becomes_the_same_memory(service: MemoryService, name: str) -> None:
    """A wanted difference is taken over by running this once with UPDATE_TRAJECTORIES=1, and shows in the commit."""
    kept = FOLDER / f"{name}.json"
    snapshot = await replay(service, FOLDER / f"{name}.jsonl")
    if os.environ.get("UPDATE_TRAJECTORIES"):
        write_snapshot(snapshot, kept)
    assert differences(read_snapshot(kept), snapshot) == {}


def test_differences_name_what_came_went_and_changed() -> None:
    before = read_snapshot(FOLDER / "english.json")
    after: dict[str, Any] = copy.deepcopy(before)
    lost = after["memory"]["facts"].pop(0)
    after["memory"]["facts"][0]["support"] += 1
    after["memory"]["segments"]["Something new"] = {}
    after["memory"]["pages"]["t1"]["tier"] = "stm"
    found = differences(before, after)
    assert found["facts"]["lost"] == [f"{lost['predicate']}: {lost['object']} ({lost['status']})"]
    (changed,) = found["facts"]["changed"].values()
    assert list(changed) == ["support"]
    assert found["segments"] == {"added": ["Something new"], "lost": [], "changed": {}}
    assert found["pages"]["changed"] == {"t1": {"tier": ["mtm", "stm"]}}
    assert differences(before, before) == {}


async def test_a_recording_needs_times(service: MemoryService, tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text('{"user_input": "Hello"}\n')
    with pytest.raises(InvalidInput, match="event_time"):
        await replay(service, path)
    path.write_text("[]")
    with pytest.raises(InvalidInput):
        read_snapshot(path)
