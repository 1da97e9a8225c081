"""What a query read, as callers see it: our keys for the server's ids, and nothing that is not for users."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from ..contract import CypherResult, GraphEdge, GraphNode
from ..store import records
from ..store.free import EdgeValue, FreeRows, NodeValue, PathValue, walk
from .hidden import HIDDEN

KEYS = {"User": "user_id", **records.KEYS}


def rows_of(read: FreeRows) -> CypherResult:
    """Rows by column."""
    names = _names(read)
    rows = [
        {column: _plain(value, names) for column, value in zip(read.columns, row, strict=True)} for row in read.rows
    ]
    return CypherResult(columns=read.columns, rows=rows, cut=read.cut)


def graph_of(read: FreeRows) -> CypherResult:
    """Every node and relationship in the rows, once; ends that were not read themselves have no properties."""
    names = _names(read)
    found = walk(read.rows)
    nodes = {names[one.element_id]: _node(one, names) for one in found if isinstance(one, NodeValue)}
    edges: dict[tuple[str, str, str, str], GraphEdge] = {}
    for one in found:
        if isinstance(one, EdgeValue):
            edge = _edge(one, names)
            edges[edge.start, edge.type, edge.end, repr(sorted(edge.properties.items()))] = edge
    for edge in edges.values():
        for end in (edge.start, edge.end):
            nodes.setdefault(end, GraphNode(id=end, label=end.partition(":")[0], properties={}))
    return CypherResult(columns=read.columns, nodes=list(nodes.values()), edges=list(edges.values()), cut=read.cut)


def _names(read: FreeRows) -> dict[str, str]:
    names = {element_id: _name(row["labels"], row["properties"]) for element_id, row in read.keys.items()}
    nodes = (one for one in walk(read.rows) if isinstance(one, NodeValue))
    return names | {one.element_id: _name(one.labels, one.properties) for one in nodes}


def _name(labels: Iterable[str], properties: Mapping[str, Any]) -> str:
    label = next((label for label in labels if label in KEYS), "Node")
    return f"{label}:{properties.get(KEYS.get(label, ''), '')}"


def _node(node: NodeValue, names: Mapping[str, str]) -> GraphNode:
    name = names[node.element_id]
    return GraphNode(id=name, label=name.partition(":")[0], properties=_shown(node.properties, names))


def _edge(edge: EdgeValue, names: Mapping[str, str]) -> GraphEdge:
    start, end = names.get(edge.start, ""), names.get(edge.end, "")
    return GraphEdge(type=edge.type, start=start, end=end, properties=_shown(edge.properties, names))


def _shown(properties: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {key: _plain(value, names) for key, value in sorted(properties.items()) if key not in HIDDEN}


def _plain(value: Any, names: Mapping[str, str]) -> Any:
    """A value as JSON can say it."""
    match value:
        case NodeValue():
            return _node(value, names).model_dump()
        case EdgeValue():
            return _edge(value, names).model_dump()
        case PathValue():
            nodes = [_node(node, names).model_dump() for node in value.nodes]
            return {"nodes": nodes, "edges": [_edge(edge, names).model_dump() for edge in value.edges]}
        case dict():
            return _shown(value, names)
        case list():
            return [_plain(item, names) for item in value]
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return (value.astimezone(UTC) if value.tzinfo else value).isoformat().replace("+00:00", "Z")
        case None | bool() | int() | str():
            return value
        case date():
            return value.isoformat()
    return value.iso_format() if hasattr(value, "iso_format") else str(value)
