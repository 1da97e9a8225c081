"""The audit of one user's memory: its events, the head of their chain, and whether the chain is whole."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..domain.event import EventKind
from .values import Cursor, Limit, Request, Result

MAX_SEQ = 2**53
Hash = Annotated[str, Field(pattern="^([0-9a-f]{64})?$", max_length=64)]
ChainFault = Literal["changed", "removed", "reordered", "inserted", "cut", "head_changed", "replaced", "other_key"]


class TimelineRequest(Request):
    """Events, newest first; with `kind` those of one kind."""

    kind: EventKind | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


class EventOut(Result):
    """Something that was done: our ids and numbers, never text. `actor` is caller or system; `hash` covers all of it,
    and the hash of the event before."""

    seq: int
    kind: str
    at: datetime
    actor: str
    ids: list[str]
    numbers: dict[str, float]
    hash: str


class EventList(Result):
    items: list[EventOut]
    next_cursor: str | None


class AuditHead(Result):
    """The newest event: a copy kept elsewhere proves all events up to it. `seq` 0 is the chain without events."""

    seq: int
    hash: str
    at: datetime | None


class HeadIn(Request):
    """A head as it was given once."""

    seq: Annotated[int, Field(ge=0, le=MAX_SEQ)]
    hash: Hash


class VerifyAuditRequest(Request):
    """Walk the chain; with `head` also say whether it still holds what it held when that head was given."""

    head: HeadIn | None = None


class AuditVerified(Result):
    """Whether the chain is whole. `events` were found in order; at `broken_at` the first fault is, and `what` it is:

    changed (an event is not as it was written), removed (one is missing), reordered (one stands where another was),
    inserted (one that was never written), cut (the newest are missing), head_changed (the head is not that of the
    newest event), replaced (another history than that of the earlier head). `contains_head` is about the earlier head.
    """

    ok: bool
    events: int
    head: AuditHead
    broken_at: int | None
    what: ChainFault | None
    contains_head: bool | None
