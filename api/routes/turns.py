"""Turns: stored, listed, shown."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Query, Response
from pydantic import Discriminator, Field, Tag

from memoryos_graph.contract import MAX_TURNS, OpaqueId, TurnDetail, TurnIn, TurnList, TurnsStored, TurnStored
from memoryos_graph.user_memory import Waited

from .. import deps, problems

router = deps.user_router("turns")


def _shape(body: Any) -> str:
    return problems.TURNS if isinstance(body, list) else problems.ONE_TURN


Turns = Annotated[
    Annotated[TurnIn, Tag(problems.ONE_TURN)]
    | Annotated[list[TurnIn], Field(min_length=1, max_length=MAX_TURNS), Tag(problems.TURNS)],
    Discriminator(_shape),
]


class RememberQuery(deps.Query):
    """Whether to wait for background work of the new pages, and how long at most."""

    wait: Waited | None = None
    wait_s: Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)] = 30


class TurnQuery(deps.ListQuery):
    """A list, or the one page that was stored under your `id`."""

    id: OpaqueId | None = None


_answers = problems.responses(400, 409, 413)
_answers[200] = {"model": TurnStored | TurnsStored, "description": "All of it was stored before"}


@router.post("/turns", status_code=201, responses=_answers)
async def remember(
    memory: deps.Writer,
    turns: Annotated[Turns, Body(description="One turn, or a list of up to 1,000 in order.")],
    query: Annotated[RememberQuery, Query()],
    response: Response,
    idempotency_key: deps.RequestKey = None,
) -> TurnStored | TurnsStored:
    """Store one turn, or a list in order; when the answer comes, they survive any crash."""
    stored = await memory.remember(turns, idempotency_key=idempotency_key)
    if not any(turn.created for turn in stored):
        response.status_code = 200
    if query.wait is not None:
        stored = await memory.wait_for(stored, query.wait, query.wait_s)
    return TurnsStored(items=stored) if isinstance(turns, list) else stored[0]


@router.get("/turns")
async def turns(memory: deps.Reader, query: Annotated[TurnQuery, Query()]) -> TurnList:
    """Pages, newest first; with `id` the one that was stored under it."""
    return await memory.turns(limit=query.limit, cursor=query.cursor, id=query.id)


@router.get("/turns/{page_id:raw}", responses=problems.responses(404))
async def turn(memory: deps.Reader, page_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> TurnDetail:
    """One page with everything derived from it."""
    return await memory.turn(page_id)
