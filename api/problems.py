"""Errors as problem+json (RFC 9457): one table, and never an echo of the input."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route

from memoryos_graph import errors

MEDIA_TYPE = "application/problem+json"
UNAVAILABLE_RETRY_S = 5
MOST_ERRORS = 50
ONE_TURN = "one turn"  # names of the shapes that a body may have; the first one is no part of a field's name
TURNS = "turns"
OURS = "something failed on our side; the request id finds it in the log"

# Error class → status, title, and whether its sentence is meant for callers. AccessDenied without a key becomes 401.
TABLE: dict[type[errors.MemoryosError], tuple[int, str, bool]] = {
    errors.MemoryosError: (500, "Internal error", False),
    errors.InvalidInput: (422, "A value is not acceptable", True),
    errors.QueryRefused: (422, "This query is not run", True),
    errors.TooLarge: (413, "The request is too large", True),
    errors.NotFound: (404, "Not found", True),
    errors.Conflict: (409, "Conflict with what is stored", True),
    errors.AccessDenied: (403, "Not allowed", True),
    errors.TryAgain: (503, "Try again", True),
    errors.UserBusy: (503, "The user is busy", True),
    errors.DatabaseUnavailable: (503, "The database does not answer", True),
    errors.ModelError: (502, "A model failed", True),
    errors.ModelUnavailable: (502, "A model gave no answer", True),
    errors.ModelReplyInvalid: (502, "A model gave an answer of the wrong shape", True),
    errors.ModelBudgetSpent: (502, "The day's budget of model calls is spent", True),
    errors.SetupError: (503, "The service is not set up", False),
    errors.ModelChanged: (503, "The embedding model was changed", True),
    errors.InternalError: (500, "Internal error", False),
}
ROUTER_CODES = {400: "malformed", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}
SENTENCES = {
    "extra_forbidden": "is unknown here",
    "string_unicode": "must be valid Unicode: it contains an unpaired surrogate",
}
log = logging.getLogger("memoryos_graph.api")


class FieldError(BaseModel):
    """One fault; `field` names where, such as `messages[0].content`."""

    field: str
    detail: str


class Problem(BaseModel):
    """Every error body. `code` is stable; `request_id` is also in the header X-Request-ID."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[FieldError] = []


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For OpenAPI: these statuses answer with a problem."""
    return {status: {"model": Problem, "description": HTTPStatus(status).phrase} for status in statuses}


def problem(
    request_id: str,
    status: int,
    code: str,
    detail: str,
    *,
    title: str | None = None,
    faults: Sequence[FieldError] = (),
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """One error body as a response."""
    body = Problem(
        type=f"urn:memoryos:problem:{code}",
        title=title or HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code,
        request_id=request_id,
        errors=list(faults),
    )
    return JSONResponse(body.model_dump(), status, headers=headers, media_type=MEDIA_TYPE)


def of_error(request_id: str, exc: errors.MemoryosError) -> JSONResponse:
    """The response for one of our errors: the row of its nearest class in the table."""
    status, title, public = next(TABLE[cls] for cls in type(exc).__mro__ if cls in TABLE)
    headers: dict[str, str] = {}
    if isinstance(exc, errors.AccessDenied) and not exc.authenticated:
        status, title, headers = 401, "A key is needed", {"WWW-Authenticate": "Bearer"}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(exc.retry_after_s if isinstance(exc, errors.TryAgain) else UNAVAILABLE_RETRY_S)
    faults = []
    if isinstance(exc, errors.InvalidInput | errors.TooLarge):
        faults.append(FieldError(field=exc.field, detail=exc.detail))
    if not public:
        log.error("internal error", extra={"request_id": request_id, "error_code": exc.code, "detail": exc.detail})
    detail = exc.detail if public else OURS
    return problem(request_id, status, exc.code, detail, title=title, faults=faults, headers=headers)


def of_validation(request_id: str, exc: RequestValidationError) -> JSONResponse:
    """422 that names the fields; 400 when the body is not JSON. Pydantic's `input` and `ctx` stay here."""
    found = exc.errors()
    if any(fault["type"] == "json_invalid" for fault in found):
        return malformed(request_id, "the body is not valid JSON")
    faults = [FieldError(field=_field(fault["loc"]), detail=_sentence(fault)) for fault in found[:MOST_ERRORS]]
    detail = "; ".join(f"{fault.field}: {fault.detail}" for fault in faults[:3])
    title = TABLE[errors.InvalidInput][1]
    return problem(request_id, 422, errors.InvalidInput.code, detail, title=title, faults=faults)


def malformed(request_id: str, detail: str) -> JSONResponse:
    """400 for a body that can't be read at all."""
    return problem(request_id, 400, ROUTER_CODES[400], detail, faults=[FieldError(field="body", detail=detail)])


def unforeseen(request_id: str) -> JSONResponse:
    """500 for what nobody foresaw: nothing is known about what its text holds."""
    status, title, _ = TABLE[errors.InternalError]
    return problem(request_id, status, errors.InternalError.code, OURS, title=title)


def of_router(request_id: str, exc: HTTPException, allowed: Iterable[str] = ()) -> JSONResponse:
    """What the router itself refuses; `allowed` are the methods of the path, where the method was wrong."""
    if exc.status_code == HTTPStatus.BAD_REQUEST:
        return malformed(request_id, exc.detail)
    too_large = exc.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    faults = [FieldError(field="body", detail=exc.detail)] if too_large else []
    code = ROUTER_CODES.get(exc.status_code, f"http_{exc.status_code}")
    headers = dict(exc.headers or {}) | ({"Allow": ", ".join(allowed)} if allowed else {})
    return problem(request_id, exc.status_code, code, exc.detail, faults=faults, headers=headers)


def install(app: FastAPI, routes: Iterable[BaseRoute]) -> None:
    """Make every error of the app a problem. What is not foreseen is caught by limits.Frame.

    The router's own 405 names only the methods of the first route it met; `routes` tell all methods of a path.
    """
    methods: dict[str, set[str]] = {}
    for route in routes:
        if isinstance(route, Route):
            methods.setdefault(route.path_format, set()).update(route.methods or ())

    async def ours(request: Request, exc: Exception) -> JSONResponse:
        assert isinstance(exc, errors.MemoryosError)
        return of_error(request.state.request_id, exc)

    async def invalid(request: Request, exc: Exception) -> JSONResponse:
        assert isinstance(exc, RequestValidationError)
        return of_validation(request.state.request_id, exc)

    async def refused(request: Request, exc: Exception) -> JSONResponse:
        assert isinstance(exc, HTTPException)
        template = getattr(request.scope.get("route"), "path_format", "")
        allowed = sorted(methods.get(template, ())) if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED else ()
        return of_router(request.state.request_id, exc, allowed)

    app.add_exception_handler(errors.MemoryosError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)


def _field(loc: Sequence[str | int]) -> str:
    """The name of a field from where it is: without query, path, header or body, safe to print and short."""
    inner = [part for part in loc[1:] if part != ONE_TURN] or list(loc[:1])
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in inner).removeprefix(".")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:200]


def _sentence(fault: dict[str, Any]) -> str:
    text: str = SENTENCES.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
    return text[:1].lower() + text[1:]
