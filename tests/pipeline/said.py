"""A provider that claims what a test tells it to, and a short way to let users say things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.domain.claim import Claim, FactKind
from memoryos_graph.domain.page import Page, Side
from memoryos_graph.domain.predicates import PREDICATES
from memoryos_graph.llm.provider import Reply
from memoryos_graph.llm.rules import RulesProvider
from memoryos_graph.scheduler.worker import Worker


class ClaimingProvider(RulesProvider):
    """Claims by the text of a page; the rest is done by the rules."""

    def __init__(self) -> None:
        self.claims: dict[str, list[dict[str, Any]]] = {}

    async def propose_claims(self, pages: Sequence[Page]) -> Reply[tuple[Claim, ...]]:
        found = [_claim(page, told) for page in pages for told in self.claims.get(page.user_input, [])]
        return Reply(tuple(found), "model-of-a-test", "0" * 64)


def _claim(page: Page, told: dict[str, Any]) -> Claim:
    side = told.get("side", Side.USER)
    text, quote = page.side(side), told.get("quote", page.side(side))
    predicate = told["predicate"]
    fields: dict[str, Any] = {
        "page_id": page.page_id,
        "side": side,
        "quote": quote,
        "start": text.index(quote),
        "end": text.index(quote) + len(quote),
        "kind": PREDICATES[predicate].kind if predicate in PREDICATES else FactKind.KNOWLEDGE,
        "subject": "user",
        "object": "",
        "text": f"{predicate} {told.get('object', '')}",
    }
    return Claim(**(fields | told))


class Said:
    """One user's memory whose pages carry the claims a test names."""

    def __init__(self, service: MemoryService, user_id: str) -> None:
        self.provider = ClaimingProvider()
        ctx = replace(service.ctx, provider=self.provider)
        self.service = MemoryService(ctx, Worker(ctx))
        self.memory: UserMemory = self.service.user(user_id)

    async def say(self, text: str, *claims: dict[str, Any], at: str | None = None, **turn: Any) -> str:
        """Store a page, read it, and give its id. `at` is its event time."""
        self.provider.claims[text] = list(claims)
        (stored,) = await self.memory.remember(TurnIn(user_input=text, event_time=at, **turn))  # type: ignore[arg-type]
        await self.memory.maintain()
        return stored.page_id

    async def objects(self, **asked: Any) -> list[str]:
        """Objects of the facts that a list gives, sorted."""
        return sorted(fact.object for fact in (await self.memory.facts(**asked)).items)
