"""Turns as they come in, pages as they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, model_validator

from ..domain.claim import Sensitivity
from ..domain.page import PageState, Side, Tier
from ..domain.policy import Remember
from ..domain.tool import kept_call
from .facts import FactOut
from .segments import SegmentRef
from .values import JsonMap, Moment, OpaqueId, Request, Result, Tag, Text


class Message(Request):
    """One message of the chat form of a turn, with the fields that chat APIs give calls of tools.

    `tool_calls` of an assistant are {id, function: {name, arguments}} or {name, arguments}; a tool's message answers
    the one whose id it names, or else the first that has no answer yet.
    """

    role: Literal["user", "assistant", "system", "tool"]
    content: Text = ""
    name: OpaqueId | None = None
    tool_calls: list[JsonMap] = Field(default_factory=list, max_length=100)
    tool_call_id: OpaqueId | None = None


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
    remember: Remember = "auto"

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

        return self._joined("user"), self._joined("assistant")

    def system_text(self) -> str:
        """What system messages said."""
        return self._joined("system")

    def kept_calls(self) -> list[dict[str, Any]]:
        """Tool calls as they are stored, each with a summary of the result that answered it."""
        calls: list[_Call] = []
        for message in self.messages or ():
            calls += [_Call.of(call) for call in message.tool_calls]
            if message.role == "tool":
                _answered(calls, message).result = message.content
        return [kept_call(call.name, call.arguments, call.result or "") for call in calls]

    def _joined(self, role: str) -> str:
        return "\n".join(m.content for m in self.messages or () if m.role == role and m.content)


@dataclass
class _Call:
    id: str | None
    name: str
    arguments: Any
    result: str | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> _Call:
        function = given.get("function")
        inner = function if isinstance(function, dict) else given
        return cls(given.get("id"), str(inner.get("name") or "tool"), inner.get("arguments") or {})


def _answered(calls: list[_Call], message: Message) -> _Call:
    """The call that a tool's message answers; a result without a call becomes one of its own."""
    for call in calls:
        if call.result is None and message.tool_call_id in (None, call.id):
            return call
    calls.append(_Call(message.tool_call_id, message.name or "tool", {}))
    return calls[-1]


class TurnStored(Result):
    """The acknowledgement of a turn; `created` is false when the same turn was there already, or was forgotten: then
    its state says so, and nothing is stored."""

    page_id: str
    id: str | None
    seq: int
    state: PageState
    created: bool


class TurnsStored(Result):
    """The acknowledgements of a list of turns, in its order."""

    items: list[TurnStored]


class TurnOut(Result):
    """One page as it is kept; `answer_id` names the answer that became its assistant's side.

    `remember` is the mode that the turn and the policy made, `sensitive` the classes of words in it, `quarantined` the
    sides that read like orders to a language model: no prompt shows them, and no fact is made of them.
    """

    page_id: str
    id: str | None
    seq: int
    conversation_id: str
    session_id: str
    assistant_id: str
    user_input: str
    assistant_response: str
    tool_calls: list[JsonMap]
    system_text: str
    event_time: datetime
    recorded_at: datetime
    tier: Tier
    state: PageState
    attempts: int
    archived: bool
    origin: str
    metadata: JsonMap
    tags: list[str]
    keywords: list[str]
    answer_id: str | None
    remember: Remember
    sensitive: list[Sensitivity]
    quarantined: list[Side]


class TurnDetail(TurnOut):
    """A page with everything that was derived from it."""

    facts: list[FactOut]
    segments: list[SegmentRef]
    chain_id: str | None


class TurnList(Result):
    items: list[TurnOut]
    next_cursor: str | None
