"""Segments and their heat."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memoryos_graph.contract import SegmentDetail, SegmentList

from .. import deps, problems

router = deps.user_router("segments")


@router.get("/segments")
async def segments(memory: deps.Reader, query: Annotated[deps.ListQuery, Query()]) -> SegmentList:
    """Segments, newest first, with their heat and its parts."""
    return await memory.segments(limit=query.limit, cursor=query.cursor)


@router.get("/segments/{segment_id:raw}", responses=problems.responses(404))
async def segment(memory: deps.Reader, segment_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> SegmentDetail:
    """One segment with its pages and their join scores."""
    return await memory.segment(segment_id)
