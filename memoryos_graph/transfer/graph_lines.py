"""Nodes and relationships of one user as lines of a file, and back.

Times are written as {"time": …}, since texts may look like times. `user_id` stands in the header only, and `user_key`,
a hash with the key outside the database, is only marked: each database makes its own.
"""

from __future__ import annotations

import base64
import json
import math
import re
from array import array
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..store.connection import Row
from ..store.records import KEYS

FORMAT, SCHEMA = "memoryos-graph export", 1
NUMBERED = ("ProfileVersion", "Event")
STARTS = ("User", "Page", "Chain", "Segment", "SegmentVersion", "Fact", "Answer", "Run")
KINDS = frozenset(
    {
        "User HEARD Page",
        "Page NEXT Page",
        "Page CONTINUES Page",
        "Page IN_SESSION Session",
        "Page HAS_PASSAGE Passage",
        "Page IN_CHAIN Chain",
        "Page IN_SEGMENT Segment",
        "Page DERIVED_FROM Page",
        "Page DERIVED_FROM Fact",
        "Chain DERIVED_FROM Page",
        "Segment CONTINUES Segment",
        "SegmentVersion VERSION_OF Segment",
        "SegmentVersion DERIVED_FROM Page",
        "SegmentVersion SUPERSEDES SegmentVersion",
        "Fact DERIVED_FROM Page",
        "Fact SUPERSEDES Fact",
        "Fact CONFLICTS_WITH Fact",
        "Answer DERIVED_FROM Page",
        "Answer DERIVED_FROM Fact",
        "Answer USED Page",
        "Answer USED Fact",
        "Run MADE Fact",
        "Run MADE ProfileVersion",
    }
)
WITH_VECTORS = ("Page", "Passage", "Segment", "Fact")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MAX_INTEGER = 2**63


class BadLine(ValueError):
    """A line that no export has; says what is wrong without any text of it."""


def first_key(label: str) -> str | int:
    """What sorts before all keys of a label."""
    return -1 if label in NUMBERED else ""


def node_line(label: str, properties: Row, vector: list[float] | None = None) -> dict[str, Any]:
    """A node as the body of a line."""
    kept = {name: _written(value) for name, value in properties.items() if value is not None and name != "user_id"}
    if "user_key" in kept:
        kept["user_key"] = True
    line = {"node": label, "properties": kept}
    return line if vector is None else line | {"vector": base64.b64encode(array("f", vector).tobytes()).decode()}


def relationship_lines(label: str, key: str, rows: list[Row]) -> list[dict[str, Any]]:
    """The relationships that leave a node, in an order that depends on nothing but them."""
    lines = [
        {
            "relationship": row["type"],
            "from": [label, key if label != "User" else ""],
            "to": [row["label"], row["key"]],
            "properties": {name: _written(value) for name, value in row["properties"].items()},
        }
        for row in rows
    ]
    return sorted(lines, key=_order)


def _order(line: dict[str, Any]) -> tuple[str, str, str, str]:
    label, key = line["to"]
    return line["relationship"], label, f"{key:020}" if isinstance(key, int) else key, json.dumps(line, sort_keys=True)


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"time": value.astimezone(UTC).isoformat()}
    if isinstance(value, list):
        return [_written(item) for item in value]
    return value


def node_row(body: Mapping[str, Any], user_key: str) -> Row:
    """What is written for the body of a node's line. Raises BadLine."""
    label = body.get("node")
    if not isinstance(label, str) or (label != "User" and label not in KEYS):
        raise BadLine("it is of a kind of node that is unknown here")
    properties = _properties(body, user_key)
    if label == "User":
        return {"label": label, "properties": properties}
    key = properties.get(KEYS[label])
    if not isinstance(key, int if label in NUMBERED else str) or isinstance(key, bool):
        raise BadLine("its node has no id")
    vector = _vector(body["vector"]) if "vector" in body else None
    if vector is not None and label not in WITH_VECTORS:
        raise BadLine("its kind of node has no vectors")
    return {"label": label, "key": key, "properties": properties, "vector": vector}


def relationship_row(body: Mapping[str, Any]) -> Row:
    """What is written for the body of a relationship's line. Raises BadLine."""
    ends = [body.get("from"), body.get("to")]
    if not all(isinstance(end, list) and len(end) == 2 and isinstance(end[1], str | int) for end in ends):
        raise BadLine("its relationship has no ends")
    (start_label, start), (end_label, end) = ends  # type: ignore[misc]
    type = body.get("relationship")
    if f"{start_label} {type} {end_label}" not in KINDS:
        raise BadLine("it is of a kind of relationship that is unknown here")
    row = {"type": type, "start_label": start_label, "start": start, "end_label": end_label, "end": end}
    return row | {"properties": _properties(body, "")}


def _properties(body: Mapping[str, Any], user_key: str) -> dict[str, Any]:
    given = body.get("properties")
    if not isinstance(given, dict) or not all(_NAME.fullmatch(name) for name in given):
        raise BadLine("its properties have impossible names")
    if {"user_id", "importing", "import_line", "imported", "embedding", "embedding_b"} & given.keys():
        raise BadLine("it has properties that no export has")
    properties = {name: _read(value) for name, value in given.items()}
    if "user_key" in properties:
        properties["user_key"] = user_key
    return properties


def _read(value: Any) -> Any:
    if isinstance(value, list):
        items = [_read(item) for item in value]
        if len({type(item) for item in items}) > 1 or any(isinstance(item, list) for item in items):
            raise BadLine("a list of it mixes kinds of values")
        return items
    if isinstance(value, dict):
        return _time(value)
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise BadLine("a text of it can't be stored")
        return value
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and -_MAX_INTEGER <= value < _MAX_INTEGER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise BadLine("a value of it can't be stored")


def _time(value: dict[str, Any]) -> datetime:
    try:
        moment = datetime.fromisoformat(value["time"])
        if len(value) == 1 and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (KeyError, ValueError, TypeError, OverflowError):
        pass
    raise BadLine("a time of it is not one")


def _vector(text: Any) -> list[float]:
    try:
        vector = array("f", base64.b64decode(text, validate=True))
    except (ValueError, TypeError):
        raise BadLine("its vector can't be read") from None
    if not all(math.isfinite(number) for number in vector):
        raise BadLine("its vector can't be read")
    return list(vector)
