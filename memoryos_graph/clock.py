"""The only reader of time and randomness."""

from __future__ import annotations

from datetime import UTC, datetime

import uuid_utils


class Clock:
    """The real clock: UTC now, and ids that sort by the time they were made."""

    def now(self) -> datetime:
        """The time now, in UTC, to the microsecond."""
        return datetime.now(UTC)

    def new_id(self) -> str:
        """A fresh UUIDv7 as text."""
        return str(uuid_utils.uuid7())
