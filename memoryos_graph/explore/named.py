"""Named queries for people, from `cypher/explore/`: each is listed with what it takes, and runs as a free one does."""

from __future__ import annotations

import json
import re
from typing import Any

from ..context import Context
from ..contract import CypherParameter, CypherQuery, CypherQueryList, CypherRequest, CypherResult, NamedCypherRequest
from ..errors import InvalidInput, NotFound
from ..store.cypher_files import Line, Query, load
from .asking import ask

_PARAMETER = re.compile(r"\$(?P<name>[a-z_]+)(?: = (?P<default>.+?))?: (?P<description>.+)")


def named_queries() -> CypherQueryList:
    """All named queries, by name."""
    return CypherQueryList(items=[_query(query) for _, query in sorted(_all().items())])


async def ask_named(ctx: Context, user_id: str, name: str, request: NamedCypherRequest) -> CypherResult:
    """Run a named query. Raises NotFound, InvalidInput for its parameters, and what `ask` raises."""
    if name not in _all():
        raise NotFound("there is no query of this name")
    query = _query(_all()[name])
    known = {parameter.name: parameter for parameter in query.parameters}
    if unknown := sorted(request.params.keys() - known.keys()):
        raise InvalidInput("params", f"params: {unknown[0][:64]} is not a parameter of {name}")
    if missing := sorted(p.name for p in query.parameters if p.required and p.name not in request.params):
        raise InvalidInput("params", f"params: {missing[0]} is missing")
    params = {parameter.name: parameter.default for parameter in query.parameters} | request.params
    given = CypherRequest(query=query.query, params=params, limit=request.limit, form=request.form)
    return await ask(ctx, user_id, given)


def _all() -> dict[str, Query]:
    return load("explore", Line.NEO4J_2026)  # the same text on both lines


def _query(query: Query) -> CypherQuery:
    parameters = [found for line in query.notes if (found := _PARAMETER.fullmatch(line))]
    description = " ".join(line for line in query.notes if not _PARAMETER.fullmatch(line))
    return CypherQuery(
        name=query.name, description=description, parameters=[_parameter(one) for one in parameters], query=query.text
    )


def _parameter(match: re.Match[str]) -> CypherParameter:
    default: Any = json.loads(match["default"]) if match["default"] else None
    return CypherParameter(
        name=match["name"], description=match["description"], required=match["default"] is None, default=default
    )
