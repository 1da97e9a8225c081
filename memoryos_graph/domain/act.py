"""What callers decide about facts: kept with a statement, so that whatever is read or forgotten later settles alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ActKind(StrEnum):
    """Put right, changed since, never so, so after all, or indeed so."""

    CORRECT = "correct"
    CHANGE = "change"
    RETRACT = "retract"
    RESTORE = "restore"
    CONFIRM = "confirm"


@dataclass(frozen=True)
class Act:
    """A decision about a fact: `on` is the id of the fact whose object it takes the place of.

    An id, not the object itself: when that fact is forgotten, nothing of it is left here. `since` and `until` bound the
    beginnings of what is meant, None leaves them open: so one of two times in Oslo is corrected and the other stays.
    """

    kind: ActKind
    on: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def covers(self, begins: datetime) -> bool:
        """Whether what begins then is meant."""
        return (self.since is None or self.since <= begins) and (self.until is None or begins < self.until)
