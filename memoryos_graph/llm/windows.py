"""Pages as they are shown to a model: numbered, as JSON data, long sides in windows, in as few requests as fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ..domain.page import Page, Side

ENTRY_TOKENS = 30  # of what stands around the text of a page
OVERLAP = 100  # characters that two windows share, so that a sentence is whole in one of them
LONGEST_WINDOW = 8000
BEFORE_LENGTH = 500


@dataclass(frozen=True)
class Shown:
    """A page, or a part of a long one, under its number; `sides` holds what is shown of it."""

    number: int
    page: Page
    sides: tuple[tuple[Side, str], ...]
    part: int = 1
    parts: int = 1

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return ENTRY_TOKENS + sum(tokens(text) for _, text in self.sides)


def tokens(text: str) -> int:
    """About how many tokens a text takes, rather too many: four ASCII characters, or one other, to each."""
    ascii_only = sum(char.isascii() for char in text)
    return ascii_only // 4 + len(text) - ascii_only + 1


def shown(pages: Sequence[Page], prompt_tokens: int) -> list[Shown]:
    """All pages by number from 1, every character of every side in at least one entry."""
    window = min(LONGEST_WINDOW, prompt_tokens // 2)
    entries: list[Shown] = []
    for number, page in enumerate(pages, start=1):
        parts = list(_parts(page, window))
        entries.extend(Shown(number, page, sides, part, len(parts)) for part, sides in enumerate(parts, start=1))
    return entries


def requests(entries: Sequence[Shown], prompt_tokens: int) -> list[list[Shown]]:
    """The entries in their order, cut into requests of at most so many tokens."""
    cut: list[list[Shown]] = []
    room = 0
    for entry in entries:
        if not cut or entry.tokens > room:
            cut.append([])
            room = prompt_tokens
        cut[-1].append(entry)
        room -= entry.tokens
    return cut


def halves(entries: Sequence[Shown]) -> tuple[list[Shown], list[Shown]] | None:
    """The entries in two, the single entry by its text; None for one too short to be cut."""
    if len(entries) > 1:
        middle = len(entries) // 2
        return list(entries[:middle]), list(entries[middle:])
    (entry,) = entries
    longest = max(entry.sides, key=lambda side: len(side[1]), default=None)
    if longest is None or len(longest[1]) < 4 * OVERLAP:
        return None
    speaker, text = longest
    middle = len(text) // 2
    rest = tuple(side for side in entry.sides if side is not longest)
    first = replace(entry, sides=(*rest, (speaker, text[: middle + OVERLAP])))
    return [first], [replace(entry, sides=((speaker, text[middle:]),))]


def as_data(entries: Sequence[Shown], before: Mapping[str, Page] | None = None) -> str:
    """The entries as one JSON block. With `before`, each page also names what it comes after."""
    numbers = {entry.page.page_id: entry.number for entry in entries}
    rows = [_row(entry, numbers, before) for entry in entries]
    text = json.dumps({"pages": rows}, ensure_ascii=False, indent=1)
    return "```json\n" + text.replace("`", "\\u0060") + "\n```"


def said_at(at: datetime) -> str:
    """A moment as models read it: with its weekday, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC, %A")


def _row(entry: Shown, numbers: Mapping[str, int], before: Mapping[str, Page] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"page": entry.number, "time": said_at(entry.page.event_time)}
    if entry.parts > 1:
        row |= {"part": entry.part, "parts": entry.parts}
    earlier = (before or {}).get(entry.page.page_id)
    if earlier is not None and entry.part == 1:
        number = numbers.get(earlier.page_id)
        row["after"] = _excerpt(earlier) if number is None else number
    for side, text in entry.sides:
        row[side.value] = text
    return row


def _excerpt(page: Page) -> dict[str, str]:
    sides = ((side, page.side(side)) for side in (Side.USER, Side.ASSISTANT))
    return {side.value: text[:BEFORE_LENGTH] for side, text in sides if text}


def _parts(page: Page, window: int) -> Iterator[tuple[tuple[Side, str], ...]]:
    """The sides of a page in groups that hold at most one window of text; one empty group for an empty page."""
    group: list[tuple[Side, str]] = []
    room = window
    for side in Side:
        for piece in _windows(page.side(side), window):
            if group and (len(piece) > room or any(side is other for other, _ in group)):
                yield tuple(group)
                group, room = [], window
            group.append((side, piece))
            room -= len(piece)
    yield tuple(group)


def _windows(text: str, length: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + length
        if end < len(text):
            space = text.rfind(" ", end - OVERLAP, end)
            end = space + 1 if space > 0 else end
        yield text[start:end]
        if end >= len(text):
            return
        start = end - min(OVERLAP, length // 4)
