"""Whether the service lives and can work; open to everyone."""

from __future__ import annotations

from importlib.metadata import version as version_of

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from memoryos_graph.contract import Readiness

from .. import deps, problems

router = APIRouter(tags=["health"], responses=problems.responses(500))


class Health(BaseModel):
    """The process answers."""

    status: str


class Version(BaseModel):
    """Which program answers."""

    name: str
    version: str


@router.get("/healthz")
async def healthz() -> Health:
    """Liveness: the process answers; the database is not asked."""
    return Health(status="alive")


@router.get("/readyz", responses={503: {"model": Readiness, "description": "It can't do its work now"}})
async def readyz(request: Request, response: Response) -> Readiness:
    """Readiness with the state of each part; `degraded` still answers requests."""
    readiness = await deps.service_of(request).readiness()
    if readiness.status == "not_ready":
        response.status_code = 503
        response.headers["Retry-After"] = str(problems.UNAVAILABLE_RETRY_S)
    return readiness


@router.get("/metrics", responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
async def metrics(request: Request) -> PlainTextResponse:
    """Numbers of this process and of the database for Prometheus; none names a user."""
    text = await deps.service_of(request).metrics()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/version")
async def version() -> Version:
    """Name and version of the program."""
    return Version(name="memoryos-graph", version=version_of("memoryos-graph"))
