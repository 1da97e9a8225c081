"""Facts with their sources, and the tree below one."""

from __future__ import annotations

from datetime import datetime

from ..domain.claim import FactKind, Sensitivity
from ..domain.fact import FactStatus
from ..domain.page import Side
from .values import Result


class Source(Result):
    """Where a fact comes from: a verbatim span of one side of a page; start and end count code points."""

    page_id: str
    side: Side
    quote: str
    start: int
    end: int
    event_time: datetime


class FactOut(Result):
    """A fact as it is always shown. Open ends of intervals are null."""

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
    origin: str
    pinned: bool
    sensitivity: Sensitivity
    sources: list[Source]
    supersedes: list[str]
    superseded_by: list[str]


class PageSource(Result):
    """A page in the tree below a fact, with the run that read it."""

    source: Source
    speaker: str
    conversation_id: str
    user_input: str
    assistant_response: str
    run_id: str | None


class Why(Result):
    """The tree fact → quote → page: what says so, who derived it, what it replaced."""

    fact: FactOut
    extractor: str
    model: str
    prompt_hash: str
    pages: list[PageSource]
    replaced: list[FactOut]


class FactList(Result):
    items: list[FactOut]
    next_cursor: str | None
