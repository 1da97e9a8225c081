"""Read-only Cypher bound to one user, free or by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request

from memoryos_graph.contract import CypherQueryList, CypherRequest, CypherResult, NamedCypherRequest, QueryName

from .. import deps, problems

router = deps.user_router("cypher")
queries = deps.key_router("/v1/cypher", "cypher")


@router.post("/cypher", responses=problems.responses(400, 413))
async def cypher(memory: deps.Reader, request: CypherRequest, _: Annotated[deps.NoQuery, Query()]) -> CypherResult:
    """Read with a query of one's own. A refusal says which part is not bound to the user, and how to bind it."""
    return await memory.cypher(**request.model_dump())


@router.post("/cypher/{query_name:raw}", responses=problems.responses(400, 404, 413))
async def named_cypher(
    memory: deps.Reader,
    query_name: Annotated[QueryName, Path()],
    request: NamedCypherRequest,
    _: Annotated[deps.NoQuery, Query()],
) -> CypherResult:
    """Run a named query."""
    return await memory.named_cypher(query_name, **request.model_dump())


@queries.get("/queries")
async def cypher_queries(request: Request, _: Annotated[deps.NoQuery, Query()]) -> CypherQueryList:
    """The named queries: what each tells, what it takes, and its text."""
    return deps.service_of(request).cypher_queries()
