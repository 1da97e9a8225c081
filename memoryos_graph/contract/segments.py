"""Segments with their heat and their pages."""

from __future__ import annotations

from datetime import datetime

from .values import Result


class SegmentRef(Result):
    """A segment that a page belongs to, with the numbers of the decision."""

    segment_id: str
    score: float
    cosine: float
    jaccard: float
    threshold: float


class HeatOut(Result):
    """Heat with its three parts: heat = alpha·visits + beta·interactions + gamma·recency."""

    heat: float
    n_visit: int
    l_interaction: int
    recency: float
    threshold: float


class SegmentOut(Result):
    """A topic of the mid-term memory."""

    segment_id: str
    version: int
    summary: str
    keywords: list[str]
    n_pages: int
    n_unread: int
    archived: bool
    last_visit_at: datetime | None
    newest_event_at: datetime
    heat: HeatOut


class SegmentMember(SegmentRef):
    """A member page of a segment with its join scores."""

    page_id: str
    event_time: datetime
    text: str


class SegmentDetail(SegmentOut):
    """A segment with its pages, oldest first."""

    pages: list[SegmentMember]


class SegmentList(Result):
    items: list[SegmentOut]
    next_cursor: str | None
