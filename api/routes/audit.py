"""What was done to a memory, and whether the record of it is whole."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import AuditHead, AuditVerified, EventList, VerifyAuditRequest
from memoryos_graph.domain.event import EventKind

from .. import deps, problems

router = deps.user_router("audit")


class TimelineQuery(deps.ListQuery):
    """Which events."""

    kind: EventKind | None = None


@router.get("/timeline")
async def timeline(memory: deps.Reader, query: Annotated[TimelineQuery, Query()]) -> EventList:
    """What was done, newest first: ids and numbers, never text."""
    return await memory.timeline(kind=query.kind, limit=query.limit, cursor=query.cursor)


@router.get("/audit/head")
async def audit_head(memory: deps.Reader, _: Annotated[deps.NoQuery, Query()]) -> AuditHead:
    """The newest event's place and hash; a copy kept elsewhere proves all events until then."""
    return await memory.audit_head()


@router.post("/audit/verify", responses=problems.responses(400, 413))
async def verify_audit(
    memory: deps.Reader, request: VerifyAuditRequest, _: Annotated[deps.NoQuery, Query()]
) -> AuditVerified:
    """Walk the chain of events; with an earlier `head` also say whether it is still part of it."""
    return await memory.verify_audit(head=request.head)
