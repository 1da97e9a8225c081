"""One user's memory as a file, and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import StreamingResponse

from memoryos_graph.contract import Imported, Moment

from .. import deps, problems

router = deps.user_router("transfer")

LINES = "application/x-ndjson"
_file: dict[str, Any] = {"content": {LINES: {"schema": {"type": "string"}}}}
_lines: dict[int | str, dict[str, Any]] = {200: {"description": "JSON Lines; the last one has `end`"} | _file}


class KnownAtQuery(deps.Query):
    """When it was believed."""

    known_at: Moment | None = None


@router.get("/export", response_class=StreamingResponse, responses=_lines | problems.responses(404))
async def export(memory: deps.Reader, query: Annotated[deps.MomentQuery, Query()]) -> StreamingResponse:
    """The whole memory as JSON Lines, each with a hash; with `as_of` or `known_at` only the facts of that moment."""
    pieces = memory.export(as_of=query.as_of, known_at=query.known_at)
    first = await anext(pieces)  # what fails before the first line is an ordinary error
    return StreamingResponse(_rest(first, pieces), media_type=LINES)


@router.get("/evidence", response_class=StreamingResponse, responses=_lines | problems.responses(404))
async def evidence(memory: deps.Reader, query: Annotated[KnownAtQuery, Query()]) -> StreamingResponse:
    """What was believed at a time, with the quotes and pages that prove it, as lines that can be checked offline."""
    pieces = memory.evidence(known_at=query.known_at)
    first = await anext(pieces)
    return StreamingResponse(_rest(first, pieces), media_type=LINES)


@router.post(
    "/import",
    responses=problems.responses(400, 409, 413),
    openapi_extra={"requestBody": {"required": True} | _file},
)
async def import_(memory: deps.Writer, request: Request, _: Annotated[deps.NoQuery, Query()]) -> Imported:
    """Write an export back into an empty memory of the same user. It is checked before anything is written; a repeat
    does nothing. Larger files are read by `memoryos import`.
    """
    return await memory.import_(await request.body())


async def _rest(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece
