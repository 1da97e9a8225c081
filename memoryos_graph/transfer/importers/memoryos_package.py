"""The data folder of the published MemoryOS package: users/NAME/*.json and assistants/NAME/long_term_assistant.json.

What was said becomes turns. What was found out becomes turns as well, of one sentence each, which a fact may quote: of
the user on the user's side, of an assistant on the assistant's. A profile is a text of a model about the user, told by
nobody: it becomes a turn of the assistant, and no fact. Summaries, heat and vectors are made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ...contract import TurnIn
from ...errors import InvalidInput
from .reading import StableIds, json_of, turn_of
from .turn_lists import moment_of, zone_of

SHORT, MID, LONG, ASSISTANT = "short_term.json", "mid_term.json", "long_term_user.json", "long_term_assistant.json"
NOTHING_KNOWN = {"", "none", "- none", "- none."}
FOUND_OUT = "memoryos-knowledge"
PROFILE = "memoryos-profile"


@dataclass(frozen=True)
class Package:
    """What a folder holds for one user, each in the order of its times. `known` are sentences to be facts.

    `left_out` counts what was passed over, by reason.
    """

    turns: list[TurnIn]
    known: list[TurnIn]
    left_out: dict[str, int]


def is_package(folder: Path) -> bool:
    """Whether a folder is such a data folder, or the folder of one user in it."""
    return folder.is_dir() and ((folder / "users").is_dir() or any((folder / name).is_file() for name in (SHORT, LONG)))


def read(folder: Path, user_id: str, tz: str | None) -> Package:
    """What the folder holds for a user: of that name, or the only one there is.

    Knowledge of an assistant was kept for all its users together: where there are several, it is left out (case S10).
    Times without an offset are wall-clock times in the zone `tz`. Raises InvalidInput that names file, item and field.
    """
    own, alone = _folder_of(folder, user_id)
    assistants = sorted(path for path in (folder / "assistants").glob(f"*/{ASSISTANT}") if path.is_file())
    names = {path.parent.name for path in assistants}
    reader = _Reader(zone_of(tz) if tz else None, names.pop() if len(names) == 1 else None)
    turns = [*reader.mid(own / MID), *reader.short(own / SHORT)]
    long = _optional(own / LONG, dict)
    known = [*reader.known(long, "knowledge_base", LONG), *reader.known(long, "assistant_knowledge", LONG)]
    told = [*reader.profiles(long)]
    for path in assistants:
        found = list(reader.known(_optional(path, dict), "assistant_knowledge", f"{path.parent.name}/{ASSISTANT}"))
        known += found if alone else []
        if found and not alone:
            reader.leaves_out("assistant knowledge of several users", len(found))
    return Package(_by_time([*turns, *told]), _by_time(known), reader.left_out)


def _folder_of(folder: Path, user_id: str) -> tuple[Path, bool]:
    """The folder of the user, and whether there is no other."""
    if not (folder / "users").is_dir():
        return folder, True
    users = sorted(path for path in (folder / "users").iterdir() if path.is_dir())
    named = [path for path in users if path.name == user_id]
    if not named and len(users) != 1:
        raise InvalidInput("path", f"the folder holds {len(users)} users, none of this name: name one, or its folder")
    return (named or users)[0], len(users) == 1


def _by_time(turns: list[TurnIn]) -> list[TurnIn]:
    never = datetime.max.replace(tzinfo=UTC)
    return sorted(turns, key=lambda turn: turn.event_time or never)


def _optional(path: Path, kind: type) -> Any:
    """The content of a file; nothing when there is none."""
    if not path.is_file():
        return kind()
    content = json_of(path)
    if not isinstance(content, kind):
        raise InvalidInput("path", f"{path.name}: not {'a list' if kind is list else 'an object'}")
    return content


class _Reader:
    """Items of the files as turns; what has no words is counted and passed over."""

    def __init__(self, zone: ZoneInfo | None, assistant: str | None) -> None:
        self._zone = zone
        self._assistant = {"assistant_id": assistant} if assistant else {}
        self._ids = StableIds()
        self.left_out: dict[str, int] = {}

    def leaves_out(self, why: str, count: int = 1) -> None:
        """Count what is passed over."""
        self.left_out[why] = self.left_out.get(why, 0) + count

    def short(self, path: Path) -> Iterator[TurnIn]:
        """The newest turns."""
        yield from self._turns(_optional(path, list), path.name)

    def mid(self, path: Path) -> Iterator[TurnIn]:
        """The turns of all topics."""
        sessions = _optional(path, dict).get("sessions") or {}
        if not isinstance(sessions, dict):
            raise InvalidInput("sessions", f"{path.name}: sessions is not an object")
        for n, session in enumerate(sessions.values(), 1):
            details = session.get("details") if isinstance(session, dict) else None
            if not isinstance(details, list):
                raise InvalidInput("details", f"{path.name}, session {n}: details is missing or not a list")
            yield from self._turns(details, f"{path.name}, session {n}")

    def _turns(self, items: list[Any], where: str) -> Iterator[TurnIn]:
        for n, item in enumerate(items, 1):
            place = f"{where}, item {n}"
            sides = {
                "user_input": _text(item, "user_input", place),
                "assistant_response": _text(item, "agent_response", place),
            }
            if not any(side.strip() for side in sides.values()):
                self.leaves_out("turns without words")
                continue
            metadata = item.get("meta_data") if isinstance(item.get("meta_data"), dict) else {}
            yield self._ids.fill(
                turn_of(sides | self._common(item, "timestamp", place) | {"metadata": metadata}, place)
            )

    def known(self, content: dict[str, Any], field: str, where: str) -> Iterator[TurnIn]:
        """Sentences that were found out, about the user or an assistant."""
        side = "user_input" if field == "knowledge_base" else "assistant_response"
        items = content.get(field) or []
        if not isinstance(items, list):
            raise InvalidInput(field, f"{where}: {field} is not a list")
        for n, item in enumerate(items, 1):
            place = f"{where}, {field}, item {n}"
            text = _text(item, "knowledge", place).strip()
            if text.casefold() in NOTHING_KNOWN:
                self.leaves_out("knowledge without words")
                continue
            values = {side: text, "conversation_id": FOUND_OUT, "remember": "never_long_term"}
            yield self._ids.fill(turn_of(values | self._common(item, "timestamp", place), place))

    def profiles(self, content: dict[str, Any]) -> Iterator[TurnIn]:
        """What was written about the user, as the assistant's words."""
        profiles = content.get("user_profiles") or {}
        if not isinstance(profiles, dict):
            raise InvalidInput("user_profiles", f"{LONG}: user_profiles is not an object")
        for n, item in enumerate(profiles.values(), 1):
            place = f"{LONG}, user_profiles, item {n}"
            text = _text(item, "data", place).strip()
            if text.casefold() in NOTHING_KNOWN:
                continue
            values = {"assistant_response": text, "conversation_id": PROFILE, "remember": "never_long_term"}
            yield self._ids.fill(turn_of(values | self._common(item, "last_updated", place), place))

    def _common(self, item: dict[str, Any], field: str, place: str) -> dict[str, Any]:
        return self._assistant | {"event_time": moment_of(item.get(field), self._zone, None, place)}


def _text(item: Any, field: str, where: str) -> str:
    if not isinstance(item, dict):
        raise InvalidInput("item", f"{where}: not an object")
    text = item.get(field)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise InvalidInput(field, f"{where}: {field} is not text")
    return text
