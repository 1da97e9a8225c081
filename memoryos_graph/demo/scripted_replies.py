"""How the scripted model answers a question: with the items that have most of its words, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..domain.page import Side
from ..domain.text import is_cjk
from ..llm.nearness import Nearness

ENOUGH = 0.6  # of the best item's words, for a second one
_SAID = {
    Side.USER: ("You said: {text}", "你说过：{text}"),
    Side.ASSISTANT: ("I said: {text}", "我说过：{text}"),
    Side.TOOL: ("A tool said: {text}", "工具说过：{text}"),
}
_UNKNOWN = ("I don't know that yet.", "这个我还不知道。")


def scripted_reply(data: Mapping[str, Any]) -> str:
    """An answer in the language of the question; what it is told of relationship and style shows in how it begins."""
    question = str(data.get("question", ""))
    chinese = is_cjk(question)
    near = Nearness(question)
    items = data.get("items")
    told = [one for item in (items if isinstance(items, list) else []) for one in _sentences(item, near, chinese)]
    told.sort(key=lambda one: (-one[0], one[2]))
    if data.get("evidence") == "weak" or not told or not told[0][0]:
        return f"{_opening(data)}{_UNKNOWN[chinese]} [0]"
    best = {marker: text for hits, text, marker in reversed(told) if hits >= ENOUGH * told[0][0]}
    chosen = [marker for _, _, marker in told if marker in best]
    return _opening(data) + " ".join(f"{best[marker]} [{marker}]" for marker in list(dict.fromkeys(chosen))[:2])


def _opening(data: Mapping[str, Any]) -> str:
    caller = data.get("caller")
    caller = caller if isinstance(caller, dict) else {}
    said = [f"as your {caller['relationship']}"] if caller.get("relationship") else []
    said += [f"style: {caller['style_hint']}"] if caller.get("style_hint") else []
    return f"({', '.join(said)}) " if said else ""


def _sentences(item: Mapping[str, Any], near: Nearness, chinese: bool) -> Iterator[tuple[int, str, int]]:
    """Sentences of an item with how many words of the question they have, and its number."""
    if "fact" in item:
        words = [str(item["fact"]), *(str(quote.get(Side.USER.value, "")) for quote in item.get("quotes", []))]
        yield near.hits(" ".join(words)), str(item["fact"]), item["item"]
        return
    for side, frames in _SAID.items():
        text = str(item.get(side.value, ""))
        if text.strip():
            place, spans = near.best(text)
            sentence = text[slice(*spans[place])]
            asks = sentence.endswith(("?", "？"))
            yield 0 if asks else near.hits(sentence), frames[chinese].format(text=sentence), item["item"]
