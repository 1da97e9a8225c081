"""Models that fail or change the graph while they are asked, and a service that has them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.domain.claim import Claim
from memoryos_graph.domain.page import Page
from memoryos_graph.domain.usage import ModelCall
from memoryos_graph.errors import ModelReplyInvalid
from memoryos_graph.llm.provider import BatchReading, Reply
from memoryos_graph.llm.rules import RulesProvider
from memoryos_graph.scheduler.worker import Worker

GOOD = ModelCall(model="scripted", prompt_hash="p1", tokens_in=100, tokens_out=20, ms=7, outcome="ok")
BAD = replace(GOOD, outcome="model_reply_invalid", tokens_out=3)


class ScriptedProvider(RulesProvider):
    """Reads as the rules do, but says that it made a model call; fails on pages that hold one of the words."""

    def __init__(self) -> None:
        self.fail_batch_on: tuple[str, ...] = ()
        self.fail_claims_on: tuple[str, ...] = ()
        self.during: Callable[[], Awaitable[object]] | None = None
        self.asked = 0

    async def read_batch(self, pages: Sequence[Page], before: dict[str, Page]) -> Reply[BatchReading]:
        await self._ask(pages, self.fail_batch_on)
        reply = await super().read_batch(pages, before)
        return replace(reply, model="scripted", prompt_hash="p1", calls=(GOOD,))

    async def propose_claims(self, pages: Sequence[Page]) -> Reply[tuple[Claim, ...]]:
        await self._ask(pages, self.fail_claims_on)
        reply = await super().propose_claims(pages)
        return replace(reply, model="scripted", prompt_hash="p1", calls=(GOOD,))

    async def _ask(self, pages: Sequence[Page], fail_on: Sequence[str]) -> None:
        self.asked += 1
        if self.during is not None:
            await self.during()
        if any(word in page.text for page in pages for word in fail_on):
            raise ModelReplyInvalid(calls=(BAD,))


def serving(service: MemoryService, *, provider: RulesProvider | None = None, **settings: Any) -> MemoryService:
    """The service of a test with another provider and other settings."""
    changed = service.ctx.settings.model_copy(update=settings)
    ctx = replace(service.ctx, settings=changed, provider=provider or service.ctx.provider)
    return MemoryService(ctx, Worker(ctx))


async def tick(memory: UserMemory) -> str | None:
    """What the worker does for this user when it finds it due; the code of the failure that it met."""
    worker = memory._worker
    rows = await memory._ctx.store.read(memory.user_id, _due(memory))
    if not rows or not rows["due"]:
        return None
    await worker.work_for(memory.user_id)
    return worker.failing.get(memory.user_id)


def _due(memory: UserMemory) -> Callable[..., Awaitable[Any]]:
    async def read(tx: Any) -> Any:
        return await tx.one("user_due", user_id=memory.user_id, now=memory._ctx.clock.now())

    return read
