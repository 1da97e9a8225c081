"""The profile: of now, of a version, of another moment; its versions, differences, and the way back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from memoryos_graph.contract import (
    Moment,
    ProfileDiff,
    ProfileOut,
    ProfileVersionList,
    RollbackOut,
    RollbackRequest,
    Version,
)

from .. import deps, problems

router = deps.user_router("profile")


class ProfileQuery(deps.MomentQuery):
    """Which profile; without parameters that of now."""

    version: Version | None = None


class DiffQuery(deps.Query):
    """Two versions, or two times at which something was believed; `to` without is now."""

    from_: Annotated[Version | Moment, Field(alias="from")]
    to: Version | Moment | None = None


@router.get("/profile", responses=problems.responses(404))
async def profile(memory: deps.Reader, query: Annotated[ProfileQuery, Query()]) -> ProfileOut:
    """The facts of a moment, rendered, each with its sources."""
    return await memory.profile(version=query.version, as_of=query.as_of, known_at=query.known_at)


@router.get("/profile/diff", responses=problems.responses(404))
async def diff(memory: deps.Reader, query: Annotated[DiffQuery, Query()]) -> ProfileDiff:
    """What the later profile has and the earlier lacks, and the other way round."""
    return await memory.profile_diff(query.from_, query.to)


@router.get("/profile/versions")
async def versions(memory: deps.Reader, query: Annotated[deps.ListQuery, Query()]) -> ProfileVersionList:
    """Versions with the facts each added and removed, newest first."""
    return await memory.profile_versions(limit=query.limit, cursor=query.cursor)


@router.post("/profile/rollback", responses=problems.responses(400, 404, 413))
async def rollback(memory: deps.Writer, request: RollbackRequest, _: Annotated[deps.NoQuery, Query()]) -> RollbackOut:
    """Make the facts of a version the current ones again; nothing that was believed is lost."""
    return await memory.profile_rollback(request.version)
