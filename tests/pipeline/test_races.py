"""I15: what a step computed before a change of the graph is not written after it, for every step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.pipeline.archiving import archive
from memoryos_graph.store.connection import Tx
from memoryos_graph.store.store import Store

from ..conftest import FakeEmbedder
from ..graph import ask, assert_invariants, everything_stored
from ..scheduler.parts import ScriptedProvider, serving

T = TypeVar("T")

CHANGES = {
    "hidden": "MATCH (p:Page {user_id: $user_id}) SET p.hidden = true",
    "changed": "MATCH (p:Page {user_id: $user_id}) SET p.content_hash = 'other'",
    "forgotten": "MATCH (u:User {user_id: $user_id}) SET u.forget_epoch = u.forget_epoch + 1",
}
GRAPH = """
    MATCH (n {user_id: $user_id}) WHERE NOT n:Run AND NOT n:User
    OPTIONAL MATCH (n)-[r]->()
    RETURN labels(n)[0] AS label, n.tier AS tier, n.state AS state, n.version AS version, n.archived AS archived,
           n.status AS status, n.embedding IS NULL AS bare, count(r) AS relations
    ORDER BY label, tier, state, version, archived, status, bare, relations"""


class ChangingEmbedder(FakeEmbedder):
    """Changes the graph once, while it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.during: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        if self.during is not None:
            await self.during()
        return await super().embed(texts, kind)


class ChangingStore(Store):
    """The store, with something that happens before its second write of a step."""

    def __init__(self, store: Store, between: Callable[[], Awaitable[object]]) -> None:
        super().__init__(store.connection)
        self.between = between
        self.writes = 0

    async def write(self, user_id: str, work: Callable[[Tx], Awaitable[T]], **options: Any) -> T:
        self.writes += 1
        if self.writes == 2:
            await self.between()
        return await super().write(user_id, work, **options)


@pytest.fixture
def provider() -> ScriptedProvider:
    return ScriptedProvider()


@pytest.fixture
def embedder() -> ChangingEmbedder:
    return ChangingEmbedder()


@pytest.fixture
def racing(service: MemoryService, provider: ScriptedProvider, embedder: ChangingEmbedder) -> MemoryService:
    return serving(replace_parts(service, embedder), provider=provider, mid_term_capacity=1)


def replace_parts(service: MemoryService, embedder: FakeEmbedder) -> MemoryService:
    service.ctx = replace(service.ctx, embedder=embedder)
    return service


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("step", ["index", "migrate", "migrate embedding", "promote", "promote embedding"])
async def test_i15_nothing_computed_before_a_change_is_written_after_it(
    racing: MemoryService,
    provider: ScriptedProvider,
    embedder: ChangingEmbedder,
    user_id: str,
    step: str,
    change: str,
) -> None:
    memory = racing.user(user_id)
    name = step.split()[0]
    (stored,) = await memory.remember([TurnIn(user_input="I live in Oslo.")])
    for before in ["index", "migrate", "promote"]:
        if before == name:
            break
        await memory.maintain(before, force=True)
    seen: list[object] = []

    async def during() -> None:
        if not seen:
            await ask(racing, CHANGES[change], user_id=user_id)
            seen.append(await ask(racing, GRAPH, user_id=user_id))

    if step in ("migrate", "promote"):
        provider.during = during
    else:
        embedder.during = during
    (run,) = (await memory.maintain(name, force=True)).runs
    assert (run.kind, run.state, run.error_code) == (name, "failed", "inputs_changed")
    assert seen == [await ask(racing, GRAPH, user_id=user_id)]
    assert run.model_calls == (0 if name == "index" else 1)
    (page,) = await ask(racing, "MATCH (p:Page {user_id: $user_id}) RETURN p.attempts AS tried", user_id=user_id)
    assert page["tried"] == 0
    if change == "forgotten":  # the page itself is as it was: the work is due again, and done
        assert [again.state for again in (await memory.maintain(name, force=True)).runs] == ["done"]
        assert (await memory.turn(stored.page_id)).state.value == "indexed"


@pytest.mark.parametrize("step", ["index", "migrate", "migrate embedding", "promote", "promote embedding"])
async def test_i15_a_forget_during_a_step_leaves_nothing_of_what_the_step_computed(
    racing: MemoryService, provider: ScriptedProvider, embedder: ChangingEmbedder, user_id: str, step: str
) -> None:
    memory = racing.user(user_id)
    name = step.split()[0]
    (stored, other) = await memory.remember(
        [TurnIn(user_input="I live in Oslo."), TurnIn(user_input="The cat sleeps.")]
    )
    for before in ["index", "migrate", "promote"]:
        if before == name:
            break
        await memory.maintain(before, force=True)
    receipts: list[str] = []

    async def during() -> None:
        provider.during = embedder.during = None
        plan = await memory.forget(pages=[stored.page_id])
        receipts.append((await memory.confirm_forget(plan.plan_id)).receipt_id)

    if step in ("migrate", "promote"):
        provider.during = during
    else:
        embedder.during = during
    (run,) = (await memory.maintain(name, force=True)).runs
    assert (run.state, run.error_code) == ("failed", "inputs_changed")
    await memory.maintain()
    assert [turn.page_id for turn in (await memory.turns()).items] == [other.page_id]
    assert "Oslo" not in await everything_stored(racing, user_id)
    assert (await memory.verify_receipt(receipts[0], text="Oslo")).status == "absent"
    await assert_invariants(racing, user_id)


async def test_i15_archiving_decides_by_what_is_there_when_it_writes(racing: MemoryService, user_id: str) -> None:
    memory = racing.user(user_id)
    for text in ("the cello", "a zeppelin", "my garden"):
        await memory.remember(TurnIn(user_input=text))
        await memory.maintain("index")
        await memory.maintain("migrate", force=True)
    forgotten: UserMemory = memory

    async def forget() -> None:
        await ask(racing, CHANGES["forgotten"], user_id=user_id)

    async def visit() -> None:
        await ask(
            racing,
            "MATCH (s:Segment {user_id: $user_id}) WHERE s.summary CONTAINS 'cello' SET s.n_visit = 9",
            user_id=user_id,
        )

    ctx = replace(racing.ctx, store=ChangingStore(racing.ctx.store, forget))
    run = await archive(ctx, user_id)
    assert run is not None
    assert run.error_code == "inputs_changed"
    assert [s.archived for s in (await forgotten.segments()).items] == [False, False, False]
    ctx = replace(racing.ctx, store=ChangingStore(racing.ctx.store, visit))
    run = await archive(ctx, user_id)
    assert run is not None
    assert run.counts["segments"] == 2
    assert {s.summary for s in (await forgotten.segments()).items if s.archived} == {"the cello", "a zeppelin"}
