"""JSON lists of {user_input, agent_response, timestamp}, as the published MemoryOS package keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...contract import TurnIn
from ...errors import InvalidInput
from .reading import StableIds, json_of, turn_of

FIELDS = frozenset({"user_input", "agent_response", "timestamp", "id", "conversation_id", "assistant_id", "meta_data"})


def turns(path: Path, tz: str | None, conversation: str | None = None) -> Iterator[TurnIn]:
    """The turns of the list in its order. Times without an offset are wall-clock times in the zone `tz`.

    A wall-clock time that occurs twice (clocks set back) is the later one if the turn before it is later than the
    first; one that never occurs (clocks set forward) is moved by the gap, as clocks do.
    Raises InvalidInput: `tz` when a time has no offset and the zone is missing or unknown; else item and field.
    """
    zone = zone_of(tz) if tz else None
    content = json_of(path)
    if not isinstance(content, list):
        raise InvalidInput("path", "the file is not a JSON list of turns")
    ids = StableIds()
    before: datetime | None = None
    for n, item in enumerate(content, 1):
        where = f"item {n}"
        if not isinstance(item, dict):
            raise InvalidInput("item", f"{where}: not an object")
        if unknown := sorted(str(key) for key in item.keys() - FIELDS):
            raise InvalidInput("item", f"{where}: {len(unknown)} unknown fields; known are {', '.join(sorted(FIELDS))}")
        before = moment_of(item.get("timestamp"), zone, before, where)
        yield ids.fill(turn_of(_values(item, before, conversation), where))


def is_turn_list(content: Any) -> bool:
    """Whether parsed JSON has this shape."""
    return isinstance(content, list) and (not content or (isinstance(content[0], dict) and "user_input" in content[0]))


def _values(item: dict[str, Any], event_time: datetime | None, conversation: str | None) -> dict[str, Any]:
    values = {key: item[key] for key in ("id", "assistant_id") if item.get(key) is not None}
    return values | {
        "user_input": _or_empty(item.get("user_input")),
        "assistant_response": _or_empty(item.get("agent_response")),
        "conversation_id": item.get("conversation_id") or conversation,
        "event_time": event_time,
        "metadata": _or_empty(item.get("meta_data"), {}),
    }


def _or_empty(value: Any, empty: Any = "") -> Any:
    return empty if value is None else value


def zone_of(tz: str) -> ZoneInfo:
    """The zone of a name. Raises InvalidInput (`tz`)."""
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput("tz", "tz is not a zone of the IANA database, such as Europe/Oslo") from None


def moment_of(text: Any, zone: ZoneInfo | None, before: datetime | None, where: str) -> datetime | None:
    """The time in a text, None in an empty one; `before` is that of the turn before. Raises InvalidInput."""
    if text is None or text == "":
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except (AttributeError, ValueError):
        raise InvalidInput("timestamp", f"{where}: timestamp is not a time such as 2024-03-01 18:30:00") from None
    if moment.tzinfo is None:
        if zone is None:
            raise InvalidInput("tz", f"{where}: timestamp has no offset, so the zone is needed (--tz Europe/Oslo)")
        moment = _in_zone(moment, zone, before)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput("timestamp", f"{where}: timestamp is out of range") from None


def _in_zone(wall: datetime, zone: ZoneInfo, before: datetime | None) -> datetime:
    first, second = wall.replace(tzinfo=zone, fold=0), wall.replace(tzinfo=zone, fold=1)
    twice = second.utcoffset() is not None and (second.utcoffset() or timedelta()) < (first.utcoffset() or timedelta())
    if twice and before is not None and first.astimezone(UTC) < before <= second.astimezone(UTC):
        return second
    return first
