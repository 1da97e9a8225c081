"""Profile versions: each says what it added and removed, so a version's facts are those of all before it together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from ..domain.validity import TODAY
from .connection import Row, Tx


async def versions_until(tx: Tx, user_id: str, upto: int, known_at: datetime = TODAY) -> list[Row]:
    """Versions from the first one on, up to one and up to a time."""
    return await tx.run("profile_versions", user_id=user_id, upto=upto, known_at=known_at)


def facts_of_version(versions: Iterable[Row]) -> set[str]:
    """Ids of the facts about the user that were current after these versions, from the first one on."""
    current: set[str] = set()
    for version in versions:
        current |= set(version["added"])
        current -= set(version["removed"])
    return current
