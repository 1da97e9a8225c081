"""What all readers share: files as JSON, and fields whose faults are named without an echo of the text."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ...contract import TurnIn
from ...errors import InvalidInput

T = TypeVar("T", bound="str | dict[str, Any] | list[Any]")
_NAMES: dict[type, str] = {str: "text", dict: "an object", list: "a list"}


def json_of(path: Path) -> Any:
    """The file as JSON. Raises InvalidInput (`path`) with the place of the fault."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as exc:
        raise InvalidInput("path", f"the file can't be read: {exc.strerror}") from None
    except UnicodeDecodeError as exc:
        raise InvalidInput("path", f"the file is not UTF-8 (byte {exc.start})") from None
    except json.JSONDecodeError as exc:
        raise InvalidInput("path", f"line {exc.lineno}: not valid JSON ({exc.msg})") from None
    except RecursionError:
        raise InvalidInput("path", "the file is nested too deeply") from None


def checked(item: dict[str, Any], field: str, kind: type[T], where: str) -> T:
    """A field of the right type. Raises InvalidInput that names place and field."""
    value: Any = item.get(field)
    if not isinstance(value, kind):
        raise InvalidInput(field, f"{where}: {field} is missing or not {_NAMES.get(kind, kind.__name__)}")
    return value


def text_of(item: dict[str, Any], field: str, where: str) -> str:
    """A text field that is not empty."""
    value = checked(item, field, str, where)
    if not value:
        raise InvalidInput(field, f"{where}: {field} is empty")
    return value


def turn_of(values: dict[str, Any], where: str) -> TurnIn:
    """A turn, with a fault of it told by place and field only."""
    try:
        return TurnIn.model_validate(values)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "turn"
        raise InvalidInput(field, f"{where}: {field}: {first['msg'].removeprefix('Value error, ')}") from None


class StableIds:
    """Ids for turns without one, the same at every import: from content, time, and the place among equal ones."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def fill(self, turn: TurnIn) -> TurnIn:
        """The turn with an id."""
        if turn.id is not None:
            return turn
        said = turn.model_dump_json(exclude={"id"})
        digest = hashlib.sha256(said.encode()).hexdigest()[:40]
        self._seen[digest] += 1
        return turn.model_copy(update={"id": f"import-{digest}-{self._seen[digest]}"})
