"""What is to be forgotten, the plan of it, and the receipt that proves it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..domain.forgetting import ReasonCode
from .values import Cursor, Limit, Moment, OpaqueId, Request, Result, Text

MAX_CHOSEN = 1_000
Reference = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,40}$")]
ChosenIds = Annotated[list[OpaqueId], Field(min_length=1, max_length=MAX_CHOSEN)]
ItemWhat = Literal["goes", "loses_words", "made_anew", "stays", "holds_again", "also_said_in"]
ItemKind = Literal["page", "fact", "answer", "segment", "chain", "session"]

_SELECTORS = ("pages", "facts", "conversation_id", "query", "since", "until", "assistant_id", "everything")


class ForgetRequest(Request):
    """What to forget: exactly one of pages, facts, conversation_id, query, a time (since, until), assistant_id, or
    everything. `query` chooses the pages that hold all its words.

    Forgetting a fact removes the claim and keeps its page, unless `redact`: then the words are blacked out there.
    """

    pages: ChosenIds | None = None
    facts: ChosenIds | None = None
    redact: bool = False
    conversation_id: OpaqueId | None = None
    query: Annotated[Text, Field(min_length=1, max_length=1_000)] | None = None
    since: Moment | None = None
    until: Moment | None = None
    assistant_id: OpaqueId | None = None
    everything: bool = False
    reason_code: ReasonCode = "user_request"
    reference: Reference | None = None

    @model_validator(mode="after")
    def _one_selector(self) -> Self:
        given = {name for name in _SELECTORS if getattr(self, name) not in (None, False)}
        if given - {"since", "until"} if given & {"since", "until"} else len(given) != 1:
            raise ValueError(f"choose exactly one of {', '.join(_SELECTORS)} (since and until go together)")
        if self.redact and self.facts is None:
            raise ValueError("redact goes with facts")
        return self

    @property
    def selector(self) -> str:
        """Which of them it is, as a code."""
        given = [name for name in _SELECTORS if getattr(self, name) not in (None, False)]
        return "times" if given[0] in ("since", "until") else given[0].removesuffix("_id")


class PlanRequest(Request):
    """Which part of a plan's items to list."""

    limit: Limit = 50
    cursor: Cursor | None = None


class ForgetItem(Result):
    """One thing that a forget touches, and how: it goes, loses words, is made anew from what is left, stays through
    other sources (`through`, page ids), holds again, or is another page with the same words, kept unless ticked."""

    what: ItemWhat
    kind: ItemKind
    id: str
    text: str
    through: list[str] = Field(default_factory=list)


class ForgetPlan(Result):
    """What would happen. Nothing has, until it is confirmed; `counts` by what happens and kind of thing."""

    plan_id: str
    selector: str
    redact: bool
    expires_at: datetime
    counts: dict[ItemWhat, dict[str, int]]
    items: list[ForgetItem]
    next_cursor: str | None


class ConfirmRequest(Request):
    """Pages of `also_said_in` that go as well."""

    also: Annotated[list[OpaqueId], Field(max_length=MAX_CHOSEN, default_factory=list)]


class Receipt(Result):
    """Proof of a forget: what went, by our ids and counts, never by words.

    `root` is a keyed hash over all of it. `residue` says what files on disk may still hold: `files` until the residue
    step was done after it (`residue_erased_at`), and `out_of_reach` what no step of ours reaches.
    """

    receipt_id: str
    at: datetime
    actor: str
    selector: str
    redact: bool
    reason_code: str
    reference: str | None
    counts: dict[str, int]
    ids: list[str]
    root: str
    residue: Literal["files", "none"]
    residue_erased_at: datetime | None
    out_of_reach: list[str]


class ReceiptList(Result):
    """Receipts, newest first."""

    items: list[Receipt]


class VerifyRequest(Request):
    """Words to look for, too; they are not kept."""

    text: Annotated[Text, Field(min_length=1, max_length=1_000)] | None = None


class ReceiptCheck(Result):
    """What a receipt says now: all absent; or what came back; `said_elsewhere` are pages that hold the words asked for,
    or the same words told anew since."""

    receipt_id: str
    status: Literal["absent", "came_back", "said_elsewhere", "forged"]
    came_back: list[str]
    said_elsewhere: list[str]
    checked: int
