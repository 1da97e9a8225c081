"""Answers and the parts of prompts for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from .console import shown

if TYPE_CHECKING:
    from memoryos_graph.contract import AnswerResult, Citation, ContextCut, ContextItem, ContextResult, MemoryConflict

LINE = 400


def answer(result: AnswerResult) -> RenderableType:
    """The answer, then what its markers stand for."""
    parts: list[RenderableType] = [Text(shown(result.text)), *map(_citation, result.citations)]
    parts += [*_conflicts(result.conflicts), *_cuts(result.cuts), *_remarks(result)]
    return Group(*parts)


def context(result: ContextResult) -> RenderableType:
    """Each part with its items and tokens."""
    counts = result.tokens
    parts: list[RenderableType] = []
    for name, items in (("persona", result.persona), ("evidence", result.evidence), ("recent", result.recent)):
        parts.append(Text(f"{name}: {getattr(counts, name)} tokens", "bold"))
        parts += [Padding(_item(item), (0, 0, 0, 2)) for item in items]
    parts += [*_conflicts(result.conflicts), *_cuts(result.cuts)]
    parts.append(_dim(f"{counts.total} of {counts.budget} tokens, counted by {counts.counted_by}"))
    parts += [_dim("the evidence hardly bears on the question")] if result.weak else []
    parts += [_dim(f"note: {note}") for note in result.notes]
    return Group(*parts)


def _citation(one: Citation) -> Text:
    where = f"{one.event_time:%Y-%m-%d}, {one.side.value}, page {one.page_id}"
    return Text.assemble((f"[{one.marker}] ", "cyan"), "“", (_line(one.quote), "italic"), "” ", (where, "dim"))


def _item(item: ContextItem) -> Text:
    flags = "".join(f" ({flag})" for flag in [*item.flags, *(["shortened"] if item.shortened else [])])
    said = _line(item.text)
    head = f"[{item.marker}] "
    return Text.assemble((head, "cyan"), said, (f" {item.tier}, {item.event_time:%Y-%m-%d}{flags}", "dim"))


def _conflicts(conflicts: Sequence[MemoryConflict]) -> Iterator[Text]:
    for one in conflicts:
        wins = f"; [{one.newest}] is newer" if one.newest else ""
        markers = " and ".join(f"[{marker}]" for marker in one.markers)
        yield Text.assemble(("disagree: ", "magenta"), f"{markers}{wins} {_line(one.text or '')}")


def _cuts(cuts: Sequence[ContextCut]) -> Iterator[Text]:
    for one in cuts:
        yield _dim(f"{one.reason.replace('_', ' ')}: {one.kind} {one.id} of {one.part}, {one.tokens} tokens")


def _remarks(result: AnswerResult) -> Iterator[Text]:
    if result.citations_removed:
        yield _dim(f"{result.citations_removed} markers that named nothing were taken out")
    if result.weak:
        yield _dim("the evidence hardly bears on the question")
    if result.extractive:
        yield _dim("made of words of the memory, without a language model")
    yield from (_dim(f"note: {note}") for note in result.notes)
    if result.answer_id:
        yield _dim(f"answer {result.answer_id}")


def _line(text: str) -> str:
    words = " ".join(shown(text).split())
    return words if len(words) <= LINE else words[: LINE - 1] + "…"


def _dim(text: str) -> Text:
    return Text(text, "dim")
