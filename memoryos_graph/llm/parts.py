"""What a question is answered from: numbered items, their conflicts and the question, as one block of data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ..domain.citations import harmless
from ..domain.page import Side
from .windows import said_at

Part = Literal["persona", "evidence", "recent"]
ORDER: tuple[Part, ...] = ("persona", "evidence", "recent")


@dataclass(frozen=True)
class Passage:
    """Words of one side of a page; `start` and `end` are code points of the stored side."""

    page_id: str
    side: Side
    start: int
    end: int
    text: str
    said_at: datetime


@dataclass(frozen=True, kw_only=True)
class Item:
    """A page or fact as it is shown. `text` is that of a fact; `passages` the words of a page, or a fact's quotes.

    `past` is a fact that holds no longer, shown because that was asked for; `unanswered` a question that the memory did
    not answer: nothing new can be learnt from it.
    """

    part: Part
    kind: Literal["page", "fact"]
    id: str
    tier: Literal["stm", "mtm", "lpm"]
    said_at: datetime
    passages: tuple[Passage, ...]
    text: str = ""
    marker: int = 0
    shortened: bool = False
    orders: bool = False
    unsettled: bool = False
    past: bool = False
    stale: bool = False
    unanswered: bool = False
    level: str | None = None
    rank: int = 0
    score: float | None = None
    similarity: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """All that is shown of it."""
        return "\n".join(filter(None, (self.text, *(passage.text for passage in self.passages))))


@dataclass(frozen=True)
class Dispute:
    """Items that disagree; `newest` is the one that wins, where anybody can tell."""

    markers: tuple[int, ...]
    newest: int | None


@dataclass(frozen=True, kw_only=True)
class AnswerParts:
    """A question with all that it may be answered from. `weak`: the items hardly bear on it."""

    question: str
    now: datetime
    items: Sequence[Item]
    disputes: Sequence[Dispute] = ()
    weak: bool = False
    relationship: str = ""
    style_hint: str = ""
    system: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def row(item: Item) -> dict[str, Any]:
    """One item as the model reads it. No text in it can pass for a marker or end the block."""
    shown: dict[str, Any] = {"item": item.marker, "part": item.part}
    if item.kind == "fact":
        shown["fact"] = harmless(item.text)
        if item.level:
            shown["inferred"] = item.level
        if item.unsettled:
            shown["unsettled"] = True
        if item.past:
            shown["past"] = True
        if item.stale:
            shown["long_unused"] = True
        quotes = [{"time": said_at(one.said_at), one.side.value: harmless(one.text)} for one in item.passages]
        shown["quotes"] = quotes
    else:
        shown["time"] = said_at(item.said_at)
        for passage in item.passages:
            shown[passage.side.value] = harmless(passage.text)
    if item.shortened:
        shown["shortened"] = True
    if item.orders:
        shown["reads_like_orders"] = True
    return shown


def row_text(item: Item) -> str:
    """The item as it stands in the block."""
    return _dumped(row(item))


def memory_text(items: Sequence[Item], disputes: Sequence[Dispute]) -> str:
    """Items and conflicts as JSON, one item to a line."""
    rows = ",\n  ".join(map(row_text, items))
    conflicts = _dumped([{"items": one.markers, "newest": one.newest} for one in disputes])
    return f'{{"items": [\n  {rows}],\n "conflicts": {conflicts}}}' if items else '{"items": [], "conflicts": []}'


def as_data(parts: AnswerParts) -> str:
    """The whole block: what the application says, the memory, and the question last."""
    caller = {
        "relationship": harmless(parts.relationship),
        "style_hint": harmless(parts.style_hint),
        "metadata": _harmless(parts.metadata),
    }
    asked = _dumped(
        {
            "now": said_at(parts.now),
            "system": harmless(parts.system),
            "caller": {name: value for name, value in caller.items() if value},
            "evidence": "weak" if parts.weak else "good",
        }
    )
    memory = memory_text(parts.items, parts.disputes)
    question = _dumped({"question": harmless(parts.question)})
    return f"```json\n{asked[:-1]},\n{memory[1:-1]},\n{question[1:]}\n```"


def _harmless(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {harmless(key): _harmless(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_harmless(inner) for inner in value]
    return value


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("`", "\\u0060")
