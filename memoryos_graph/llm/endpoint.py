"""One OpenAI-compatible server: requests with time limits, back-off and a limit on parallel calls; typed failures.

The only module that imports `openai`. What the server or the library say of a failure may repeat words of users, so
only codes and numbers leave this module.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ..errors import ModelError, ModelReplyInvalid, ModelUnavailable

T = TypeVar("T")
Name = Literal["llm", "embedding"]
OnFailure = Callable[[str, int], object]
LONGEST_WAIT_S = 60.0  # a server that wants more time is asked again with the next attempt of the whole step
_BACK_OFF = wait_random_exponential(multiplier=0.5, max=20)

for _chatty in ("openai", "httpx2"):  # at DEBUG they log whole requests
    logging.getLogger(_chatty).setLevel(logging.WARNING)


class Refused(Exception):
    """The server does not take the request as it is (400, 422). `about` is what it says; it is never logged."""

    def __init__(self, about: str) -> None:
        self.about = about
        super().__init__()


class Endpoint:
    """A server by its base URL. `gate` limits the calls at a time and may be shared with other endpoints.

    `name` is how the settings that lead to it begin.
    `timeout_s` is for one try from its start to its last byte; `max_tries` counts the first one too.
    """

    def __init__(
        self,
        *,
        name: Name,
        base_url: str,
        api_key: str | None,
        timeout_s: float,
        max_tries: int,
        gate: asyncio.Semaphore,
    ) -> None:
        self._name = name
        self.client = openai.AsyncOpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0, timeout=timeout_s)
        self._timeout_s = timeout_s
        self._gate = gate
        self._retrying = AsyncRetrying(stop=stop_after_attempt(max_tries), wait=_wait, reraise=True)

    async def send(
        self, request: Callable[[], Awaitable[T]], on_failure: OnFailure, again: Callable[[], bool] = lambda: True
    ) -> tuple[T, int]:
        """The response and its ms. Tries again after 408, 409, 429, 5xx, timeouts and lost connections.

        Retry-After is obeyed. `on_failure(outcome, ms)` is told of each failed try; `again` can forbid another one.
        Raises ModelUnavailable, ModelReplyInvalid, Refused.
        """
        try:
            # A copy: the object keeps the state of one use.
            retrying = self._retrying.copy(retry=retry_if_exception(lambda exc: again() and _passes(exc)))
            return await retrying(self._once, request, on_failure)
        except _Failed as failed:
            raise failed.error() from None

    async def close(self) -> None:
        """Close its connections."""
        await self.client.close()

    async def _once(self, request: Callable[[], Awaitable[T]], on_failure: OnFailure) -> tuple[T, int]:
        async with self._gate:
            began = time.perf_counter()
            try:
                async with asyncio.timeout(self._timeout_s):
                    response = await request()
                return response, _ms_since(began)
            except asyncio.CancelledError:
                on_failure("cancelled", _ms_since(began))
                raise
            except (openai.OpenAIError, TimeoutError, ValueError) as exc:
                failure = _failure(exc, self._name)
                on_failure("bad_request" if isinstance(failure, Refused) else failure.outcome, _ms_since(began))
                raise failure from None


class _Failed(Exception):
    """One try that failed; `again` if another one may do better, not before `after_s`."""

    def __init__(self, outcome: str, detail: str, *, again: bool = False, after_s: float | None = None) -> None:
        self.outcome = outcome
        self.detail = detail
        self.again = again
        self.after_s = after_s
        super().__init__()

    def error(self) -> ModelError:
        kind = ModelReplyInvalid if self.outcome == "not_json" else ModelUnavailable
        return kind(self.detail, code=f"model_{self.outcome}")


def _failure(exc: Exception, name: Name) -> _Failed | Refused:
    if isinstance(exc, TimeoutError | openai.APITimeoutError):
        return _Failed("timeout", "the model server did not answer in time (setting llm_timeout_s)", again=True)
    if isinstance(exc, openai.APIConnectionError):
        return _Failed("unreachable", "the model server can't be reached, or cut the connection", again=True)
    if isinstance(exc, openai.APIStatusError):
        return _of_status(exc, name)
    return _Failed("not_json", "the model server answered with something that is not of the OpenAI protocol")


def _of_status(exc: openai.APIStatusError, name: Name) -> _Failed | Refused:
    status = exc.status_code
    if status in (400, 422):
        return Refused(f"{exc.param or ''} {exc.code or ''} {exc.message}")
    if status == 413:
        return Refused("the prompt is too long")
    if status == 429:
        return _Failed("rate_limited", "the model server limits the rate (429)", again=True, after_s=_retry_after(exc))
    if status in (408, 409) or status >= 500:
        detail = f"the model server failed ({status})"
        return _Failed("server_error", detail, again=True, after_s=_retry_after(exc))
    if status in (401, 403):
        return _Failed("key_refused", f"the model server refuses the key ({status}; setting {name}_api_key)")
    if status == 404:
        return _Failed(
            "not_found", f"the model server has no such model or address (404; settings {name}_model, {name}_base_url)"
        )
    return _Failed("refused", f"the model server refuses the request ({status})")


def _retry_after(exc: openai.APIStatusError) -> float | None:
    """The seconds that the Retry-After header asks for: a number or a date."""
    said = exc.response.headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(said))
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    return None


def _passes(exc: BaseException) -> bool:
    return isinstance(exc, _Failed) and exc.again and (exc.after_s or 0.0) <= LONGEST_WAIT_S


def _wait(state: RetryCallState) -> float:
    failed: Any = state.outcome.exception() if state.outcome else None
    return _BACK_OFF(state) if failed is None or failed.after_s is None else float(failed.after_s)


def _ms_since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)
