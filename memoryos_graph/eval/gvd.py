"""The GVD files of MemoryBank (zhongwanjun/MemoryBank-SiliconFriend, MIT; not part of this package).

Users who chat some days with an assistant, and probing questions without answers. What answers them is labelled in a
file of its own: user → number of the question → numbers of the pages, both from 0 in file order; a page is one query
with its response. Days have no time and no zone: noon UTC is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..contract import TurnIn
from ..errors import InvalidInput
from ..transfer.importers.reading import checked, json_of
from .cases import Asked, Case, Dataset

CATEGORY = "probing"
QUOTES = "\"'“”"
Labels = Mapping[str, Mapping[str, Any]]


def dataset(path: Path, questions: Path, gold: Path | None = None) -> Dataset:
    """The users that have questions. Without `gold` no question has evidence, and recall can't be measured.

    Raises InvalidInput that names user and field.
    """
    content = json_of(path)
    if not isinstance(content, dict) or not content:
        raise InvalidInput("path", "the file is not a GVD file: an object of users with `history` is expected")
    labels = json_of(gold) if gold else {}
    if not isinstance(labels, dict):
        raise InvalidInput("gold", "an object is expected: user, number of the question, numbers of the pages")
    named = {name.strip(): item for name, item in content.items()}
    traps: dict[str, list[str]] = {}
    for name in sorted(name for name in content if name != name.strip()):
        traps.setdefault("user's name with spaces around it, taken without", []).append(name.strip())
    cases = []
    for name, texts in _questions(questions, traps).items():
        if name in named:
            cases.append(_case(name, named[name], texts, labels))
        else:
            traps.setdefault("questions of a user who is not in the file, skipped", []).append(name)
    if not cases:
        raise InvalidInput("questions", "no user of the questions is in the file")
    return Dataset("gvd", cases, page_turns=2, config={"labels": gold is not None, "file_traps": traps})


def _case(name: str, item: Any, texts: list[str], labels: Labels) -> Case:
    where = f"user {name}"
    if not isinstance(item, dict):
        raise InvalidInput("history", f"{where}: not an object")
    traps: dict[str, list[str]] = {}
    pages = list(_pages(name, checked(item, "history", dict, where), traps))
    asked = list(_asked(name, texts, labels, len(pages), traps))
    days = [turn.event_time.date().isoformat() if turn.event_time else "" for turn in pages]
    return Case(name, f"eval-gvd-{name}", pages, days, asked, traps)


def _pages(name: str, history: dict[str, Any], traps: dict[str, list[str]]) -> Iterator[TurnIn]:
    number = 0
    for day in history:
        where = f"user {name}, {day}"
        at = _noon(day, where)
        said = checked(history, day, list, where)
        if not said:
            traps.setdefault("day without turns", []).append(day)
        for turn in said:
            sides = [turn.get(side) for side in ("query", "response")] if isinstance(turn, dict) else []
            if len(sides) != 2 or not all(side is None or isinstance(side, str) for side in sides) or not any(sides):
                raise InvalidInput("turn", f"{where}: query and response are expected, one of them not empty")
            if not all(sides):
                traps.setdefault("page with one side", []).append(str(number))
            yield TurnIn(
                user_input=sides[0] or "",
                assistant_response=sides[1] or "",
                id=f"gvd/{number}",
                conversation_id="gvd",
                event_time=at,
            )
            number += 1


def _noon(day: str, where: str) -> datetime:
    try:
        return datetime.strptime(day, "%Y-%m-%d").replace(hour=12, tzinfo=UTC)
    except ValueError:
        raise InvalidInput("history", f"{where}: the day is not like 2023-04-27") from None


def _questions(path: Path, traps: dict[str, list[str]]) -> dict[str, list[str]]:
    """JSON Lines of {user: [question, …]}; a user may have several lines."""
    found: dict[str, list[str]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InvalidInput("questions", "the file can't be read as UTF-8 text") from None
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise InvalidInput("questions", f"line {n}: not valid JSON") from None
        if not isinstance(item, dict) or not all(isinstance(texts, list) for texts in item.values()):
            raise InvalidInput("questions", f"line {n}: an object of users and their questions is expected")
        for name, texts in item.items():
            found.setdefault(name.strip(), []).extend(str(text) for text in texts)
    for name, texts in found.items():
        for number, text in enumerate(texts):
            if text.strip().strip(QUOTES) != text.strip():
                traps.setdefault("question in quotes, taken without", []).append(f"{name} {number}")
        if len(set(texts)) < len(texts):
            traps.setdefault("question repeated, kept", []).append(name)
    return found


def _asked(name: str, texts: list[str], labels: Labels, n_pages: int, traps: dict[str, list[str]]) -> Iterator[Asked]:
    own = labels.get(name) or {}
    for number, text in enumerate(texts):
        given = own.get(str(number)) or []
        evidence = frozenset(place for place in given if isinstance(place, int) and 0 <= place < n_pages)
        if labels and len(evidence) < len(given):
            traps.setdefault("label of a page that does not exist, left out", []).append(str(number))
        if labels and not evidence:
            traps.setdefault("question without a label, not asked", []).append(str(number))
            continue
        yield Asked(f"{name}/{number}", text.strip().strip(QUOTES), CATEGORY, evidence)
