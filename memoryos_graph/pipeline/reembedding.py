"""Another embedding model: its vectors are built beside the ones that are searched, then take their place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from ..context import Context
from ..contract import Reembedded
from ..domain.segment import topic_text
from ..domain.validity import NEVER
from ..errors import MemoryosError, SetupError, TryAgain
from ..llm.embedder import Embedder
from ..store.connection import Row, Tx
from ..store.schema import build_other_vectors, drop_other_vectors
from ..store.vectors import Model, Stage, Vectors
from .passages import embedded_text
from .step import (
    INTERRUPTED,
    REEMBED,
    Inputs,
    Outcome,
    Step,
    end_without_result,
    ensure_vectors,
    read_epoch,
    running,
    write_step,
)

BATCH = 64  # of each kind, in one call of the model
REMOVED_AT_ONCE = 500
USERS_PER_BATCH = 100
LEASE_S = 10
LEASE_WAIT_S = 30.0
LEASE_POLL_S = 0.2
KINDS = ("pages", "passages", "facts", "segments")

Progress = Callable[[int, int], None]


async def reembed(ctx: Context, *, on_progress: Progress | None = None) -> Reembedded:
    """Give everything a vector of the model in `ctx`, and search those from then on.

    Until then search uses the old ones. Can be stopped at any moment and run again: what has a vector is not embedded
    twice. Other services go on meanwhile; those of the old model refuse to work after the swap (ModelChanged). With the
    model that the database has, a change that was begun is given up.
    Cost: an embedding per page, fact and segment; one call for up to 64 of each kind of a user. Writes a Run per user.
    Raises ModelError, SetupError (`reembed_unfinished`), TryAgain while another process does it.
    """
    owner = ctx.clock.new_id()
    async with _lease(ctx, owner):
        return await _Change(ctx, owner, on_progress).make()


class _Change:
    """One change of the model, from whatever stage it was left in. `embedding` in queries is the old model's until all
    is caught up."""

    def __init__(self, ctx: Context, owner: str, on_progress: Progress | None) -> None:
        self._ctx = ctx
        self._owner = owner
        self._on_progress = on_progress
        self._mine = Model(ctx.embedder.model_id, ctx.embedder.dimension)
        self._done: Counter[str] = Counter()
        self._total = 0

    async def make(self) -> Reembedded:
        before = await vectors_now(self._ctx)
        stage = before.stage
        if stage is Stage.CATCHING_UP and before.model != self._mine:
            raise SetupError(
                f"the change to {before.model} is not finished: run `memoryos reembed` with that model first",
                code="reembed_unfinished",
            )
        if stage is Stage.CLEARING or (stage is Stage.BUILDING and before.next != self._mine):
            await self._clear()
            stage = Stage.NONE
        if stage is Stage.CATCHING_UP:
            self._exchange()
        elif before.model != self._mine:
            await self._build()
            await self._swap()
            stage = Stage.CATCHING_UP
        if stage is Stage.CATCHING_UP:
            await self._all_users(after_swap=True)
            self._exchange()
            await self._clear()
        return Reembedded(
            model_before=before.model.name,
            model=self._mine.name,
            dimension=self._mine.dimension,
            vectors={kind: self._done[kind] for kind in KINDS},
        )

    async def _build(self) -> None:
        """The bulk, then what came in meanwhile. What comes in after that is caught up with after the swap."""
        await self._set(Stage.BUILDING, self._mine)
        await build_other_vectors(self._ctx.store.connection, self._mine.dimension)
        if self._on_progress:
            async for user_id in users(self._ctx):
                self._total += await self._missing_of(user_id)
        await self._all_users()
        await self._all_users()

    async def _all_users(self, *, after_swap: bool = False) -> None:
        async for user_id in users(self._ctx):
            if after_swap:
                await _wait_for_writers(self._ctx, user_id)
            await self._user(user_id)

    async def _user(self, user_id: str) -> None:
        epoch, batch = await self._batch(user_id)
        for row in batch["left_running"]:
            await end_without_result(self._ctx, user_id, Step(lock=self._owner, **row), INTERRUPTED)
        if not any(batch[kind] for kind in KINDS):
            return
        written: Counter[str] = Counter()
        async with running(self._ctx, user_id, REEMBED, Inputs(forget_epoch=epoch)) as step:
            while any(batch[kind] for kind in KINDS):
                fresh = await self._embed(user_id, epoch, batch)
                written.update(fresh)
                epoch, batch = await self._batch(user_id)
                if not sum(fresh.values()):
                    break  # it changed while it was embedded: the next round finds it

            async def end(tx: Tx, user: Row) -> Outcome:
                return Outcome(counts=dict(written), model=self._mine.name)

            await write_step(self._ctx, user_id, replace(step, forget_epoch=epoch), end)

    async def _batch(self, user_id: str) -> tuple[int, Row]:
        async def read(tx: Tx) -> tuple[int, Row]:
            epoch = await read_epoch(tx, user_id)
            row = await tx.one("vectors_missing", user_id=user_id, limit=BATCH)
            assert row is not None, "the query gives one row"
            return epoch, row

        return await self._ctx.store.read(user_id, read)

    async def _missing_of(self, user_id: str) -> int:
        async def read(tx: Tx) -> Row | None:
            return await tx.one("count_missing_vectors", user_id=user_id)

        row = await self._ctx.store.read(user_id, read)
        return int(row["missing"]) if row else 0

    async def _embed(self, user_id: str, epoch: int, batch: Row) -> Counter[str]:
        """Embed a batch and write it, unless something was forgotten meanwhile; how many of each kind were written."""
        texts = await _texts(self._ctx.embedder, batch)
        vectors = iter(await self._ctx.embedder.embed(texts, "document"))
        rows = {
            kind: [{"id": row["id"], "mark": row["mark"], "vector": next(vectors)} for row in batch[kind]]
            for kind in KINDS
        }
        lock = self._ctx.clock.new_id()

        async def write(tx: Tx) -> Row:
            user = await tx.one("lock_user", user_id=user_id, lock=lock)
            if user is None or user["forget_epoch"] != epoch:
                return {}
            ensure_vectors(self._ctx, user, REEMBED)
            return await tx.one("write_other_vectors", user_id=user_id, **rows) or {}

        written: Counter[str] = Counter(await self._ctx.store.write(user_id, write))
        self._done.update(written)
        if self._on_progress:
            self._on_progress(self._done.total(), max(self._total, self._done.total()))
        return written

    def _exchange(self) -> None:
        connection = self._ctx.store.connection
        connection.search_in(connection.other_vectors)

    async def _swap(self) -> None:
        connection = self._ctx.store.connection

        async def swap(tx: Tx) -> Row | None:
            return await tx.one("swap_vectors", job=REEMBED, owner=self._owner, property=connection.other_vectors)

        if await connection.write(swap) is None:
            raise TryAgain("another process changes the embedding model; try again")

    async def _clear(self) -> None:
        """Remove the vectors that are not searched, with their indexes."""
        ctx = self._ctx
        await self._set(Stage.CLEARING)
        await drop_other_vectors(ctx.store.connection)
        async for user_id in users(ctx):
            removed = REMOVED_AT_ONCE
            while removed >= REMOVED_AT_ONCE:
                removed = await _remove(ctx, user_id)
        await self._set(Stage.NONE)

    async def _set(self, stage: Stage, following: Model | None = None) -> None:
        async def write(tx: Tx) -> None:
            name, dimension = (following.name, following.dimension) if following else (None, None)
            await tx.run("set_reembed", reembed=stage.value, next_model=name, next_dimension=dimension)

        await self._ctx.store.connection.write(write)


async def vectors_now(ctx: Context) -> Vectors:
    """The model whose vectors are searched, and how far a change is."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("vectors_now")

    row = await ctx.store.read("", read)
    assert row is not None, "Meta is made at the first start"
    return Vectors.of(row)


