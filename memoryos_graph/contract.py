"""Requests and results, the same in Python, HTTP and on the command line.

Unknown fields are refused, times carry an offset, and every text is valid Unicode without NUL.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .domain.claim import FactKind, Sensitivity
from .domain.fact import FactStatus
from .domain.page import PageState, Side, Tier

MAX_TEXT = 100_000
MAX_TURNS = 1_000
MAX_QUERY = 20_000
MAX_JSON = 100_000
MAX_JSON_DEPTH = 20
MAX_LIMIT = 500
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)  # room on both sides for time zones and "ten years ago"
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode: it contains an unpaired surrogate") from None
    return text


def _opaque(value: str) -> str:
    _storable(value)
    if any(unicodedata.category(c) == "Cc" for c in value):
        raise ValueError("must not contain control characters")
    return value


def _not_dots(value: str) -> str:
    if value in (".", ".."):
        raise ValueError("must not be '.' or '..'")
    return value


def _plain_json(value: dict[str, Any]) -> dict[str, Any]:
    """Only what JSON can say and the database can keep; walked without recursion, since a caller chose the depth."""
    level: list[Any] = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            break
    else:
        raise ValueError(f"must not be nested deeper than {MAX_JSON_DEPTH} levels")
    if len(json.dumps(value, ensure_ascii=False)) > MAX_JSON:
        raise ValueError(f"must not be longer than {MAX_JSON} characters as JSON")
    return value


def _inner(item: Any) -> list[Any]:
    if isinstance(item, dict):
        if not all(isinstance(key, str) for key in item):
            raise ValueError("keys must be text")
        return [*item.keys(), *item.values()]
    if isinstance(item, list):
        return item
    if isinstance(item, str):
        _storable(item)
    elif isinstance(item, int):
        if not -(2**63) <= item < 2**63:
            raise ValueError("whole numbers must fit in 64 bits")
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise ValueError("numbers must be finite")
    elif item is not None:
        raise ValueError("must hold only what JSON can say")
    return []


def _rfc3339(value: Any) -> Any:
    if isinstance(value, datetime) or (isinstance(value, str) and _RFC3339.match(value)):
        return value
    raise ValueError("must be a date and time with an offset, such as 2026-03-01T09:00:00+01:00")


def _in_range(value: datetime) -> datetime:
    if not EARLIEST <= value < LATEST:
        raise ValueError(f"must lie in the years {EARLIEST.year} to {LATEST.year - 1}")
    return value


Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_storable)]
NO_CONTROLS = {"pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}  # for schemas; the rule itself is _opaque
OpaqueId = Annotated[str, Field(min_length=1, max_length=256, json_schema_extra=NO_CONTROLS), AfterValidator(_opaque)]
UserId = Annotated[OpaqueId, AfterValidator(_not_dots)]
Tag = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_opaque)]
JsonMap = Annotated[dict[str, Any], AfterValidator(_plain_json)]
Moment = Annotated[AwareDatetime, BeforeValidator(_rfc3339), AfterValidator(_in_range)]
Cursor = Annotated[str, Field(pattern=r"^[A-Za-z0-9_=-]{1,200}$")]
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]
KeyScope = Literal["read", "write", "forget", "admin"]


class Request(BaseModel):
    """A body from outside: unknown fields are an error that names them."""

    model_config = ConfigDict(extra="forbid")


class Result(BaseModel):
    """What a verb gives back."""

    model_config = ConfigDict(frozen=True)


class Message(Request):
    """One message of the chat form of a turn."""

    role: Literal["user", "assistant", "system", "tool"]
    content: Text = ""
    tool_calls: list[JsonMap] = Field(default_factory=list, max_length=100)


class TurnIn(Request):
    """One turn: `user_input` and `assistant_response`, or `messages`; either side may be empty, not both.

    Texts up to 100,000 code points a side; `id` is yours and makes a repeat harmless.
    """

    user_input: Text = ""
    assistant_response: Text = ""
    messages: list[Message] | None = Field(default=None, min_length=1, max_length=100)
    id: OpaqueId | None = None
    conversation_id: OpaqueId | None = None
    assistant_id: OpaqueId = "assistant"
    event_time: Moment | None = None
    metadata: JsonMap = Field(default_factory=dict)
    tags: list[Tag] = Field(default_factory=list, max_length=50)
    remember: Literal["auto", "session_only", "never_long_term"] = "auto"

    @model_validator(mode="after")
    def _has_a_side(self) -> TurnIn:
        if self.messages is not None and (self.user_input or self.assistant_response):
            raise ValueError("give either messages or user_input and assistant_response, not both forms")
        if not self.sides()[0].strip() and not self.sides()[1].strip():
            raise ValueError("user_input and assistant_response must not both be empty")
        return self

    def sides(self) -> tuple[str, str]:
        """User side and assistant side; messages of one role are joined by a newline."""
        if self.messages is None:
            return self.user_input, self.assistant_response

        def joined(role: str) -> str:
            return "\n".join(m.content for m in self.messages or () if m.role == role and m.content)

        return joined("user"), joined("assistant")


class TurnStored(Result):
    """The acknowledgement of a turn; `created` is false when the same turn was there already."""

    page_id: str
    id: str | None
    seq: int
    state: PageState
    created: bool


class TurnsStored(Result):
    """The acknowledgements of a list of turns, in its order."""

    items: list[TurnStored]


class TurnOut(Result):
    """One page as it is kept."""

    page_id: str
    id: str | None
    seq: int
    conversation_id: str
    session_id: str
    assistant_id: str
    user_input: str
    assistant_response: str
    event_time: datetime
    recorded_at: datetime
    tier: Tier
    state: PageState
    archived: bool
    origin: str
    metadata: JsonMap
    tags: list[str]
    keywords: list[str]


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


class SegmentRef(Result):
    """A segment that a page belongs to, with the numbers of the decision."""

    segment_id: str
    score: float
    cosine: float
    jaccard: float
    threshold: float


class TurnDetail(TurnOut):
    """A page with everything that was derived from it."""

    facts: list[FactOut]
    segments: list[SegmentRef]
    chain_id: str | None


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


class SearchRequest(Request):
    """What to find. `hybrid` is the measured recipe, `flat` only vectors. Texts up to 20,000 code points."""

    query: Annotated[str, Field(max_length=MAX_QUERY), AfterValidator(_storable)]
    top_k: int = Field(default=10, ge=1, le=200)
    kinds: list[Literal["page", "fact"]] = Field(default=["page", "fact"], min_length=1)
    mode: Literal["hybrid", "flat"] = "hybrid"
    explain: bool = False


class Hit(Result):
    """One result. `parts` add up to `score`; `sources` say where it comes from, with offsets."""

    id: str
    kind: Literal["page", "fact"]
    text: str
    score: float
    parts: dict[str, float]
    event_time: datetime
    sources: list[Source]


class SearchResult(Result):
    """Best first. `notes` say which arms could not run and why; `explain` holds the numbers behind the ranking."""

    query: str
    hits: list[Hit]
    notes: list[str]
    explain: JsonMap | None = None


class Stats(Result):
    """Counts of one user."""

    pages: dict[str, int]
    states: dict[str, int]
    conversations: int
    sessions: int
    chains: int
    segments: int
    facts: dict[str, int]
    due: bool
    failed_runs: int
    heat_histogram: dict[str, int]


class RunOut(Result):
    """One unit of background work."""

    run_id: str
    kind: str
    state: str
    started_at: datetime
    ended_at: datetime | None
    counts: dict[str, int]
    rejected: dict[str, int]
    model: str
    error_code: str | None


class MaintenanceRequest(Request):
    """Run the steps now. `force` migrates all of STM and promotes whatever the heat; default true for `all`."""

    run: Literal["index", "migrate", "promote", "all"]
    force: bool | None = None


class Maintenance(Result):
    """The runs that were made."""

    runs: list[RunOut]


class TurnList(Result):
    items: list[TurnOut]
    next_cursor: str | None


class FactList(Result):
    items: list[FactOut]
    next_cursor: str | None


class SegmentList(Result):
    items: list[SegmentOut]
    next_cursor: str | None


class RunList(Result):
    items: list[RunOut]
    next_cursor: str | None


class PartState(Result):
    """One part of the readiness report."""

    ok: bool
    detail: str


class Readiness(Result):
    """Whether the service can do its work, part by part. `degraded` still answers."""

    status: Literal["ready", "degraded", "not_ready"]
    parts: dict[str, PartState]


class KeyRequest(Request):
    """A new key: the users it is for ("*" means all, a list means these ids literally) and what it may do."""

    label: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_opaque)]
    users: Literal["*"] | Annotated[list[UserId], Field(min_length=1, max_length=1000)]
    scopes: list[KeyScope] = Field(min_length=1, max_length=4)


class KeyOut(Result):
    """A key as it is listed; its secret is stored nowhere."""

    key_id: str
    label: str
    users: Literal["*"] | list[str]
    scopes: list[KeyScope]
    created_at: datetime
    revoked_at: datetime | None


class KeyCreated(KeyOut):
    """A new key with its secret, which is shown this once."""

    token: str


class KeyList(Result):
    items: list[KeyOut]
    next_cursor: str | None
