"""Decisions about facts: correct, change, retract, restore, confirm, pin, and facts stated by hand."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Query

from memoryos_graph.contract import CorrectRequest, Decided, DecideRequest, PinRequest, StateRequest

from .. import deps, problems

router = deps.user_router("facts")

_answers = problems.responses(400, 404, 409, 413, 502)
_NoQuery = Annotated[deps.NoQuery, Query()]
_NO_REASON, _PINNED = DecideRequest(), PinRequest()
_Why = Annotated[DecideRequest, Body(description="Why, and of which version; both may be left out.")]


@router.post("/facts", status_code=201, responses=problems.responses(400, 409, 413, 502))
async def state(memory: deps.Writer, request: StateRequest, _: _NoQuery, key: deps.RequestKey = None) -> Decided:
    """State a fact by hand: a page of origin `manual`, and a fact that quotes it."""
    return await memory.state(**request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/correct", responses=_answers)
async def correct(
    memory: deps.Writer, fact_id: deps.PathId, request: CorrectRequest, _: _NoQuery, key: deps.RequestKey = None
) -> Decided:
    """Put right what was never so; the new fact quotes your words, the old one stays readable."""
    return await memory.correct(fact_id, **request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/change", responses=_answers)
async def change(
    memory: deps.Writer, fact_id: deps.PathId, request: CorrectRequest, _: _NoQuery, key: deps.RequestKey = None
) -> Decided:
    """Say what took the place of a fact in the world, from `valid_from` on, or now."""
    return await memory.change(fact_id, **request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/retract", responses=_answers)
async def retract(
    memory: deps.Writer, fact_id: deps.PathId, _: _NoQuery, request: _Why = _NO_REASON, key: deps.RequestKey = None
) -> Decided:
    """Take a fact back: it was never so."""
    return await memory.retract(fact_id, **request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/restore", responses=_answers)
async def restore(
    memory: deps.Writer, fact_id: deps.PathId, _: _NoQuery, request: _Why = _NO_REASON, key: deps.RequestKey = None
) -> Decided:
    """Let a fact hold again, in place of what took its place: so a correction, change or retraction is undone."""
    return await memory.restore(fact_id, **request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/confirm", responses=_answers)
async def confirm(
    memory: deps.Writer, fact_id: deps.PathId, _: _NoQuery, request: _Why = _NO_REASON, key: deps.RequestKey = None
) -> Decided:
    """Settle that a proposed fact holds, or one in conflict; then the others were never so."""
    return await memory.confirm(fact_id, **request.model_dump(), idempotency_key=key)


@router.post("/facts/{fact_id:raw}/pin", responses=problems.responses(400, 404, 409, 413))
async def pin(
    memory: deps.Writer, fact_id: deps.PathId, _: _NoQuery, request: PinRequest = _PINNED, key: deps.RequestKey = None
) -> Decided:
    """Keep a fact however little it is used; with `pinned` false no longer."""
    return await memory.pin(fact_id, **request.model_dump(), idempotency_key=key)
