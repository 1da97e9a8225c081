"""Intervals: open ends are stored as a far date, so that range predicates work inside indexes."""

from __future__ import annotations

from datetime import UTC, datetime

NEVER = datetime(9999, 12, 31, tzinfo=UTC)


def shown(end: datetime) -> datetime | None:
    """An end as people see it: None while it is open."""
    return None if end >= NEVER else end
