"""What a query read, as tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .console import shown

if TYPE_CHECKING:
    from memoryos_graph.contract import CypherQueryList, CypherResult


def result(read: CypherResult) -> RenderableType:
    """Rows, or nodes and relationships, and whether there is more."""
    parts: list[RenderableType] = []
    if read.rows:
        parts.append(_table(read.columns, [list(row.values()) for row in read.rows]))
    if read.nodes:
        parts.append(_table(["node", "properties"], [[node.id, node.properties] for node in read.nodes]))
    if read.edges:
        rows = [[edge.start, edge.type, edge.end, edge.properties] for edge in read.edges]
        parts.append(_table(["from", "relationship", "to", "properties"], rows))
    if read.cut:
        parts.append(Text(f"there is more: cut at the limit of {read.cut}", "dim"))
    return Group(*parts) if parts else Text("no rows")


def queries(named: CypherQueryList) -> RenderableType:
    """Names, what each tells, and its parameters."""
    rows = []
    for one in named.items:
        takes = [p.name if p.required else f"[{p.name}]" for p in one.parameters]
        rows.append([one.name, one.description, " ".join(takes)])
    return _table(["name", "tells", "takes"], rows)


def _table(columns: list[str], rows: list[list[Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(shown(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(shown(_said(value))) for value in row))
    return table


def _said(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case {"id": str(name), "label": _, "properties": dict(properties)}:
            text = properties.get("text") or properties.get("user_input") or properties.get("summary") or ""
            return f"({name}) {text}".strip()
    return json.dumps(value, ensure_ascii=False)
