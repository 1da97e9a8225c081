"""Every error a caller can meet, as one tree; this module imports nothing of ours.

MemoryosError                     the root; `code` is stable, `detail` is a sentence without any text of a user
├── InvalidInput                  your input: names the `field` and the limit (HTTP 422)
│   └── QueryRefused              your query: reads more than your own memory, or costs too much
├── TooLarge                      your input: more than a request may hold (HTTP 413)
├── NotFound                      not there, or not yours (HTTP 404)
├── Conflict                      other content under the same id, or a stale version (HTTP 409)
├── AccessDenied                  no key, or a key without this user or scope (HTTP 401, 403)
├── TryAgain                      nothing was written; repeat after `retry_after_s` (HTTP 503)
│   ├── UserBusy                  another writer holds this user
│   └── DatabaseUnavailable       Neo4j does not answer
├── ModelError                    a model failed; nothing was written (HTTP 502)
│   ├── ModelUnavailable          no answer: time, quota, connection
│   ├── ModelReplyInvalid         an answer that does not fit what was asked
│   └── ModelBudgetSpent          the calls or tokens of this user's day are used up
├── SetupError                    the start is refused; the sentence names the remedy
│   └── ModelChanged              the database has vectors of another model since this process started (HTTP 503)
└── InternalError                 our fault (HTTP 500)
"""

from __future__ import annotations

from typing import Any


class MemoryosError(Exception):
    """Something went wrong in memoryos-graph."""

    code = "error"

    def __init__(self, detail: str | None = None, *, code: str | None = None) -> None:
        self.detail = detail or (type(self).__doc__ or "").splitlines()[0]
        if code is not None:
            self.code = code
        super().__init__(self.detail)


class InvalidInput(MemoryosError):
    """A value is not acceptable."""

    code = "invalid_input"

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class QueryRefused(InvalidInput):
    """A query is not run; the sentence says which part of it, and what to write instead."""

    code = "query_refused"

    def __init__(self, detail: str, *, code: str | None = None) -> None:
        super().__init__("query", f"query: {detail}")
        self.code = code or self.code


class TooLarge(MemoryosError):
    """The request is larger than the limit."""

    code = "too_large"

    def __init__(self, field: str, detail: str) -> None:
        self.field = field
        super().__init__(detail)


class NotFound(MemoryosError):
    """There is no such thing for this user."""

    code = "not_found"


class Conflict(MemoryosError):
    """Something else is already stored under this id or version."""

    code = "conflict"


class AccessDenied(MemoryosError):
    """The key does not allow this."""

    code = "access_denied"

    def __init__(self, detail: str | None = None, *, authenticated: bool) -> None:
        self.authenticated = authenticated
        super().__init__(detail, code="forbidden" if authenticated else "unauthenticated")


class TryAgain(MemoryosError):
    """Not possible at the moment; nothing was written."""

    code = "try_again"

    def __init__(self, detail: str | None = None, *, retry_after_s: int = 1) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(detail)


class UserBusy(TryAgain):
    """Another writer holds this user; nothing was written."""

    code = "user_busy"


class DatabaseUnavailable(TryAgain):
    """Neo4j does not answer; nothing was acknowledged."""

    code = "database_unavailable"


class ModelError(MemoryosError):
    """A model failed; nothing was written. `calls` are the calls made (domain.usage.ModelCall), failed ones too."""

    code = "model_failed"

    def __init__(self, detail: str | None = None, *, code: str | None = None, calls: tuple[Any, ...] = ()) -> None:
        self.calls = calls
        super().__init__(detail, code=code)


class ModelUnavailable(ModelError):
    """The model gave no answer."""

    code = "model_unavailable"


class ModelReplyInvalid(ModelError):
    """The model's answer does not have the shape that was asked for."""

    code = "model_reply_invalid"


class ModelBudgetSpent(ModelError):
    """The budget of model calls of this user and day is used up."""

    code = "model_budget_spent"


class SetupError(MemoryosError):
    """The start is refused."""

    code = "setup"


class ModelChanged(SetupError):
    """The embedding model of the database was changed since this process started: start it again with the new one."""

    code = "model_changed"


class InternalError(MemoryosError):
    """Something failed on our side."""

    code = "internal"
