"""Readers of conversations: a file in, turns out, each with an id that makes a second import harmless."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from ...contract import TurnIn
from ...errors import InvalidInput
from . import locomo, turn_lists, turns_jsonl
from .locomo import PageTurns
from .reading import json_of

Format = Literal["turns-jsonl", "turn-list", "locomo"]


def read(
    path: Path,
    format: Format | None = None,
    *,
    tz: str | None = None,
    conversation: str | None = None,
    conversations: Sequence[str] | None = None,
    page_turns: PageTurns = 2,
) -> Iterator[TurnIn]:
    """The turns of a file, in order; without `format` it is found from the content.

    `conversation` is for turns that name none, `tz` is the zone of times without an offset in turn lists. For LoCoMo,
    `conversations` selects by id and `page_turns` sets how many utterances make a page.
    Raises InvalidInput that names line or item and the field, never the text; turns before it have been given.
    """
    match format or detect(path):
        case "turns-jsonl":
            return turns_jsonl.turns(path, conversation)
        case "turn-list":
            return turn_lists.turns(path, tz, conversation)
        case "locomo":
            return locomo.turns(path, conversations, page_turns)


def detect(path: Path) -> Format:
    """The format of a file: JSON Lines begin with an object, the others are one JSON list. Raises InvalidInput."""
    if _first_character(path) != "[":
        return "turns-jsonl"
    content = json_of(path)
    if locomo.is_locomo(content):
        return "locomo"
    if turn_lists.is_turn_list(content):
        return "turn-list"
    raise InvalidInput("format", "the format is not known: JSON Lines of turns, a list of turns, or a LoCoMo file")


def _first_character(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            return next((line.lstrip()[0] for line in lines if line.strip()), "")
    except OSError as exc:
        raise InvalidInput("path", f"the file can't be read: {exc.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput("path", "the file is not UTF-8") from None
