"""Kinds of values with their limits, and the bases of requests and results."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

MAX_TEXT = 100_000
MAX_TURNS = 1_000
MAX_QUERY = 20_000
MAX_JSON = 100_000
MAX_JSON_DEPTH = 20
MAX_LIMIT = 500
REQUESTS_KEPT = timedelta(hours=24)
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)  # room on both sides for time zones and "ten years ago"
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode: it contains an unpaired surrogate") from None
    return text


def _opaque(value: str) -> str:
    _storable(value)
    if any(unicodedata.category(c) == "Cc" for c in value):
        raise ValueError("must not contain control characters")
    return value


def _not_dots(value: str) -> str:
    if value in (".", ".."):
        raise ValueError("must not be '.' or '..'")
    return value


def _plain_json(value: dict[str, Any]) -> dict[str, Any]:
    """Only what JSON can say and the database can keep; walked without recursion, since a caller chose the depth."""
    level: list[Any] = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            break
    else:
        raise ValueError(f"must not be nested deeper than {MAX_JSON_DEPTH} levels")
    if len(json.dumps(value, ensure_ascii=False)) > MAX_JSON:
        raise ValueError(f"must not be longer than {MAX_JSON} characters as JSON")
    return value


def _inner(item: Any) -> list[Any]:
    if isinstance(item, dict):
        if not all(isinstance(key, str) for key in item):
            raise ValueError("keys must be text")
        return [*item.keys(), *item.values()]
    if isinstance(item, list):
        return item
    if isinstance(item, str):
        _storable(item)
    elif isinstance(item, int):
        if not -(2**63) <= item < 2**63:
            raise ValueError("whole numbers must fit in 64 bits")
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise ValueError("numbers must be finite")
    elif item is not None:
        raise ValueError("must hold only what JSON can say")
    return []


def _rfc3339(value: Any) -> Any:
    if isinstance(value, datetime) or (isinstance(value, str) and _RFC3339.match(value)):
        return value
    raise ValueError("must be a date and time with an offset, such as 2026-03-01T09:00:00+01:00")


def _in_range(value: datetime) -> datetime:
    if not EARLIEST <= value < LATEST:
        raise ValueError(f"must lie in the years {EARLIEST.year} to {LATEST.year - 1}")
    return value


Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_storable)]
NO_CONTROLS = {"pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}  # for schemas; the rule itself is _opaque
OpaqueId = Annotated[str, Field(min_length=1, max_length=256, json_schema_extra=NO_CONTROLS), AfterValidator(_opaque)]
CypherText = Annotated[str, Field(min_length=1, max_length=4_000), AfterValidator(_storable)]
UserId = Annotated[OpaqueId, AfterValidator(_not_dots)]
Tag = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_opaque)]
JsonMap = Annotated[dict[str, Any], AfterValidator(_plain_json)]
Moment = Annotated[AwareDatetime, BeforeValidator(_rfc3339), AfterValidator(_in_range)]
Cursor = Annotated[str, Field(pattern=r"^[A-Za-z0-9_=-]{1,200}$")]
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]


class Request(BaseModel):
    """A body from outside: unknown fields are an error that names them."""

    model_config = ConfigDict(extra="forbid")


class Result(BaseModel):
    """What a verb gives back."""

    model_config = ConfigDict(frozen=True)
