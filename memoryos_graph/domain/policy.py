"""What a user lets the memory keep: how turns are remembered, what is done with sensitive words, and for how long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from .claim import Claim, Sensitivity, Stance

Remember = Literal["auto", "session_only", "never_long_term"]


class Action(StrEnum):
    """What is done with words of a sensitive class, mildest first.

    `store` keeps them as any others. `ask` keeps the page, and facts made of them wait until they are confirmed.
    `session_only` keeps the page for its session. `redact` blacks the words out before a turn is stored, `never` the
    whole sentences that hold them.
    """

    STORE = "store"
    ASK = "ask"
    SESSION_ONLY = "session_only"
    REDACT = "redact"
    NEVER = "never"


BLACKED = (Action.REDACT, Action.NEVER)
CLASSES = tuple(one for one in Sensitivity if one is not Sensitivity.NONE)
DEFAULT_ACTIONS: Mapping[Sensitivity, Action] = MappingProxyType(
    {
        Sensitivity.HEALTH: Action.STORE,
        Sensitivity.FINANCE: Action.STORE,
        Sensitivity.CREDENTIALS: Action.REDACT,
        Sensitivity.CONTACT: Action.STORE,
        Sensitivity.MINORS: Action.STORE,
        Sensitivity.POLITICAL: Action.ASK,
        Sensitivity.RELIGIOUS: Action.ASK,
        Sensitivity.SEXUAL: Action.ASK,
    }
)


@dataclass(frozen=True)
class Finding:
    """Words of a sensitive class; `start` and `end` count code points of the text they were found in."""

    kind: Sensitivity
    start: int
    end: int


@dataclass(frozen=True)
class Retention:
    """Days after which things are forgotten, counted from when they were stored; 0 keeps them.

    Pages by tier; `past_facts` are those that hold no longer, counted from when that was learnt.
    """

    mtm_days: int = 0
    archived_days: int = 0
    past_facts_days: int = 0
    answers_days: int = 0


@dataclass(frozen=True)
class Policy:
    """The policy of one user. `remember` is the mode of turns that say `auto`; facts that were neither said nor used
    for `stale_after_days` are to be confirmed (0: never)."""

    remember: Remember = "auto"
    classes: Mapping[Sensitivity, Action] = field(default_factory=lambda: DEFAULT_ACTIONS)
    retention: Retention = Retention()
    stale_after_days: int = 365

    @classmethod
    def of(cls, stored: str | None) -> Policy:
        """From what is stored at a user; the default one when nothing is."""
        if not stored:
            return cls()
        given: dict[str, Any] = json.loads(stored)
        actions = {Sensitivity(name): Action(action) for name, action in given["classes"].items()}
        retention = Retention(**given["retention"])
        return cls(given["remember"], {**DEFAULT_ACTIONS, **actions}, retention, given["stale_after_days"])

    def stored(self) -> str:
        """As it is stored."""
        return json.dumps(asdict(replace(self, classes=dict(self.classes))), sort_keys=True)

    def action(self, classes: Iterable[Sensitivity]) -> Action:
        """The strictest action that these classes ask for."""
        order = list(Action)
        actions = [self.classes[one] for one in classes if one is not Sensitivity.NONE]
        return max(actions, key=order.index, default=Action.STORE)

    def allowed(self, claim: Claim, classes: Iterable[Sensitivity]) -> Claim | None:
        """A claim of these classes as it may become a fact: as it is, to be confirmed first, or not at all."""
        action = self.action(classes)
        if action is Action.STORE:
            return claim
        if action is Action.ASK:
            stance = Stance.ENDS if claim.stance is Stance.ENDS else Stance.STATES
            return replace(claim, asks=stance is Stance.STATES, stance=stance, replaces=None)
        return None

    def mode(self, asked: str, classes: Iterable[Sensitivity]) -> str:
        """How a turn is remembered that asks for a mode and holds words of these classes."""
        if asked == "session_only" or self.action(classes) is Action.SESSION_ONLY:
            return "session_only"
        return self.remember if asked == "auto" else asked
