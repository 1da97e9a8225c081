"""Search."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import SearchRequest, SearchResult

from .. import deps, problems

router = deps.user_router("search")


@router.post("/search", responses=problems.responses(400, 413, 502))
async def search(memory: deps.Reader, request: SearchRequest, _: Annotated[deps.NoQuery, Query()]) -> SearchResult:
    """Find pages, facts and segments, best first, with the parts of each score, the sources, and what was left out."""
    return await memory.search(**request.model_dump())
