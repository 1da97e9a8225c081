"""What callers decide about facts: put right, changed, never so, so after all, indeed so, kept, or stated by hand."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from .audit import EventOut
from .facts import FactOut
from .values import Moment, OpaqueId, Request, Result, Text

MAX_STATED = 2_000


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must hold words")
    return text


Stated = Annotated[Text, Field(min_length=1, max_length=MAX_STATED), AfterValidator(_not_blank)]
Reason = Annotated[Text, Field(max_length=MAX_STATED)]
FactVersion = Annotated[int, Field(ge=1, le=2**31)]


class DecideRequest(Request):
    """A decision about a fact. `reason` is kept with the relationship that the decision makes, and nowhere else.

    `version` is that of the fact as the caller saw it: if it has changed since, nothing is done (Conflict).
    """

    reason: Reason | None = None
    version: FactVersion | None = None


class CorrectRequest(DecideRequest):
    """What is so instead: `text` in the caller's words, or `object` alone in the words of the fact; or both.

    `valid_from` is when it began to hold: for a correction by default when the corrected fact did, for a change now.
    """

    text: Stated | None = None
    object: Stated | None = None
    valid_from: Moment | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.text is None and self.object is None:
            raise ValueError("text or object is needed")
        return self


class PinRequest(Request):
    """Keep a fact however little it is used (`pinned` true), or no longer."""

    pinned: bool = True
    version: FactVersion | None = None


class StateRequest(Request):
    """A fact stated by hand. Without `predicate` the rules read the text; what they can't read is kept as it stands,
    under the predicate `noted`."""

    text: Stated
    predicate: Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")] | None = None
    object: Stated | None = None
    valid_from: Moment | None = None
    conversation_id: OpaqueId | None = None
    assistant_id: OpaqueId = "assistant"


class Decided(Result):
    """The fact as it is now (a correction's is a new one, which `supersedes` the old), and the event."""

    fact: FactOut
    event: EventOut
