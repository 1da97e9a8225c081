"""The background worker of an open service: looks for due users and works for them, one after the other."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from ..context import Context
from ..errors import MemoryosError, ModelChanged
from ..store.connection import Row, Tx
from .work import STEPS, flush_visits, take_lease, work_under_lease

log = logging.getLogger("memoryos_graph.work")

USERS_PER_LOOK = 20
RUNS_PER_TURN = 10  # so that one user with a long backlog does not keep the others waiting


class Worker:
    """Runs from `start` to `stop`. A failure of one user's work is recorded and never ends the loop (case L2)."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._task: asyncio.Task[None] | None = None
        self._nudge = asyncio.Event()
        self.failing: dict[str, str] = {}

    def start(self) -> None:
        """Begin to work in the background."""
        self._task = asyncio.create_task(self._loop(), name="memoryos-worker")

    async def stop(self) -> None:
        """End after the statement at hand; what is undone stays due and is found by the next process."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    def nudge(self) -> None:
        """Look at once: this process has just made work due, or it is time to look (scheduler.timetable)."""
        self._nudge.set()

    @property
    def alive(self) -> bool:
        """Whether the loop is running."""
        return self._task is not None and not self._task.done()

    async def _loop(self) -> None:
        try:
            await self._ctx.embedder.warm_up()
        except MemoryosError as exc:  # every index step will say so of its user
            log.error("the embedding model can't be loaded", extra={"error_code": exc.code})
        while True:
            self._nudge.clear()
            try:
                worked = await self.look()
            except MemoryosError as exc:
                worked = False
                log.warning("cannot look for due work", extra={"error_code": exc.code})
            if not worked:
                await self._nudge.wait()

    async def look(self) -> bool:
        """Work once for every due user; whether there was one."""
        ctx = self._ctx

        async def due(tx: Tx) -> list[Row]:
            return await tx.run("due_users", now=ctx.clock.now(), limit=USERS_PER_LOOK)

        user_ids = [row["user_id"] for row in await ctx.store.read("", due)]
        for user_id in user_ids:
            await self.work_for(user_id)
        await self.flush()
        return bool(user_ids)

    async def flush(self) -> None:
        """Write the visits that searches of this process have gathered."""
        for user_id in self._ctx.visits.users():
            await flush_visits(self._ctx, user_id)

    async def work_for(self, user_id: str) -> bool:
        """One pass over the due work of a user, unless another process has it; a failure is recorded, not raised.

        Whether it was this process's turn.
        """
        ctx, lease = self._ctx, None
        try:
            lease = await take_lease(ctx, user_id, ctx.clock.new_id())
            if lease is not None:
                await work_under_lease(ctx, user_id, lease, list(STEPS), most_runs=RUNS_PER_TURN)
            self.failing.pop(user_id, None)
        except ModelChanged:  # the same for every user: this process has to be started again
            raise
        except Exception as exc:  # recorded on its run; the next user must not wait for it
            self.failing[user_id] = exc.code if isinstance(exc, MemoryosError) else "internal"
            if not isinstance(exc, MemoryosError):
                log.error("step failed", extra={"error_type": type(exc).__name__})
        return lease is not None