async def users(ctx: Context) -> AsyncIterator[str]:
    """All users, in the order of their ids; those who come meanwhile too, if their ids do."""
    last = ""
    while True:

        async def batch(tx: Tx, last: str = last) -> list[Row]:
            return await tx.run("walk_users", after=last, limit=USERS_PER_BATCH)

        rows = await ctx.store.read("", batch)
        if not rows:
            return
        for row in rows:
            yield row["user_id"]
        last = rows[-1]["user_id"]


async def _texts(embedder: Embedder, batch: Mapping[str, Any]) -> list[str]:
    """The texts of all kinds, in their order. Passages keep their offsets, whatever the new model reads at once."""
    pages = [await embedded_text(embedder, row["page"], row["before"]) for row in batch["pages"]]
    passages = [row["text"][row["start"] : row["end"]] for row in batch["passages"]]
    facts = [row["text"] for row in batch["facts"]]
    return [*pages, *passages, *facts, *(topic_text(row["summary"], row["keywords"]) for row in batch["segments"])]


async def _wait_for_writers(ctx: Context, user_id: str) -> None:
    """Who writes vectors of the old model still holds the lock; who comes later sees the new one, and refuses."""
    lock = ctx.clock.new_id()

    async def write(tx: Tx) -> None:
        await tx.run("lock_user", user_id=user_id, lock=lock)

    await ctx.store.write(user_id, write)


async def _remove(ctx: Context, user_id: str) -> int:
    lock = ctx.clock.new_id()

    async def write(tx: Tx) -> int:
        await tx.run("lock_user", user_id=user_id, lock=lock)
        row = await tx.one("remove_other_vectors", user_id=user_id, limit=REMOVED_AT_ONCE)
        return int(row["removed"]) if row else 0

    return await ctx.store.write(user_id, write)


@asynccontextmanager
async def _lease(ctx: Context, owner: str) -> AsyncIterator[None]:
    """The right to change the model, kept while the block runs; a dead process loses it after 10 s."""

    async def claim(tx: Tx) -> Row | None:
        return await tx.one("claim_job", job=REEMBED, owner=owner, lease_s=LEASE_S, done_before=NEVER)

    async def keep() -> None:
        while True:
            await asyncio.sleep(LEASE_S / 4)
            with suppress(TryAgain):
                await ctx.store.connection.write(claim)

    try:
        async with asyncio.timeout(LEASE_WAIT_S):
            while await ctx.store.connection.write(claim) is None:
                await asyncio.sleep(LEASE_POLL_S)
    except TimeoutError:
        raise TryAgain("another process changes the embedding model; try again") from None
    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError, MemoryosError):
            await keeping
        now = ctx.clock.now()

        async def give_back(tx: Tx) -> None:
            await tx.run("finish_job", job=REEMBED, owner=owner, now=now, value=None)

        await ctx.store.connection.write(give_back)
