"""Sessions: bounded stretches of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

PAUSE = timedelta(hours=4)
MAX_PAGES = 40


@dataclass(frozen=True)
class OpenSession:
    """The last session of a conversation, and the last page in it."""

    session_id: str
    last_at: datetime
    n_pages: int
    last_page_id: str

    def takes(self, event_time: datetime) -> bool:
        """Whether a page of that time still belongs here: no pause of 4 h in either direction, at most 40 pages."""
        return abs(event_time - self.last_at) < PAUSE and self.n_pages < MAX_PAGES
