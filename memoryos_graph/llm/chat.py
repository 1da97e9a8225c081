"""One chat request: what the server supports is tried, learned and remembered; each request is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..domain.usage import ModelCall
from ..errors import ModelReplyInvalid, ModelUnavailable
from .endpoint import Endpoint, Refused
from .streaming import Streamed

Message = dict[str, str]
Format = Literal["schema", "json", "plain"]
_LESS: dict[Format, Format] = {"schema": "json", "json": "plain"}
_ABOUT_FORMAT = re.compile(r"response_?format|json_?schema|json_?object|json mode|structured.output|guided|grammar")
_TOO_LONG = re.compile(
    r"context.?length|context.?window|context.?size|maximum context|too many tokens|(?:prompt|input) is too long"
)


class Cut(Exception):
    """The reply ended at its limit of tokens, or the prompt is longer than the model reads. `prompt` tells which."""

    def __init__(self, *, prompt: bool = False) -> None:
        self.prompt = prompt
        super().__init__()


@dataclass
class Ledger:
    """The calls that one piece of work has made so far."""

    prompt_hash: str
    calls: list[ModelCall] = field(default_factory=list)

    def add(self, model: str, outcome: str, ms: int, usage: Any = None) -> int:
        """Count one request and give its place; a server that tells no tokens counts with 0."""
        tokens_in, tokens_out = (_number(getattr(usage, name, 0)) for name in ("prompt_tokens", "completion_tokens"))
        self.calls.append(
            ModelCall(
                model=model,
                prompt_hash=self.prompt_hash,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                ms=ms,
                outcome=outcome,
            )
        )
        return len(self.calls) - 1

    def mark(self, place: int, outcome: str) -> None:
        """Say what became of the reply of one request."""
        self.calls[place] = replace(self.calls[place], outcome=outcome)


@dataclass(frozen=True)
class Support:
    """What a server takes, as far as it is known: the best is assumed until it refuses."""

    format: Format = "schema"
    temperature: bool = True
    limit: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    stream_usage: bool = True

    def without(self, about: str) -> Support | None:
        """The same less what a refusal is about; None when it is about none of it. Source: case L24."""
        about = about.lower()
        if self.temperature and "temperature" in about:
            return replace(self, temperature=False)
        if self.stream_usage and ("stream_options" in about or "include_usage" in about):
            return replace(self, stream_usage=False)
        if self.limit == "max_tokens" and "max_completion_tokens" in about:
            return replace(self, limit="max_completion_tokens")
        if self.limit and self.limit in about:
            return replace(self, limit="")
        if self.format != "plain" and _ABOUT_FORMAT.search(about):
            return replace(self, format=_LESS[self.format])
        return None


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What to ask for: messages, the most tokens of the reply, and for a structured reply its name and JSON schema."""

    messages: Sequence[Message]
    max_tokens: int
    schema_name: str = ""
    schema: dict[str, Any] | None = None


class Chat:
    """One model of a server."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.model = model
        self._endpoint = endpoint
        self._support = Support()

    @property
    def can_limit(self) -> bool:
        """Whether the server takes a limit of tokens, as far as it is known."""
        return bool(self._support.limit)

    async def text(self, ask: Ask, ledger: Ledger, on_text: Callable[[str], None] | None = None) -> tuple[str, int]:
        """The text of the reply, and its place in the ledger. With `on_text` it streams, and a try that has told some
        text is never repeated. Raises Cut, ModelUnavailable, ModelReplyInvalid.
        """
        support = self._support
        while True:
            try:
                response, ms = await self._send(ask, support, ledger, on_text)
                break
            except Refused as refused:
                if _TOO_LONG.search(refused.about.lower()):
                    raise Cut(prompt=True) from None
                less = support.without(refused.about)
                if less is None:
                    raise ModelUnavailable(
                        "the model server refuses the request (400)", code="model_bad_request"
                    ) from None
                support = less
        self._support = support
        return self._text_of(response, ms, ledger)

    async def _send(
        self, ask: Ask, support: Support, ledger: Ledger, on_text: Callable[[str], None] | None
    ) -> tuple[Any, int]:
        asked = _asked(self.model, ask, support)
        create = self._endpoint.client.chat.completions.create

        def failed(outcome: str, ms: int) -> object:
            return ledger.add(self.model, outcome, ms)

        if on_text is None:
            return await self._endpoint.send(lambda: create(**asked), failed)
        streamed = Streamed(on_text)
        asked["stream"] = True
        if support.stream_usage:
            asked["stream_options"] = {"include_usage": True}
        return await self._endpoint.send(
            lambda: streamed.read(create(**asked)), failed, again=lambda: not streamed.told
        )

    def _text_of(self, response: Any, ms: int, ledger: Ledger) -> tuple[str, int]:
        """Servers differ in everything but the outline, and the library checks nothing: so each part may be missing."""
        choice = next(iter(getattr(response, "choices", None) or ()), None)
        message = getattr(choice, "message", None)
        finish = getattr(choice, "finish_reason", None)
        place = ledger.add(self.model, "ok", ms, getattr(response, "usage", None))
        if getattr(message, "refusal", None) or finish == "content_filter":
            ledger.mark(place, "refusal")
            raise ModelReplyInvalid("the model refused to answer", code="model_refusal")
        if finish == "length":
            ledger.mark(place, "cut")
            raise Cut
        return _joined(getattr(message, "content", None)), place


def _asked(model: str, ask: Ask, support: Support) -> dict[str, Any]:
    asked: dict[str, Any] = {"model": model, "messages": list(ask.messages)}
    if support.temperature:
        asked["temperature"] = 0
    if support.limit:
        asked[support.limit] = ask.max_tokens
    if ask.schema is not None and support.format == "schema":
        named = {"name": ask.schema_name, "strict": True, "schema": ask.schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    elif ask.schema is not None and support.format == "json":
        asked["response_format"] = {"type": "json_object"}
    return asked


def _joined(content: Any) -> str:
    """The text of a message; some servers send it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else getattr(part, "text", None) for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
