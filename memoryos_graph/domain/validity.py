"""Two axes of time: when something was true in the world, and when it was believed.

Open ends are stored as a far date, so that range predicates work inside indexes. The same rule stands in
cypher/queries/facts.cypher (facts_at), where it chooses; here it says how what was chosen looked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

NEVER = datetime(9999, 12, 31, tzinfo=UTC)
TODAY = datetime(9999, 12, 30, tzinfo=UTC)  # later than all that is recorded, earlier than NEVER


@dataclass(frozen=True)
class Moment:
    """A point on both axes: what was true at `as_of`, as believed at `known_at`."""

    as_of: datetime
    known_at: datetime = TODAY

    @classmethod
    def of(cls, as_of: datetime | None, known_at: datetime | None, now: datetime) -> Moment | None:
        """The moment that is asked for; None when no time is. Without `as_of`, what was believed to be true then."""
        if as_of is None and known_at is None:
            return None
        return cls(as_of or known_at or now, known_at or TODAY)


def believed(recorded_at: datetime, retired_at: datetime, known_at: datetime) -> bool:
    """Whether something was believed at a time."""
    return recorded_at <= known_at < retired_at


def end_known(valid_to: datetime, closed_at: datetime, known_at: datetime) -> datetime:
    """The end of something as it was known at a time: open until it was learnt."""
    return valid_to if closed_at <= known_at else NEVER


def true_at(valid_from: datetime, end: datetime, as_of: datetime) -> bool:
    """Whether something held at a time, given the end that was known."""
    return valid_from <= as_of < end


def shown(end: datetime) -> datetime | None:
    """An end as people see it: None while it is open."""
    return None if end >= NEVER else end
