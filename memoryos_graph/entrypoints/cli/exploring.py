"""Read-only Cypher: a query of one's own, or a named one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import render_cypher
from .console import USAGE, fail, print_result
from .options import Output, User, format_of, user_of
from .session import with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import CypherResult
    from memoryos_graph.user_memory import UserMemory

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def cypher(
    ctx: typer.Context,
    query: Annotated[
        str | None, typer.Argument(help="A query that binds its starts by user_id: $user_id, or the name of one.")
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter: JSON, else text.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the named queries.")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="Nodes and relationships instead of rows.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most so many rows.")] = 100,
    user: User = None,
    output: Output = None,
) -> None:
    """Read with Cypher what the memory of one user holds."""
    if listed:
        from memoryos_graph.service import MemoryService

        named = MemoryService.cypher_queries()
        print_result(named, format_of(ctx, output), lambda: render_cypher.queries(named))
        return
    if query is None:
        fail("a query is missing; `memoryos cypher --list` shows the named ones", USAGE)
    params = dict(_param(text) for text in param or ())
    form = "graph" if graph else "rows"

    async def work(memory: UserMemory) -> CypherResult:
        if _NAME.fullmatch(query):
            return await memory.named_cypher(query, params, limit=limit, form=form)
        return await memory.cypher(query, params, limit=limit, form=form)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_cypher.result(result))


def _param(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        fail("--param must be NAME=VALUE", USAGE)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
