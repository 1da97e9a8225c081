"""What the scripted model does instead of answering well: failures and odd replies, for some requests or all."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..domain.page import Page

Kind = Literal["read_batch", "propose_claims", "answer", "embeddings"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as the server got it. `text` is all that it says, `pages` what it shows (page_id: its number)."""

    kind: Kind
    body: Mapping[str, Any]
    text: str
    pages: tuple[Page, ...] = ()

    @property
    def format(self) -> str:
        """How the reply has to be structured: json_schema, json_object, or nothing."""
        return str((self.body.get("response_format") or {}).get("type", ""))


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """What to do with a request; the default is to answer it well.

    `content` replaces the text of the reply, `edit` changes what would be said. `cut_connection` breaks off within the
    body, `break_after` a stream after so many pieces; `hang` never answers; `hold` waits until the test lets go, and
    `hold_after` in a stream after so many pieces.
    """

    status: int = 200
    error: str = ""
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: str | Callable[[Request], str] | None = None
    edit: Callable[[str], str] | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish: str = "stop"
    usage: bool = True
    delay_s: float = 0.0
    hang: bool = False
    hold: Hold | None = None
    hold_after: int = 0
    cut_connection: bool = False
    break_after: int | None = None
    raw: str | None = None


class Hold:
    """Stops requests at the server until it is let go, so that a test can do something meanwhile."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.released = threading.Event()

    def let_go(self) -> None:
        """Let all stopped requests, and those to come, go on."""
        self.released.set()


def error(
    status: int, message: str = "scripted", *, param: str | None = None, retry_after: str | None = None
) -> Reaction:
    """An error of the protocol."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reaction(status=status, error=message, param=param, headers=headers)


def says(content: str | Callable[[Request], str]) -> Reaction:
    """This text instead of a good reply."""
    return Reaction(content=content)


def edited(edit: Callable[[str], str]) -> Reaction:
    """The good reply, changed."""
    return Reaction(edit=edit)


def fenced() -> Reaction:
    """The good reply inside a Markdown fence."""
    return edited(lambda text: f"```json\n{text}\n```")


def in_prose() -> Reaction:
    """The good reply between sentences."""
    return edited(lambda text: f"Sure! Here is what I found [1]:\n\n{text}\n\nLet me know if you need {{more}}.")


def thinking() -> Reaction:
    """The good reply after a reasoning block that holds JSON of its own."""
    return edited(lambda text: f'<think>The user wants JSON, maybe {{"claims": []}}.</think>\n{text}')


def cut() -> Reaction:
    """The first half of the good reply, with the reason "length"."""
    return Reaction(edit=lambda text: text[: len(text) // 2], finish="length")


def refusal() -> Reaction:
    """The protocol's refusal."""
    return Reaction(content="", refusal="I can't help with that.")


@dataclass
class _Rule:
    reaction: Reaction
    kind: Kind | None
    only: str | None
    times: int | None
    one_in: int
    chance: random.Random

    def applies(self, request: Request) -> bool:
        if self.times == 0 or (self.kind and request.kind != self.kind):
            return False
        if self.only is not None and self.only not in request.text:
            return False
        if self.one_in > 1 and self.chance.randrange(self.one_in):
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Scenario:
    """Rules in the order they were added, the first that applies counts; and the requests that came. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[_Rule] = []
        self._requests: list[Request] = []

    def when(
        self,
        reaction: Reaction,
        *,
        kind: Kind | None = None,
        only: str | None = None,
        times: int | None = None,
        one_in: int = 1,
        seed: int = 0,
    ) -> None:
        """React so to requests of a kind, with `only` in their text, so many times, or to one in so many by chance."""
        with self._lock:
            self._rules.append(_Rule(reaction, kind, only, times, one_in, random.Random(seed)))

    def reaction(self, request: Request) -> Reaction:
        """Note a request, and say what to do with it."""
        with self._lock:
            self._requests.append(request)
            return next((rule.reaction for rule in self._rules if rule.applies(request)), Reaction())

    def requests(self, kind: Kind | None = None, *, containing: str = "") -> list[Request]:
        """The requests so far, of a kind, with a text in them."""
        with self._lock:
            return [one for one in self._requests if kind in (None, one.kind) and containing in one.text]

    def count(self, kind: Kind | None = None, *, containing: str = "") -> int:
        """How many such requests there were."""
        return len(self.requests(kind, containing=containing))

    def clear(self) -> None:
        """Answer well from now on; what is held goes on, and the requests so far are forgotten."""
        self.let_go()
        with self._lock:
            self._rules.clear()
            self._requests.clear()

    def let_go(self) -> None:
        """Let all requests that are held go on."""
        with self._lock:
            for rule in self._rules:
                if rule.reaction.hold:
                    rule.reaction.hold.let_go()
