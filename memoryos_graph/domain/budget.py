"""What a user's model calls may cost in a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Model calls and tokens (in and out) of one user in one UTC day; 0 is no limit."""

    daily_calls: int
    daily_tokens: int

    def resumes_at(self, spent_calls: int, spent_tokens: int, spent_day: str, now: datetime) -> datetime | None:
        """When the model may be called again: the next UTC midnight once a limit is reached, else None."""
        calls = 0 < self.daily_calls <= spent_calls
        tokens = 0 < self.daily_tokens <= spent_tokens
        if spent_day != day_of(now) or not (calls or tokens):
            return None
        return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def day_of(at: datetime) -> str:
    """The UTC day that a moment belongs to."""
    return at.astimezone(UTC).date().isoformat()
