"""Counts, background work, and doing it now."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query

from memoryos_graph.contract import Maintenance, MaintenanceRequest, RunList, Stats

from .. import deps, problems

router = deps.user_router("maintenance")


class RunQuery(deps.ListQuery):
    """Which runs."""

    state: Literal["due", "planned", "running", "done", "failed", "parked"] | None = None


@router.get("/stats")
async def stats(memory: deps.Reader, _: Annotated[deps.NoQuery, Query()]) -> Stats:
    """Counts of everything this user has."""
    return await memory.stats()


@router.post("/maintenance", responses=problems.responses(400, 413, 502))
async def maintain(
    memory: deps.Writer, request: MaintenanceRequest, _: Annotated[deps.NoQuery, Query()]
) -> Maintenance:
    """Do the due work now and give the runs made."""
    return await memory.maintain(request.run, force=request.force)


@router.get("/runs")
async def runs(memory: deps.Reader, query: Annotated[RunQuery, Query()]) -> RunList:
    """Background work, newest first."""
    return await memory.runs(state=query.state, limit=query.limit, cursor=query.cursor)
