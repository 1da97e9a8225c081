"""The app: one open service, the routes, and what surrounds each request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from memoryos_graph import MemoryService

from . import problems
from .limits import BodyLimit, Frame
from .routes import (
    answers,
    audit,
    decisions,
    exploring,
    facts,
    forgetting,
    health,
    maintenance,
    policy,
    profile,
    search,
    segments,
    transfer,
    turns,
)


def create_app(service: MemoryService | None = None) -> FastAPI:
    """The HTTP service over an open MemoryService, which stays the caller's.

    Without one it opens its own while it runs, with the settings of the environment.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if service is not None:
            yield
            return
        async with MemoryService.open() as opened:
            app.state.service = opened
            yield

    app = FastAPI(
        title="memoryos-graph",
        summary="The memory of AI assistants as a graph: traceable, correctable, forgettable with proof",
        version=version("memoryos-graph"),
        lifespan=lifespan,
        redirect_slashes=False,
        generate_unique_id_function=_operation_id,
    )
    app.state.service = service
    modules = (
        turns, search, answers, facts, decisions, forgetting, policy, profile, segments, maintenance, audit, transfer,
        health,
    )  # fmt: skip
    routers = [*(module.router for module in modules), exploring.router, exploring.queries]
    for router in routers:
        app.include_router(router)
    problems.install(app, [route for router in routers for route in router.routes])
    app.add_middleware(BodyLimit)
    app.add_middleware(Frame)
    _declare_problems(app)
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _declare_problems(app: FastAPI) -> None:
    """In OpenAPI, errors have the media type that they are sent with, and a key is not needed while there is none."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        schema = plain()
        for operation in (op for path in schema["paths"].values() for op in path.values()):
            if "security" in operation and {} not in operation["security"]:
                operation["security"].append({})
            for response in operation["responses"].values():
                content = response.get("content", {})
                shape = content.get("application/json", {}).get("schema", {})
                if shape.get("$ref", "").endswith("/Problem"):
                    content[problems.MEDIA_TYPE] = content.pop("application/json")
        return schema

    app.openapi = openapi  # type: ignore[method-assign]
