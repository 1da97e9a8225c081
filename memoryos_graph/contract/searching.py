"""What to find, and what was found."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .facts import Source
from .values import MAX_QUERY, JsonMap, Request, Result, _storable


class SearchRequest(Request):
    """What to find. `hybrid` is the measured recipe, `flat` only vectors. Texts up to 20,000 code points."""

    query: Annotated[str, Field(max_length=MAX_QUERY), AfterValidator(_storable)]
    top_k: int = Field(default=10, ge=1, le=200)
    kinds: list[Literal["page", "fact"]] = Field(default=["page", "fact"], min_length=1)
    mode: Literal["hybrid", "flat"] = "hybrid"
    explain: bool = False


class Hit(Result):
    """One result. `parts` add up to `score`; `sources` say where it comes from, with offsets.

    `similarity` is the cosine of the query's vector and this one's, -1 to 1; null where it was not measured.
    """

    id: str
    kind: Literal["page", "fact"]
    text: str
    score: float
    similarity: float | None
    parts: dict[str, float]
    event_time: datetime
    sources: list[Source]


class SearchResult(Result):
    """Best first. `notes` say which arms could not run and why; `explain` holds the numbers behind the ranking.
    `degraded`: something is missing that makes results worse than they should be, and a note says what."""

    query: str
    hits: list[Hit]
    notes: list[str]
    degraded: bool = False
    explain: JsonMap | None = None
