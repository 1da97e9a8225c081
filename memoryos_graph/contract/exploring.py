"""Read-only Cypher of one user: queries, and what they give."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from .values import CypherText, JsonMap, Request, Result

MAX_ROWS = 1_000
RowLimit = Annotated[int, Field(ge=1, le=MAX_ROWS)]
Form = Literal["rows", "graph"]


def _without_user(params: dict[str, Any]) -> dict[str, Any]:
    if "user_id" in params:
        raise ValueError("user_id is bound by the service and can't be given")
    return params


CypherParams = Annotated[JsonMap, AfterValidator(_without_user)]
QueryName = Annotated[str, Field(max_length=64, pattern="^[a-z][a-z0-9_]*$")]


class NamedCypherRequest(Request):
    """`params` are those of the named query; `limit` rows at most."""

    params: CypherParams = Field(default_factory=dict)
    limit: RowLimit = 100
    form: Form = "rows"


class CypherRequest(NamedCypherRequest):
    """`query` binds each place where it starts by `user_id: $user_id`, which the service gives.

    `form` is rows, or the graph of all nodes and relationships in them.
    """

    query: CypherText


class GraphNode(Result):
    """A node; `id` is its label and its key, such as Fact:0198…"""

    id: str
    label: str
    properties: dict[str, Any]


class GraphEdge(Result):
    """A relationship between two nodes, by their ids."""

    type: str
    start: str
    end: str
    properties: dict[str, Any]


class CypherResult(Result):
    """Rows by column, or with form graph `nodes` and `edges`. In rows a node is {id, label, properties}, a relationship
    {type, start, end, properties}, a path {nodes, edges}; times are UTC.

    `cut` says why there is more than is given: the limit of rows, or of bytes.
    """

    columns: list[str]
    rows: list[dict[str, Any]] = Field(default_factory=list)
    nodes: list[GraphNode] = Field(default_factory=list)
    edges: list[GraphEdge] = Field(default_factory=list)
    cut: Literal["rows", "bytes"] | None = None


class CypherParameter(Result):
    """A parameter of a named query; one with a `default` need not be given."""

    name: str
    description: str
    required: bool
    default: Any = None


class CypherQuery(Result):
    """A named query: what it tells, what it takes, and its text, to copy and change."""

    name: str
    description: str
    parameters: list[CypherParameter]
    query: str


class CypherQueryList(Result):
    """All named queries."""

    items: list[CypherQuery]
