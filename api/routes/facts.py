"""Facts of now and of other moments, their history, and why we think so."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query

from memoryos_graph.contract import FactHistory, FactList, FactOut, Why
from memoryos_graph.domain.claim import FactKind
from memoryos_graph.domain.page import Side

from .. import deps, problems

router = deps.user_router("facts")


class FactQuery(deps.ListQuery, deps.MomentQuery):
    """Which facts; `status=all` gives those of every status. `origin` keeps what this speaker says, `stale` those that
    ask to be confirmed, or the others."""

    kind: FactKind | None = None
    status: Literal["current", "superseded", "retracted", "conflicted", "archived", "proposed", "all"] = "current"
    origin: Side | None = None
    stale: bool | None = None


@router.get("/facts")
async def facts(memory: deps.Reader, query: Annotated[FactQuery, Query()]) -> FactList:
    """Facts, newest first, each with its sources."""
    status = None if query.status == "all" else query.status
    given = query.model_dump(exclude={"status"})
    return await memory.facts(status=status, **given)


@router.get("/facts/{fact_id:raw}", responses=problems.responses(404))
async def fact(memory: deps.Reader, fact_id: deps.PathId, query: Annotated[deps.MomentQuery, Query()]) -> FactOut:
    """One fact, of whatever status, as it is or as it was known at a moment."""
    return await memory.fact(fact_id, as_of=query.as_of, known_at=query.known_at)


@router.get("/facts/{fact_id:raw}/history", responses=problems.responses(404))
async def history(memory: deps.Reader, fact_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> FactHistory:
    """What a fact replaced, what replaced it, and what disagrees, with times and kinds."""
    return await memory.fact_history(fact_id)


@router.get("/facts/{fact_id:raw}/provenance", responses=problems.responses(404))
async def why(memory: deps.Reader, fact_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> Why:
    """The tree fact → quote → page: what says so, who derived it, what it replaced."""
    return await memory.why(fact_id)
