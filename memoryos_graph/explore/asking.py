"""Run a query of a user's own, or a named one, within the same guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context import Context
from ..contract import CypherRequest, CypherResult
from ..errors import InvalidInput
from ..store.free import FreeQuery
from .anchors import check_plan
from .tokens import tokens_of
from .values import graph_of, rows_of
from .wording import check_wording, params_of

MAX_BYTES = 4_000_000


async def ask(ctx: Context, user_id: str, request: CypherRequest) -> CypherResult:
    """Read with a query that can reach only this user: text and plan are checked, then it runs within limits of time
    (`cypher_timeout_s`), rows and bytes. One at a time for a user. Four statements, five with bare relationships.

    Raises QueryRefused (`query_refused` with what to write instead, `query_too_heavy`), InvalidInput (not Cypher, or a
    parameter is missing), TryAgain while a forget or an import of the user is half-done, UserBusy.
    """
    tokens, text = tokens_of(request.query)
    check_wording(tokens)
    _check_given(params_of(tokens), request.params)
    query = FreeQuery(text, request.params, ctx.settings.cypher_timeout_s, request.limit, MAX_BYTES)
    read = await ctx.store.read_free(user_id, query, check_plan)
    return graph_of(read) if request.form == "graph" else rows_of(read)


def _check_given(used: set[str], given: Mapping[str, Any]) -> None:
    if missing := sorted(used - given.keys() - {"user_id"}):
        raise InvalidInput("params", f"params: ${missing[0]} is used by the query and not given")
