"""Facts with their sources, their history, and the tree below one."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..domain.claim import FactKind, Level, Sensitivity
from ..domain.fact import FactStatus
from ..domain.page import Side
from .values import Cursor, Limit, Moment, Request, Result


class FactsRequest(Request):
    """Which facts. `status` tells of now, None gives all; with `as_of` (when true) or `known_at` (when believed), what
    was true at that moment is listed whatever its status now. `origin` keeps what this speaker says, `stale` those
    that ask to be confirmed, or the others; not with a moment."""

    kind: FactKind | None = None
    status: FactStatus | None = FactStatus.CURRENT
    as_of: Moment | None = None
    known_at: Moment | None = None
    origin: Side | None = None
    stale: bool | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


class MomentRequest(Request):
    """A point on both axes of time; now without."""

    as_of: Moment | None = None
    known_at: Moment | None = None


class Source(Result):
    """Where a fact comes from: a verbatim span of one side of a page; start and end count code points."""

    page_id: str
    side: Side
    quote: str
    start: int
    end: int
    event_time: datetime
    speaker: Side


class FactOut(Result):
    """A fact as it is always shown, or as it was known at the moment asked for. Open ends of intervals are null.

    `ends` are the words that ended it. Traits are inferred: `level` is how strong one is, `reason` why. `would_replace`
    are the current facts that a proposed one waits beside. `stale`: neither said nor used for long, to be confirmed.
    """

    fact_id: str
    version: int
    kind: FactKind
    subject: str
    predicate: str
    object: str
    text: str
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    retired_at: datetime | None
    confidence: float
    support: int
    origin: str
    pinned: bool
    stale: bool
    sensitivity: Sensitivity
    level: Level | None
    reason: str | None
    sources: list[Source]
    ends: list[Source]
    supersedes: list[str]
    superseded_by: list[str]
    conflicts_with: list[str]
    would_replace: list[str]


class PageSource(Result):
    """A page in the tree below a fact, with the run that read it; `ends` when it says that the fact holds no longer.

    `reason` is the caller's, where a decision made it a source.
    """

    source: Source
    ends: bool
    conversation_id: str
    user_input: str
    assistant_response: str
    run_id: str | None
    reason: str | None

    @property
    def speaker(self) -> Side:
        """Who says it."""
        return self.source.speaker


class UsedByAnswer(Result):
    """An answer that was shown a fact, and whether it cites it."""

    answer_id: str
    at: datetime
    cited: bool


class Why(Result):
    """The tree fact → quote → page: what says so, who derived it, what it replaced, what disagrees.

    `used_by_answers`, newest first, are those to look at again when the fact was wrong.
    """

    fact: FactOut
    extractor: str
    model: str
    prompt_hash: str
    pages: list[PageSource]
    replaced: list[FactOut]
    conflicts: list[FactOut]
    used_by_answers: list[UsedByAnswer]


class FactList(Result):
    """Facts; `as_of` and `known_at` are the moment they were asked for, null for now."""

    items: list[FactOut]
    next_cursor: str | None
    as_of: datetime | None = None
    known_at: datetime | None = None


class Supersession(Result):
    """One fact in the place of another: by a change, a correction, a restoration, a rollback, or as a newer version of
    the same."""

    newer: str
    older: str
    kind: Literal["change", "correction", "merge", "refresh", "restore", "rollback"]
    at: datetime
    actor: str
    reason: str | None


class FactConflict(Result):
    """Facts that can't both be true; `until` is when that was settled."""

    fact_ids: list[str]
    at: datetime
    until: datetime | None
    detector: str


class FactHistory(Result):
    """A fact and all versions around it, in order of the world, with what became of which, when and why."""

    fact_id: str
    items: list[FactOut]
    supersessions: list[Supersession]
    conflicts: list[FactConflict]
