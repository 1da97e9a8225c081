"""From a request to the memory of the user in its path."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.access import KEYS_REMEDY, Access, is_loopback
from memoryos_graph.contract import Cursor, KeyScope, Limit, Moment, OpaqueId, UserId
from memoryos_graph.errors import AccessDenied

from .limits import StrictRequest
from .problems import responses

PREFIX = "/v1/users/{user_id:raw}"
_bearer = HTTPBearer(auto_error=False, description="A key of `memoryos keys create`; not needed while there is none.")


class Query(BaseModel):
    """Query parameters; others than these are refused by name."""

    model_config = ConfigDict(extra="forbid")


class NoQuery(Query):
    """No query parameters."""


class ListQuery(Query):
    """What every list takes."""

    limit: Limit = 50
    cursor: Cursor | None = None


class MomentQuery(Query):
    """A point on both axes of time: when something was true, and when it was believed."""

    as_of: Moment | None = None
    known_at: Moment | None = None


class GuardedRoute(APIRoute):
    """A route that asks for the key before it reads the body, and reads the body strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            request.state.access = await _authenticate(request)
            return await handle(StrictRequest(request.scope, request.receive))

        return guarded


def user_router(tag: str) -> APIRouter:
    """A router below /v1/users/{user_id}."""
    declared = responses(401, 403, 422, 500, 503)
    return APIRouter(prefix=PREFIX, tags=[tag], route_class=GuardedRoute, responses=declared)


def key_router(prefix: str, tag: str) -> APIRouter:
    """A router of things that are of no user: any key may read them."""
    declared = responses(401, 403, 422, 500, 503)
    return APIRouter(
        prefix=prefix, tags=[tag], route_class=GuardedRoute, responses=declared, dependencies=[Security(_bearer)]
    )


def service_of(request: Request) -> MemoryService:
    """The open service of this process."""
    service: MemoryService = request.app.state.service
    return service


def _memory_for(scope: KeyScope) -> Callable[..., Awaitable[UserMemory]]:
    async def memory(
        request: Request,
        user_id: Annotated[UserId, Path(description="Any text; percent-encoded as one segment.")],
        _: Annotated[object, Security(_bearer)],
    ) -> UserMemory:
        access: Access = request.state.access
        access.check(user_id, scope)
        return service_of(request).user(user_id)

    return memory


async def _authenticate(request: Request) -> Access:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    access = await service_of(request).authenticate(token.strip() if kind.lower() == "bearer" and token else None)
    if access.keyless and not _local(request):
        raise AccessDenied(f"without any key only this machine is answered; {KEYS_REMEDY}", authenticated=True)
    return access


def _local(request: Request) -> bool:
    """Whether a keyless call comes from this machine, and not from a web page whose name was pointed at it."""
    if request.client is not None and not is_loopback(request.client.host):
        return False
    name = request.url.hostname or ""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(".localhost")  # nobody else can own a name without a dot
    return True


Reader = Annotated[UserMemory, Depends(_memory_for("read"))]
Writer = Annotated[UserMemory, Depends(_memory_for("write"))]
Forgetter = Annotated[UserMemory, Depends(_memory_for("forget"))]
PathId = Annotated[OpaqueId, Path()]
RequestKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=256, description="Makes a repeat harmless."),
]
