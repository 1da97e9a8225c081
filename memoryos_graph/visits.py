"""Visits of segments, gathered in memory and written in batches, so that a search writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass
class _Visits:
    count: int
    last_at: datetime


class VisitBuffer:
    """Counts searches that returned a page of a segment, per user, until `take` is called."""

    def __init__(self) -> None:
        self._users: dict[str, dict[str, _Visits]] = {}

    def add(self, user_id: str, segment_ids: Iterable[str], at: datetime) -> None:
        """One visit for each of the segments, however many of its pages were returned."""
        held = self._users.setdefault(user_id, {})
        for segment_id in set(segment_ids):
            visits = held.setdefault(segment_id, _Visits(0, at))
            visits.count += 1
            visits.last_at = max(visits.last_at, at)

    def users(self) -> list[str]:
        """Users with visits that are not written yet."""
        return list(self._users)

    def take(self, user_id: str) -> list[dict[str, object]]:
        """Hand out a user's visits as rows of the query `add_visits`, and forget them."""
        held = self._users.pop(user_id, {})
        return [
            {"segment_id": segment_id, "visits": v.count, "at": v.last_at} for segment_id, v in sorted(held.items())
        ]

    def give_back(self, user_id: str, rows: Iterable[dict[str, object]]) -> None:
        """Take rows back that could not be written."""
        held = self._users.setdefault(user_id, {})
        for row in rows:
            at, count = row["at"], row["visits"]
            assert isinstance(at, datetime)
            assert isinstance(count, int)
            visits = held.setdefault(str(row["segment_id"]), _Visits(0, at))
            visits.count += count
            visits.last_at = max(visits.last_at, at)
