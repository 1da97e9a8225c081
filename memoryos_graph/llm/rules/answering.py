"""An answer without a model: the sentences of the memory that are nearest to the question, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...domain.citations import NOTHING, harmless
from ...domain.page import Side
from ...domain.text import is_cjk
from ..nearness import Nearness
from ..parts import AnswerParts, Item, Passage
from .summary import cut

MOST = 3
LONGEST = 400
ENOUGH = 0.6  # of the best sentence's worth, for a further sentence
ITEM_WEIGHT = 0.5  # of how well its item was found, beside the words of the sentence itself
QUESTION_WEIGHT = 0.4  # what was asked before answers little
FACT_BONUS = 0.2  # a fact has been read already, and is about the user

_HEADINGS = ("From your memory:", "根据记忆：")
_NOTHING = ("Your memory does not tell.", "记忆里没有相关内容。")
_PAST = (" (no longer)", "（已不再如此）")
_SAYING = {
    Side.USER: ("You said on {day}: “{text}”", "你在 {day} 说过：“{text}”"),
    Side.ASSISTANT: ("I said on {day}: “{text}”", "我在 {day} 说过：“{text}”"),
    Side.TOOL: ("A tool returned on {day}: “{text}”", "工具在 {day} 返回：“{text}”"),
}


@dataclass(frozen=True)
class _Candidate:
    worth: float
    line: str
    text: str
    item: Item


def extract(parts: AnswerParts) -> str:
    """At most three lines, each a fact or a sentence with its day and marker; [0] when the evidence is weak."""
    chinese = is_cjk(parts.question)
    found = [] if parts.weak else sorted(_candidates(parts, chinese), key=lambda one: (-one.worth, one.item.marker))
    if not found or not found[0].worth:
        return f"{_NOTHING[chinese]} [{NOTHING}]"
    best = [one for one in found if one.worth >= ENOUGH * found[0].worth]
    lines = [f"- {one.line} [{one.item.marker}]" for one in _different(best)[:MOST]]
    return "\n".join([_HEADINGS[chinese], *lines])


def _candidates(parts: AnswerParts, chinese: bool) -> Iterator[_Candidate]:
    near = Nearness(parts.question)
    best = max((item.score or 0.0 for item in parts.items), default=0.0) or 1.0
    for item in parts.items:
        if item.unanswered:
            continue
        found = ITEM_WEIGHT * (item.score or 0.0) / best
        if item.kind == "fact":
            cover = near.cover(item.words)
            if cover or item.score:
                text = " ".join(item.text.split()) + (_PAST[chinese] if item.past else "")
                yield _Candidate(cover + found + (0.0 if item.past else FACT_BONUS), harmless(text), text, item)
            continue
        for passage in item.passages:
            yield from _sentences(passage, item, near, found, chinese)


def _sentences(passage: Passage, item: Item, near: Nearness, found: float, chinese: bool) -> Iterator[_Candidate]:
    for start, end in near.best(passage.text)[1]:
        text = " ".join(passage.text[start:end].split())
        cover = near.cover(text)
        if cover:
            worth = (cover + found) * (QUESTION_WEIGHT if text.endswith(("?", "？")) else 1.0)
            day = passage.said_at.date().isoformat()
            said = _SAYING[passage.side][chinese].format(day=day, text=harmless(cut(text, LONGEST)))
            yield _Candidate(worth, said, text, item)


def _different(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Each wording once; a sentence that a fact of the answer quotes adds nothing."""
    chosen: list[_Candidate] = []
    for one in candidates:
        told = [other for other in chosen if one.text == other.text or _quoted(one.text, other.item)]
        if not told:
            chosen.append(one)
    return chosen


def _quoted(text: str, item: Item) -> bool:
    return item.kind == "fact" and any(passage.text in text or text in passage.text for passage in item.passages)
