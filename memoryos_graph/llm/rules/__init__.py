"""The offline provider: what a batch is about, and what users say of themselves, by rules instead of a model.

Modest on purpose: it proposes little, and what it proposes is said in so many words, in English or Chinese.
No network, no downloads, no state between calls; the same pages always give the same reply.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from ...domain.claim import Claim
from ...domain.page import Page
from ..parts import AnswerParts
from ..provider import BatchReading, OnText, Reply, Written
from .answering import extract
from .claims import claims
from .continuity import continuity
from .summary import line
from .topics import topics

MODEL = "rules"
RULES_VERSION = "3"
PROMPT_HASH = hashlib.sha256(f"memoryos-graph rules {RULES_VERSION}".encode()).hexdigest()


class RulesProvider:
    """A Provider without a model: free, deterministic, and never failing on any text."""

    async def read_batch(self, pages: Sequence[Page], before: dict[str, Page]) -> Reply[BatchReading]:
        """Continuity, topics and chain summaries of a batch; every page is in exactly one topic."""
        return Reply(await asyncio.to_thread(_read, pages, before), MODEL, PROMPT_HASH)

    async def propose_claims(self, pages: Sequence[Page]) -> Reply[tuple[Claim, ...]]:
        """Plain first-person statements on the users' sides of these pages, in the order they were said."""
        return Reply(await asyncio.to_thread(claims, pages), MODEL, PROMPT_HASH)

    async def answer(self, parts: AnswerParts, on_text: OnText | None = None) -> Reply[Written]:
        """The sentences of the memory that are nearest to the question, each with the number of its item."""
        text = await asyncio.to_thread(extract, parts)
        if on_text is not None:
            on_text(text)
        return Reply(Written(text, extractive=True), MODEL, PROMPT_HASH)


def _read(pages: Sequence[Page], before: dict[str, Page]) -> BatchReading:
    return BatchReading(
        continuity={page.page_id: continuity(page, before.get(page.page_id)) for page in pages},
        topics=topics(pages),
        chain_summaries={page.page_id: line(page) for page in pages},
    )
