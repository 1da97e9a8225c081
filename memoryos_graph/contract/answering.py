"""The parts of a prompt, questions to the memory, and answers with their citations."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from ..domain.page import Side
from ..domain.policy import Remember
from .facts import Source
from .searching import SearchRequest
from .turns import TurnIn
from .values import JsonMap, Moment, OpaqueId, Result, Text, _storable

PartName = Literal["recent", "evidence", "persona"]
TierName = Literal["stm", "mtm", "lpm"]
Short = Annotated[str, Field(max_length=2_000), AfterValidator(_storable)]


class ContextRequest(SearchRequest):
    """What a prompt about `query` needs. `conversation_id` and `assistant_id` choose the recent turns only; evidence is
    looked for in everything the user said. `budget_tokens` bounds `text`, as `tokens.counted_by` counts.
    """

    query: Annotated[str, Field(min_length=1, max_length=20_000), AfterValidator(_storable)]
    conversation_id: OpaqueId | None = None
    assistant_id: OpaqueId = "assistant"
    as_of: Moment | None = None
    known_at: Moment | None = None
    budget_tokens: int = Field(default=4_000, ge=200, le=1_000_000)


class AnswerRequest(ContextRequest):
    """A question. `relationship`, `style_hint` and `metadata` are given to the model as data, `system` is the
    application's own instruction. With `store` the turn and its answer are remembered: `id`, `event_time` and
    `metadata` are those of the turn.
    """

    relationship: Short = ""
    style_hint: Short = ""
    system: Text = ""
    metadata: JsonMap = Field(default_factory=dict)
    store: bool = True
    id: OpaqueId | None = None
    event_time: Moment | None = None
    remember: Remember = "auto"

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("must not be blank")
        return query

    def turn(self) -> TurnIn:
        """The question as a turn of the user alone."""
        names = ("id", "conversation_id", "assistant_id", "event_time", "metadata", "remember")
        return TurnIn(user_input=self.query, **{name: getattr(self, name) for name in names})


class ContextItem(Result):
    """One thing that is shown under `marker`: a page or a fact, with the words shown of it and where they stand.

    `shortened` when not all of it is shown; `flags` may hold `reads_like_orders`, and `stale` of a fact that is to be
    confirmed. What is in two parts counts in one.
    """

    marker: int
    kind: Literal["page", "fact"]
    id: str
    tier: TierName
    text: str
    tokens: int
    shortened: bool
    event_time: datetime
    score: float | None
    similarity: float | None
    parts: dict[str, float]
    flags: list[str]
    sources: list[Source]


class MemoryConflict(Result):
    """Things shown that disagree: `unsettled` facts, or a fact and newer words of the user (`newer_evidence`).

    `newest` is the marker that wins, null where nobody can tell; `text` is null in an answer that was stored.
    """

    kind: Literal["unsettled", "newer_evidence"]
    markers: list[int]
    newest: int | None
    fact_ids: list[str]
    page_ids: list[str]
    text: str | None


class ContextCut(Result):
    """What did not fit: an item that is shown in part, or left out; `tokens` is what it would have taken in full."""

    part: PartName
    kind: Literal["page", "fact"]
    id: str
    reason: Literal["shortened", "left_out"]
    tokens: int


class TokenCounts(Result):
    """Tokens of each part and of the whole text; `counted_by` names the tokenizer."""

    recent: int
    evidence: int
    persona: int
    conflicts: int
    total: int
    budget: int
    counted_by: str


class ContextResult(Result):
    """The parts of a prompt: `recent` newest last, `evidence` best first. `text` is all of it as one block of JSON.

    `weak` says that the evidence hardly bears on the question; `degraded` as of a search.
    """

    query: str
    recent: list[ContextItem]
    evidence: list[ContextItem]
    persona: list[ContextItem]
    conflicts: list[MemoryConflict]
    weak: bool
    tokens: TokenCounts
    cuts: list[ContextCut]
    text: str
    notes: list[str]
    degraded: bool


class Citation(Result):
    """What a marker in the answer stands for: words that were in the prompt. A fact gives one entry for each quote."""

    marker: int
    kind: Literal["page", "fact"]
    fact_id: str | None
    page_id: str
    side: Side
    start: int
    end: int
    quote: str
    event_time: datetime


class UsedItem(Result):
    """What the model was shown: where it ranked, with which score, and whether the answer cites it."""

    marker: int
    kind: Literal["page", "fact"]
    id: str
    part: PartName
    rank: int
    score: float | None
    parts: dict[str, float]
    shortened: bool
    cited: bool


class UsedItems(Result):
    """What was shown, by the tier it comes from."""

    stm: list[UsedItem]
    mtm: list[UsedItem]
    lpm: list[UsedItem]


class AnswerUsage(Result):
    """What the answer cost: requests to the model and their tokens as the server counts, and the context's as we do."""

    model: str
    model_calls: int
    tokens_in: int
    tokens_out: int
    context_tokens: int


class AnswerResult(Result):
    """What was asked, said and used. `answer_id` and `page_id` are null when nothing was to be stored.

    `abstained`: the memory does not tell; `extractive`: made of words of the memory, without a model; `weak`: the
    evidence hardly bears on the question; `citations_removed`: markers that named nothing that was shown.
    """

    answer_id: str | None
    page_id: str | None
    at: datetime
    question: str
    text: str
    citations: list[Citation]
    citations_removed: int
    used: UsedItems
    conflicts: list[MemoryConflict]
    abstained: bool
    extractive: bool
    weak: bool
    usage: AnswerUsage
    cuts: list[ContextCut]
    notes: list[str]
    degraded: bool
