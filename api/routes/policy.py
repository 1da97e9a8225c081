"""The policy of a user: remember modes, sensitive classes, how long things are kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import PolicyOut, PolicyRequest

from .. import deps, problems

router = deps.user_router("policy")


@router.get("/policy")
async def policy(memory: deps.Reader, _: Annotated[deps.NoQuery, Query()]) -> PolicyOut:
    """What this user lets the memory keep; the default policy where none was set."""
    return await memory.policy()


@router.put("/policy", responses=problems.responses(400, 413))
async def set_policy(memory: deps.Writer, request: PolicyRequest, _: Annotated[deps.NoQuery, Query()]) -> PolicyOut:
    """Set the whole policy; what is not given is as by default. It holds for what is told from now on."""
    return await memory.set_policy(**request.model_dump(mode="json"))
