"""Answers as they are stored, and as callers see them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..contract import AnswerResult, AnswerUsage, Citation, ContextCut, MemoryConflict, UsedItem, UsedItems
from .connection import Row

_PLAIN = (
    "answer_id",
    "page_id",
    "at",
    "question",
    "text",
    "citations_removed",
    "abstained",
    "extractive",
    "weak",
    "degraded",
)


def answer_properties(result: AnswerResult, prompt_hash: str, parts: Mapping[str, int]) -> dict[str, Any]:
    """The properties of an Answer node. Conflicts and cuts are kept by their ids, without another copy of any words."""
    conflicts = [one.model_dump(exclude={"text"}) for one in result.conflicts]
    return {
        **{name: getattr(result, name) for name in _PLAIN},
        "hidden": False,
        "parts": json.dumps(parts),
        "conflicts": json.dumps(conflicts),
        "cuts": json.dumps([cut.model_dump() for cut in result.cuts]),
        "notes": result.notes,
        "prompt_hash": prompt_hash,
        **result.usage.model_dump(),
    }


def used_row(item: UsedItem, tier: str) -> dict[str, Any]:
    """A row of USED."""
    score_parts = json.dumps(item.parts, sort_keys=True)
    properties = item.model_dump(exclude={"kind", "id", "parts"}) | {"tier": tier, "score_parts": score_parts}
    return {"id": item.id, "properties": properties}


def citation_row(citation: Citation, at: Any) -> dict[str, Any]:
    """A row of DERIVED_FROM from an answer to the words it cites."""
    properties = citation.model_dump(exclude={"page_id", "event_time"}) | {"role": "cited", "at": at}
    return {"page_id": citation.page_id, "properties": properties | {"side": citation.side.value}}


def answer_of(row: Row) -> AnswerResult:
    """A stored answer. What was forgotten since is missing among what it used and cites."""
    answer = row["answer"]
    citations = [Citation(**_of(Citation, one)) for one in row["citations"]]
    return AnswerResult(
        **{name: answer[name] for name in _PLAIN},
        citations=sorted(citations, key=lambda one: (one.marker, one.event_time, one.page_id, one.start)),
        used=grouped((_used(one), one["tier"]) for one in row["used"]),
        conflicts=[MemoryConflict(**one, text=None) for one in json.loads(answer["conflicts"])],
        usage=AnswerUsage(**{name: answer[name] for name in AnswerUsage.model_fields}),
        cuts=[ContextCut(**one) for one in json.loads(answer["cuts"])],
        notes=list(answer["notes"]),
    )


def grouped(items: Iterable[tuple[UsedItem, str]]) -> UsedItems:
    """Used items by tier, in the order of their markers."""
    tiers: dict[str, list[UsedItem]] = {"stm": [], "mtm": [], "lpm": []}
    for item, tier in items:
        tiers[tier].append(item)
    return UsedItems(**{tier: _by_marker(found) for tier, found in tiers.items()})


def _by_marker(items: Sequence[UsedItem]) -> list[UsedItem]:
    return sorted(items, key=lambda item: item.marker)


def _used(row: Row) -> UsedItem:
    return UsedItem(**_of(UsedItem, row) | {"parts": json.loads(row["score_parts"])})


def _of(model: type[Citation] | type[UsedItem], row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in model.model_fields}
