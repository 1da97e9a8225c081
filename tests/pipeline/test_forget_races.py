"""I15 under chance: a forget beside each background step and beside an answer, in random interleavings."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.errors import Conflict, TryAgain
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.store.connection import Tx
from memoryos_graph.store.store import Store

from ..graph import assert_invariants, everything_stored

T = TypeVar("T")
STEPS = ["index", "migrate", "promote", "archive", "search", "answer"]
SAID = "I live in Oslo, at gate zqxw."


class WanderingStore(Store):
    """The store of one of several tasks: before each transaction any other may go first, as chance has it."""

    def __init__(self, store: Store, rng: random.Random) -> None:
        super().__init__(store.connection)
        self.rng = rng

    async def read(self, user_id: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        await self._wander()
        return await super().read(user_id, work)

    async def write(self, user_id: str, work: Callable[[Tx], Awaitable[T]], **options: Any) -> T:
        await self._wander()
        return await super().write(user_id, work, **options)

    async def _wander(self) -> None:
        await asyncio.sleep(self.rng.choice([0, 0, 0.002, 0.006, 0.015]))  # this is what is random here


@pytest.mark.parametrize("step", STEPS)
async def test_i15_a_forget_beside_a_step_leaves_nothing(service: MemoryService, user_id: str, step: str) -> None:
    for seed in range(3):
        await _race(service, f"{user_id}-{seed}", step, seed)


@pytest.mark.soak
@pytest.mark.parametrize("step", STEPS)
async def test_i15_a_hundred_forgets_beside_a_step_leave_nothing(
    service: MemoryService, user_id: str, step: str
) -> None:
    for seed in range(100, 200):
        await _race(service, f"{user_id}-{seed}", step, seed)


async def _race(service: MemoryService, user_id: str, step: str, seed: int) -> None:
    rng = random.Random(seed)
    memory, other = _wandering(service, user_id, rng), _wandering(service, user_id, rng)
    stored, cat = await memory.remember([TurnIn(user_input=SAID), TurnIn(user_input="The cat sleeps.")])
    for before in ("index", "migrate", "promote"):
        if before == step:
            break
        await memory.maintain(before, force=True)
    _, receipt = await asyncio.gather(_do(memory, step), _forget(other, stored.page_id))
    await memory.maintain()
    told = [turn.page_id for turn in (await memory.turns()).items if turn.origin != "correction"]
    assert stored.page_id not in told
    assert cat.page_id in told
    left = await everything_stored(service, user_id)
    assert [word for word in ("zqxw", "Oslo") if word in left] == []  # no digits, which an id may have by chance
    assert (await memory.verify_receipt(receipt, text="gate zqxw")).status == "absent"
    await assert_invariants(service, user_id)


def _wandering(service: MemoryService, user_id: str, rng: random.Random) -> UserMemory:
    ctx = replace(service.ctx, store=WanderingStore(service.ctx.store, rng))
    return MemoryService(ctx, Worker(ctx)).user(user_id)


async def _do(memory: UserMemory, step: str) -> None:
    if step == "search":
        await memory.search("Where is the house?")
    elif step == "answer":
        try:
            await memory.answer("Who sleeps, and where is the house?")
        except TryAgain:  # what it was made from was forgotten meanwhile
            return
    else:
        await memory.maintain(step, force=True)


async def _forget(memory: UserMemory, page_id: str) -> str:
    while True:
        plan = await memory.forget(pages=[page_id])
        try:
            return (await memory.confirm_forget(plan.plan_id)).receipt_id
        except Conflict:  # the step made something of the page since the plan
            continue
