"""JSON Lines of turns: the fields of POST /turns, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ...contract import TurnIn
from ...errors import InvalidInput
from .reading import StableIds, turn_of


def turns(path: Path, conversation: str | None = None) -> Iterator[TurnIn]:
    """The turns line by line, so that a file of any size can be read; empty lines are passed over.

    Turns that name no conversation get `conversation`.

    Raises InvalidInput that names the line and the field; the turns of the lines before have been given.
    """
    ids = StableIds()
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for n, line in enumerate(lines, 1):
                if line.strip():
                    yield ids.fill(_turn(line, conversation, f"line {n}"))
    except OSError as exc:
        raise InvalidInput("path", f"the file can't be read: {exc.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput("path", "the file is not UTF-8") from None


def _turn(line: str, conversation: str | None, where: str) -> TurnIn:
    try:
        values = json.loads(line)
    except json.JSONDecodeError as exc:
        raise InvalidInput("line", f"{where}: not valid JSON ({exc.msg})") from None
    except RecursionError:
        raise InvalidInput("line", f"{where}: nested too deeply") from None
    if not isinstance(values, dict):
        raise InvalidInput("line", f"{where}: not an object")
    if conversation is not None:
        values.setdefault("conversation_id", conversation)
    return turn_of(values, where)
