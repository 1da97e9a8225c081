"""Facts, and why we think so."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query

from memoryos_graph.contract import FactList, FactOut, Why
from memoryos_graph.domain.claim import FactKind

from .. import deps, problems

router = deps.user_router("facts")


class FactQuery(deps.ListQuery):
    """Which facts; `status=all` gives those of every status."""

    kind: FactKind | None = None
    status: Literal["current", "superseded", "retracted", "conflicted", "archived", "proposed", "all"] = "current"


@router.get("/facts")
async def facts(memory: deps.Reader, query: Annotated[FactQuery, Query()]) -> FactList:
    """Facts, newest first, each with its sources."""
    status = None if query.status == "all" else query.status
    return await memory.facts(kind=query.kind, status=status, limit=query.limit, cursor=query.cursor)


@router.get("/facts/{fact_id:raw}", responses=problems.responses(404))
async def fact(memory: deps.Reader, fact_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> FactOut:
    """One fact, of whatever status."""
    return await memory.fact(fact_id)


@router.get("/facts/{fact_id:raw}/provenance", responses=problems.responses(404))
async def why(memory: deps.Reader, fact_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> Why:
    """The tree fact → quote → page: what says so, who derived it, what it replaced."""
    return await memory.why(fact_id)
