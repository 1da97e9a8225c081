"""A turn as a caller sends it, and the page that is kept of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Side(StrEnum):
    """Which text of a page: what the user said, the assistant said, tools returned, or the system prompt told."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Tier(StrEnum):
    """Where a page is in the memory; `none` is for pages that only carry a correction or a manual fact."""

    STM = "stm"
    MTM = "mtm"
    NONE = "none"


class PageState(StrEnum):
    """How far a page has been worked through; `forgotten` acknowledges a turn that stays forgotten (design.md 6)."""

    STORED = "stored"
    INDEXED = "indexed"
    FAILED = "failed"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a caller sends: one exchange. Either side may be empty, not both (checked by contract.TurnIn)."""

    user_input: str = ""
    assistant_response: str = ""
    external_id: str | None = None
    conversation_id: str
    assistant_id: str
    event_time: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[str] = ()
    tool_calls: Sequence[Mapping[str, Any]] = ()
    system_text: str = ""
    remember: str = "auto"
    origin: str = "conversation"

    @property
    def content_hash(self) -> str:
        """SHA-256 over everything the caller said, ids and defaults of ours excluded."""
        said = [
            self.user_input,
            self.assistant_response,
            self.conversation_id,
            self.assistant_id,
            self.event_time.isoformat() if self.event_time else None,
            dict(self.metadata),
            list(self.tags),
            [dict(call) for call in self.tool_calls],
            self.system_text,
            self.remember,
            self.origin,
        ]
        return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Page:
    """What is kept of a turn, as the pipeline and the providers see it: sides in quarantine are empty.

    `embedding` only where a step needs it.
    """

    page_id: str
    seq: int
    conversation_id: str
    session_id: str
    assistant_id: str
    user_input: str
    assistant_response: str
    tool_text: str = ""
    system_text: str = ""
    event_time: datetime
    recorded_at: datetime
    content_hash: str
    origin: str = "conversation"
    remember: str = "auto"
    keywords: tuple[str, ...] = ()
    embedding: tuple[float, ...] = ()

    def side(self, side: Side) -> str:
        """The stored text of one side."""
        texts = {Side.USER: self.user_input, Side.ASSISTANT: self.assistant_response, Side.TOOL: self.tool_text}
        return texts.get(side, self.system_text)

    @property
    def text(self) -> str:
        """The page as one text, as it is indexed. The system's text is no part of what was talked about."""
        return page_text(self.user_input, self.assistant_response, self.tool_text)


def answered_hash(asked_hash: str, answer: str) -> str:
    """The content hash of a page whose empty side was filled by an answer."""
    return hashlib.sha256(f"{asked_hash}\n{answer}".encode()).hexdigest()


def page_text(user_input: str, assistant_response: str, tool_text: str = "") -> str:
    """What was said and what tools gave as one text, user first; an empty side leaves no line."""
    return "\n".join(side for side in (user_input, assistant_response, tool_text) if side)


_TIME_WORDS = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|this "
    r"(week|month|year|morning|weekend|past)|weekend|recently|since"
    r"|(mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}|years?|months?|weeks?|days?|few|january|february|april|june|july"
    r"|august|september|october|november|december|in may|in march)\b"
    r"|昨天|前天|今天|明天|后天|上周|下周|本周|上个?月|下个?月|去年|今年|明年|星期[一二三四五六日天]|周[一二三四五六日末]|\d+[年月日号]",
    re.IGNORECASE,
)


def time_words(text: str) -> float:
    """How much a text speaks of times: 0, 0.5 or 1 for none, one, or more expressions. Source: retrieval.md 2."""
    return min(2, sum(1 for _ in _TIME_WORDS.finditer(text))) / 2
