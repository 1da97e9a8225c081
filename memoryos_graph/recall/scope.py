"""What a search may give: the filters and the moment of a request, as the queries take them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..contract import SearchRequest, SearchScope
from ..domain.validity import NEVER, TODAY, Moment

LAST_TEXT = "\U0010ffff" * 257  # behind every id, which has at most 256 code points
ALWAYS = datetime.min.replace(tzinfo=NEVER.tzinfo)
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Scope:
    """The filters of one search.

    A page passes by what it is; a fact when a page that says it passes, and by the rule of the two axes; a segment when
    all its pages pass.
    """

    request: SearchRequest
    now: datetime

    @property
    def moment(self) -> Moment | None:
        """The moment that is asked for, None for now."""
        return Moment.of(self.request.as_of, self.request.known_at, self.now)

    @property
    def then(self) -> datetime:
        """The time that is asked about; "last week" in a question counts from here."""
        return self.moment.as_of if self.moment else self.now

    @property
    def filtered(self) -> bool:
        """Whether the caller's filters bind anything."""
        r = self.request
        return bool(r.tags) or any(x is not None for x in (r.conversation_id, r.assistant_id, r.since, r.until))

    @property
    def plain(self) -> bool:
        """Whether simply what is current passes."""
        return not self.filtered and self.moment is None and not self.request.include

    @property
    def shown(self) -> SearchScope:
        """The scope as the caller gave it."""
        return SearchScope(**{name: getattr(self.request, name) for name in SearchScope.model_fields})

    def params(self, *, pages: bool, segments: int) -> dict[str, Any]:
        """The parameter `scope` of the search queries; whether to ask for pages by vector, and for how many segments.

        `scoped` says whether the search has to leave the shortest way, which is what is current. Inside an index
        equality on what may not be given is a range; `before` is `until` and `as_of` in one.
        """
        r = self.request
        until, as_of = r.until or NEVER, r.as_of or TODAY
        return {
            "pages": pages,
            "n_segments": segments,
            "scoped": bool(segments or not pages or not self.plain),
            "plain": self.plain,
            "archived": "archived" in r.include,
            "quarantined": "quarantined" in r.include,
            "set_aside": "archived" in r.include or "quarantined" in r.include,
            "states": list(r.include),
            "conversation_id": r.conversation_id,
            "conversations_from": r.conversation_id or "",
            "conversations_to": r.conversation_id or LAST_TEXT,
            "assistant_id": r.assistant_id,
            "assistants_from": r.assistant_id or "",
            "assistants_to": r.assistant_id or LAST_TEXT,
            "tags": list(r.tags),
            "since": r.since or ALWAYS,
            "until": until,
            "before": min(until, as_of + INSTANT),
            "as_of": as_of,
            "known_at": r.known_at or TODAY,
            "at_moment": self.moment is not None,
            "true_at": self.then,
            "now": self.now,
            "never": NEVER,
        }
