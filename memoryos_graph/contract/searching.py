"""What to find, and what was found."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from ..domain.fact import FactStatus
from ..domain.page import Side
from .facts import Source
from .values import MAX_QUERY, JsonMap, Moment, OpaqueId, Request, Result, Tag, _storable

SearchKind = Literal["page", "fact", "segment"]
SearchMode = Literal["hybrid", "flat", "memoryos"]
Included = Literal["superseded", "archived", "quarantined"]


class SearchRequest(Request):
    """What to find: at most `top_k` pages and facts and, when that kind is asked for, `top_m` segments.

    Modes: `hybrid` is the measured recipe, `flat` only vectors, `memoryos` the published gate: pages of the `top_m`
    segments nearest to the question. `tags` must all be there. `since` and `until` (excluded) bound when it was said;
    `as_of` is when it was true or said by, `known_at` when it was believed or stored by. `include` adds what search
    leaves out; `quarantined` are words that read like orders to a language model. `budget_tokens` bounds the texts of
    all hits together. Texts have up to 20,000 code points.
    """

    query: Annotated[str, Field(max_length=MAX_QUERY), AfterValidator(_storable)]
    top_k: int = Field(default=10, ge=1, le=200)
    top_m: int = Field(default=5, ge=1, le=50)
    kinds: list[SearchKind] = Field(default=["page", "fact"], min_length=1, max_length=3)
    mode: SearchMode = "hybrid"
    conversation_id: OpaqueId | None = None
    assistant_id: OpaqueId | None = None
    tags: list[Tag] = Field(default=[], max_length=20)
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    known_at: Moment | None = None
    include: list[Included] = Field(default=[], max_length=3)
    budget_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    explain: bool = False

    @field_validator("until")
    @classmethod
    def _later_than_since(cls, until: datetime | None, info: ValidationInfo) -> datetime | None:
        since = info.data.get("since")
        if until is not None and since is not None and until <= since:
            raise ValueError("must be later than since")
        return until


class SearchScope(Result):
    """The filters and the moment that a search was bound to, as they were asked for; null and empty bind nothing."""

    conversation_id: str | None = None
    assistant_id: str | None = None
    tags: list[str] = Field(default_factory=list)
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    include: list[Included] = Field(default_factory=list)


class Passage(Result):
    """The part of a long page that is nearest to the question; start and end count code points of one side."""

    side: Side
    start: int
    end: int
    text: str


class Hit(Result):
    """One result. `parts` add up to `score`; `sources` say where it comes from, with offsets.

    `tier` is where it is kept: stm and mtm for pages (none: a correction, or a fact stated by hand), mtm for segments,
    lpm for facts. `similarity` is the cosine of the query's vector and this one's, -1 to 1; null where it was not
    measured; in mode hybrid half of the query's vector is that of its content words. `status` is that of a fact,
    `keywords` and `heat` those of a segment, whose sources are its pages nearest to the question.
    """

    id: str
    kind: SearchKind
    tier: Literal["stm", "mtm", "lpm", "none"]
    text: str
    score: float
    similarity: float | None
    parts: dict[str, float]
    event_time: datetime
    sources: list[Source]
    passage: Passage | None = None
    status: FactStatus | None = None
    keywords: list[str] | None = None
    heat: float | None = None


class SearchResult(Result):
    """Best first, within `scope`. `notes` say which arms could not run and why; `degraded` that something is missing
    which makes results worse than they should be, and a note says what.

    `suppressed` counts by reason what holds the question's words, or was replaced by a fact among the hits, and is not
    shown: `superseded`, `retracted`, `conflicted`, `proposed`, `archived`, `quarantined`; `by_time` (not yet said, true
    or known at the moment asked for), `by_filter`, and `over_budget`. `explain` holds the numbers behind the ranking.
    """

    query: str
    hits: list[Hit]
    notes: list[str]
    degraded: bool = False
    suppressed: dict[str, int]
    scope: SearchScope
    explain: JsonMap | None = None
