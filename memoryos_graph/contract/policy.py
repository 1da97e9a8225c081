"""What a user lets the memory keep."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..domain.policy import Action, Remember
from .values import Request, Result

SensitiveClass = Literal["health", "finance", "credentials", "contact", "minors", "political", "religious", "sexual"]
Days = Annotated[int, Field(ge=0, le=36_500)]


class RetentionIn(Request):
    """Days after which things are forgotten, with a receipt; 0 keeps them. Pages by tier, counted from when they were
    stored; past facts hold no longer, counted from when that was learnt."""

    mtm_days: Days = 0
    archived_days: Days = 0
    past_facts_days: Days = 0
    answers_days: Days = 0


class PolicyRequest(Request):
    """A whole policy: what is not given is as by default.

    `remember` is the mode of turns that say `auto`. `classes` say what is done with sensitive words: `store`; `ask`
    (facts wait until they are confirmed); `session_only`; `redact` (the words are blacked out before a turn is stored);
    `never` (the whole sentences are). `stale_after_days`: facts neither said nor used for so long ask to be confirmed;
    0 never. It holds for what is told from now on; retention also for what is there.
    """

    remember: Remember = "auto"
    classes: dict[SensitiveClass, Action] = Field(default_factory=dict)
    retention: RetentionIn = Field(default_factory=RetentionIn)
    stale_after_days: Days = 365


class RetentionOut(Result):
    """Days after which things are forgotten; 0 keeps them."""

    mtm_days: int
    archived_days: int
    past_facts_days: int
    answers_days: int


class PolicyOut(Result):
    """The policy of a user, each class with its action."""

    remember: Remember
    classes: dict[SensitiveClass, Action]
    retention: RetentionOut
    stale_after_days: int
