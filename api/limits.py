"""What surrounds every request: its id, its raw path, limits of its body, one log line, and no stack in an answer."""

from __future__ import annotations

import json
import logging
import math
import time
import traceback
import uuid
from collections.abc import Iterable
from typing import Any, NoReturn
from urllib.parse import quote, unquote_to_bytes

from fastapi import Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import problems

MAX_BODY = 8 * 1024 * 1024
MAX_IMPORT = 64 * 1024 * 1024
MAX_DEPTH = 64
MAX_DIGITS = 20
log = logging.getLogger("memoryos_graph.api")


class Frame:
    """The outermost layer: gives a request its id, reads its path raw, logs its route, catches what nobody foresaw."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, request_id, status = time.perf_counter(), uuid.uuid4().hex, 0
        scope["path"] = _raw_path(scope)
        scope.setdefault("state", {})["request_id"] = request_id

        async def framed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                headers["Cache-Control"] = "no-store"
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        try:
            await self._app(scope, receive, framed)
        except Exception as exc:  # the outermost handler: no text of the error may leave, it may quote a user
            _log_failure(request_id, exc)
            if status:
                raise RuntimeError("an answer broke off") from None
            await problems.unforeseen(request_id)(scope, receive, framed)
        finally:
            route = getattr(scope.get("route"), "path_format", "-")
            ms = round((time.perf_counter() - begun) * 1000, 1)
            fields = {"method": _method(scope), "route": route, "status": status, "ms": ms, "request_id": request_id}
            log.info("request", extra=fields)


class BodyLimit:
    """Refuses bodies over 8 MiB (of an import 64), said by Content-Length or found while reading."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = MAX_IMPORT if scope["path"].endswith("/import") else MAX_BODY
        refusal = HTTPException(413, f"the body is larger than {limit} bytes")
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said[:MAX_DIGITS]) > limit:
            await problems.of_router(scope["state"]["request_id"], refusal)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise refusal
            return message

        await self._app(scope, counted, send)


class StrictRequest(Request):
    """A request whose body must be JSON by the letter: UTF-8, no NaN, numbers of sane length, no bottomless nesting."""

    async def json(self) -> Any:
        try:
            text = (await self.body()).decode("utf-8")
        except UnicodeDecodeError:
            raise HTTPException(400, "the body is not UTF-8") from None
        try:
            value = json.loads(text, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_finite)
        except RecursionError:
            _refuse_depth()
        _check_depth(value)
        return value


class RawSegment(Convertor[str]):
    """One segment of the raw path, decoded after routing: `a%2Fb` is one id; bad UTF-8 fails the id's own check."""

    regex = "[^/]*"

    def convert(self, value: str) -> str:
        return unquote_to_bytes(value.encode("latin-1")).decode("utf-8", "surrogateescape")

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("raw", RawSegment())


def _raw_path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return raw.split(b"?")[0].decode("latin-1") if raw is not None else quote(scope["path"])


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"].isalpha() and len(scope["method"]) < 10 else "-"


def _log_failure(request_id: str, exc: Exception) -> None:
    frames = traceback.extract_tb(exc.__traceback__)
    where = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames[-5:]]
    fields = {"request_id": request_id, "error_type": type(exc).__name__, "where": " > ".join(where)}
    log.error("internal error", extra=fields)


def _refuse_constant(_: str) -> NoReturn:
    raise HTTPException(400, "NaN and Infinity are not JSON")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise HTTPException(400, f"a whole number has more than {MAX_DIGITS} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise HTTPException(400, "a number is too large")
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            return
    _refuse_depth()


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse_depth() -> NoReturn:
    raise HTTPException(400, f"the body is nested deeper than {MAX_DEPTH} levels")
