"""A recorded user lived through again by this version, and what the memory became beside what it was before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..clock import Clock
from ..contract import TurnIn
from ..errors import InvalidInput
from ..scheduler.worker import Worker
from ..service import MemoryService
from ..transfer.importers import turns_jsonl
from ..transfer.importers.reading import json_of
from .told import told

Difference = dict[str, Any]


class RecordedClock(Clock):
    """It is when the turn at hand was said; ids stay real."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


async def replay(service: MemoryService, path: Path) -> dict[str, Any]:
    """Live through a file of turns (JSON Lines, each with its `event_time`) as a new user, and give the snapshot.

    The clock is that of the recording; the work that is due is done at the end of each day, and at last everything
    migrates and is read. The same version and models give the same snapshot. Raises InvalidInput without times.
    """
    turns = list(turns_jsonl.turns(path, None))
    if not turns:
        raise InvalidInput("path", "there is no turn in the file")
    clock = RecordedClock(_at(turns[0], 1))
    ctx = replace(service.ctx, clock=clock)
    living = MemoryService(ctx, Worker(ctx))
    user = living.user(f"eval-replay-{clock.new_id()}")
    for number, turn in enumerate(turns, 1):
        at = max(clock.at, _at(turn, number))
        if at.date() > clock.at.date():
            await user.maintain("all", force=False)
        clock.at = at
        await user.remember(turn)
    await user.maintain("all", force=True)
    made_by = {"version": version("memoryos-graph"), "embedding_model": ctx.embedder.model_id, "llm": ctx.settings.llm}
    return {"made_by": made_by, "memory": await told(living, user.user_id)}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Difference]:
    """What two snapshots tell differently, by part of the memory; empty where both say the same.

    Each part has what was `added`, what was `lost`, and the fields that `changed`, as [before, after].
    """
    found = {}
    for part in sorted(before["memory"].keys() | after["memory"].keys()):
        old, new = (_named(part, snapshot["memory"].get(part, {})) for snapshot in (before, after))
        difference = {
            "added": [name for name in new if name not in old],
            "lost": [name for name in old if name not in new],
            "changed": {name: _changed(old[name], new[name]) for name in old if name in new and old[name] != new[name]},
        }
        if any(difference.values()):
            found[part] = difference
    return found


def read_snapshot(path: Path) -> dict[str, Any]:
    """A snapshot that was written before. Raises InvalidInput."""
    content = json_of(path)
    if not isinstance(content, dict) or not isinstance(content.get("memory"), dict):
        raise InvalidInput("against", "the file is not a snapshot of a replay")
    return content


def write_snapshot(snapshot: Mapping[str, Any], path: Path) -> None:
    """Write it so that differences of versions read well."""
    path.write_text(json.dumps(snapshot, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _at(turn: TurnIn, number: int) -> datetime:
    if turn.event_time is None:
        raise InvalidInput("event_time", f"turn {number}: event_time is missing; a replay needs it")
    return turn.event_time


def _named(part: str, value: Any) -> dict[str, Any]:
    """Things by names that stay the same when something about them changes."""
    if isinstance(value, Mapping):
        return dict(value)
    return _numbered([(_name(part, item), item) for item in value])


def _name(part: str, item: Mapping[str, Any]) -> str:
    if part == "facts":
        return f"{item['predicate']}: {item['object']} ({item['status']})"
    return f"version {item['version']}"


def _numbered(items: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    seen: Counter[str] = Counter()
    named = {}
    for name, item in items:
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} #{seen[name]}"] = item
    return named


def _changed(old: Any, new: Any) -> Any:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return [old, new]
    return {
        field: [old.get(field), new.get(field)]
        for field in sorted(old.keys() | new.keys())
        if old.get(field) != new.get(field)
    }
