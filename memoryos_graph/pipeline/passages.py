"""Passages of a page that is longer than the embedding model reads: windows of its sides with their own vectors."""

from __future__ import annotations

from ..domain.page import Side, page_text
from ..llm.embedder import Embedder
from ..store.connection import Row
from ..store.records import unquarantined

_SIDES = ((Side.USER, "user_input"), (Side.ASSISTANT, "assistant_response"), (Side.TOOL, "tool_text"))


async def embedded_text(embedder: Embedder, page: Row, before: Row | None) -> str:
    """What the vector of a page is made of: its text after the last non-empty side before it in its session.

    Where both together are more than the model reads, the page alone; of a page that is itself longer, its beginning.
    """
    said = unquarantined(before) if before else {"user_input": "", "assistant_response": ""}
    last_side = said["assistant_response"] or said["user_input"]
    text = page_text(page["user_input"], page["assistant_response"], page["tool_text"])
    if last_side:
        whole = f"{last_side}\n{text}"
        if len(await embedder.windows(whole)) <= 1:
            return whole
    (_, end), *_ = await embedder.windows(text)
    return text[:end]


async def passages(embedder: Embedder, page: Row) -> list[Row]:
    """The passages of a page, without their vectors; none for a page that the model reads whole."""
    text = page_text(page["user_input"], page["assistant_response"], page["tool_text"])
    if len(await embedder.windows(text)) <= 1:
        return []
    return [
        {
            "page_id": page["page_id"],
            "passage_id": f"{page['page_id']}-{side}-{start}",
            "side": side.value,
            "start": start,
            "end": end,
            "text": page[name][start:end],
        }
        for side, name in _SIDES
        for start, end in await embedder.windows(page[name])
    ]
