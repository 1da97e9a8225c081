"""Lists page by page: limits, and cursors that only the list that gave them takes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import TypeVar

from ..errors import InvalidInput
from .values import MAX_LIMIT

T = TypeVar("T")

NEWEST_ID = "~"  # sorts behind every generated id
NUMBERED = "tpef"  # lists whose cursors hold a number: turns, profile versions, events, items of plans


def check_limit(limit: int) -> None:
    """Raises InvalidInput for a limit that no list takes."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput("limit", f"limit must be from 1 to {MAX_LIMIT}")


def cut(items: list[T], limit: int, letter: str, key: Callable[[T], str]) -> tuple[list[T], str | None]:
    """The first `limit` items, and the cursor of the rest if there is one."""
    if len(items) <= limit:
        return items, None
    kept = items[:limit]
    return kept, encode(letter, key(kept[-1]))


def encode(letter: str, key: str) -> str:
    """The cursor of what comes after a key, for the list that the letter stands for."""
    return base64.urlsafe_b64encode(f"{letter}{key}".encode()).decode()


def decode(cursor: str | None, letter: str) -> str | None:
    """Where a list goes on, from its cursor. Raises InvalidInput for a cursor of something else."""
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor.encode()).decode()
    except (binascii.Error, ValueError):
        text = ""
    if (
        not text.startswith(letter)
        or len(text) < 2
        or (letter in NUMBERED and not re.fullmatch(r"[0-9]{1,18}", text[1:]))
    ):
        raise InvalidInput("cursor", "cursor was not given by this list")
    return text[1:]
