"""Forgetting: a plan, its confirmation, and receipts that can be checked again."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import (
    ConfirmRequest,
    ForgetPlan,
    ForgetRequest,
    Receipt,
    ReceiptCheck,
    ReceiptList,
    VerifyRequest,
)

from .. import deps, problems

router = deps.user_router("forgetting")


@router.post("/forget", responses=problems.responses(400, 404, 409, 413))
async def forget(memory: deps.Forgetter, request: ForgetRequest, _: Annotated[deps.NoQuery, Query()]) -> ForgetPlan:
    """Plan to forget: what would go, be made anew, stay, and hold again. Nothing changes until it is confirmed."""
    return await memory.forget(**request.model_dump(exclude_unset=True))


@router.get("/forget/{plan_id:raw}", responses=problems.responses(404))
async def forget_plan(
    memory: deps.Forgetter, plan_id: deps.PathId, query: Annotated[deps.ListQuery, Query()]
) -> ForgetPlan:
    """A plan again, with more of its items."""
    return await memory.forget_plan(plan_id, limit=query.limit, cursor=query.cursor)


@router.post("/forget/{plan_id:raw}/confirm", responses=problems.responses(400, 404, 409, 413, 502))
async def confirm_forget(
    memory: deps.Forgetter, plan_id: deps.PathId, request: ConfirmRequest, _: Annotated[deps.NoQuery, Query()]
) -> Receipt:
    """Forget what a plan lists, and what is ticked of `also_said_in`. A repeat gives the same receipt."""
    return await memory.confirm_forget(plan_id, also=request.also)


@router.get("/receipts")
async def receipts(memory: deps.Reader, _: Annotated[deps.NoQuery, Query()]) -> ReceiptList:
    """Receipts of what was forgotten, newest first."""
    return await memory.receipts()


@router.get("/receipts/{receipt_id:raw}", responses=problems.responses(404))
async def receipt(memory: deps.Reader, receipt_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> Receipt:
    """One receipt."""
    return await memory.receipt(receipt_id)


@router.post("/receipts/{receipt_id:raw}/verify", responses=problems.responses(400, 404, 413))
async def verify_receipt(
    memory: deps.Reader, receipt_id: deps.PathId, request: VerifyRequest, _: Annotated[deps.NoQuery, Query()]
) -> ReceiptCheck:
    """Look again: absent, came back, or said elsewhere."""
    return await memory.verify_receipt(receipt_id, text=request.text)
