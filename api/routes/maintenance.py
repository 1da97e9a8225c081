"""Counts, background work, and doing it now."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import Maintenance, MaintenanceRequest, RunList, RunOut, RunState, Stats

from .. import deps, problems

router = deps.user_router("maintenance")


class RunQuery(deps.ListQuery):
    """Which runs."""

    state: RunState | None = None


@router.get("/stats")
async def stats(memory: deps.Reader, query: Annotated[deps.MomentQuery, Query()]) -> Stats:
    """Counts of everything this user has; of facts those of a moment, when one is given."""
    return await memory.stats(as_of=query.as_of, known_at=query.known_at)


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


@router.get("/runs/{run_id:raw}", responses=problems.responses(404))
async def run(memory: deps.Reader, run_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> RunOut:
    """One unit of background work, with its attempts and model calls."""
    return await memory.run(run_id)


@router.post("/runs/{run_id:raw}/retry", responses=problems.responses(404, 409))
async def retry(memory: deps.Writer, run_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> RunOut:
    """Make what a failed or parked run worked for due now, with all its attempts."""
    return await memory.retry(run_id)
