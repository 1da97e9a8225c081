"""API keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .values import Request, Result, UserId, _opaque

KeyScope = Literal["read", "write", "forget", "admin"]


class KeyRequest(Request):
    """A new key: the users it is for ("*" means all, a list means these ids literally) and what it may do."""

    label: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_opaque)]
    users: Literal["*"] | Annotated[list[UserId], Field(min_length=1, max_length=1000)]
    scopes: list[KeyScope] = Field(min_length=1, max_length=4)


class KeyOut(Result):
    """A key as it is listed; its secret is stored nowhere."""

    key_id: str
    label: str
    users: Literal["*"] | list[str]
    scopes: list[KeyScope]
    created_at: datetime
    revoked_at: datetime | None


class KeyCreated(KeyOut):
    """A new key with its secret, which is shown this once."""

    token: str


class KeyList(Result):
    items: list[KeyOut]
    next_cursor: str | None
