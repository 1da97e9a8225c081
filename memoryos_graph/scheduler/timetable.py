"""What is done for all users by the clock: APScheduler decides when, a lease in the graph decides whether."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ..context import Context
from ..curation.expiring import expire, mark_stale
from ..domain.validity import NEVER
from ..errors import MemoryosError
from ..pipeline.cooling import refresh_heat
from ..pipeline.retention import prune
from ..store.connection import Row, Tx
from .work import take_lease, work_under_lease
from .worker import Worker

log = logging.getLogger("memoryos_graph.timetable")

JOB_LEASE_S = 120
USERS_PER_BATCH = 100
EVERY_S = {"heat": 3600.0, "archive": 86_400.0, "retention": 86_400.0}

Job = Callable[[Context, str], Awaitable[object]]


async def archive_user(ctx: Context, user_id: str) -> None:
    """Archive what is over capacity, unless another process works for this user, which then does it."""
    lease = await take_lease(ctx, user_id, ctx.clock.new_id())
    if lease is not None:
        await work_under_lease(ctx, user_id, lease, ["archive"])


async def retain(ctx: Context, user_id: str) -> None:
    """Let end what is kept for a time only, unless another process works for this user: then at the next time."""
    await prune(ctx, user_id)
    await expire(ctx, user_id)
    await mark_stale(ctx, user_id)


JOBS: dict[str, Job] = {"heat": refresh_heat, "archive": archive_user, "retention": retain}


async def _awaited(job: Callable[..., Awaitable[object]], *args: str) -> object:
    return await job(*args)


class Timetable:
    """Runs from `start` to `stop`, beside the worker, which it wakes every `worker_poll_s`."""

    def __init__(self, ctx: Context, worker: Worker) -> None:
        self._ctx = ctx
        self._worker = worker
        self._scheduler: AsyncIOScheduler | None = None
        self._at_work: set[asyncio.Task[object]] = set()
        self.failing: dict[str, str] = {}

    def start(self) -> None:
        """Begin to do jobs when their time comes."""
        logging.getLogger("apscheduler").setLevel(logging.ERROR)  # a line for each look for work helps nobody
        how = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=how)
        scheduler.add_job(self._wake, "interval", seconds=self._ctx.settings.worker_poll_s, id="work")
        scheduler.add_job(self._kept, "date", args=[self.compare_limits], id="limits")
        for name, seconds in EVERY_S.items():
            scheduler.add_job(self._kept, "interval", seconds=seconds, args=[self.run, name], id=name, jitter=60)
        scheduler.start()
        self._scheduler = scheduler

    async def stop(self) -> None:
        """End; a job at hand is cancelled, and done by the next process whose time for it comes."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None
        for task in self._at_work:
            task.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)

    @property
    def alive(self) -> bool:
        """Whether jobs are done in this process."""
        return self._scheduler is not None

    async def _kept(self, job: Callable[..., Awaitable[object]], *args: str) -> None:
        """Do a job as a task that `stop` can wait for: APScheduler cancels its own, but does not wait for their end."""
        task: asyncio.Task[object] = asyncio.ensure_future(_awaited(job, *args))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        with suppress(asyncio.CancelledError):  # the end of the scheduler, which would print it as a failure
            await asyncio.shield(task)

    async def _wake(self) -> None:
        self._worker.nudge()

    async def run(self, name: str) -> bool:
        """Do a job for all users, unless another process does it, or has done it in the last half of its time.

        A failure for one user is noted and does not keep the others waiting. Whether it was done.
        """
        owner = self._ctx.clock.new_id()
        done_before = self._ctx.clock.now() - timedelta(seconds=EVERY_S[name] / 2)
        try:
            if await self._claim(name, owner, done_before) is None:
                return False
            self.failing.pop(name, None)
            async for user_ids in self._users():
                for user_id in user_ids:
                    await self._do(name, user_id)
                if await self._claim(name, owner, done_before) is None:
                    return False
            await self._finish(name, owner, None)
        except MemoryosError as exc:
            self._note(name, exc)
            return False
        return True

    async def compare_limits(self) -> bool:
        """Make all users due when the limits of memory are not those of the last start (case U10); whether so."""
        settings, owner = self._ctx.settings, self._ctx.clock.new_id()
        limits = f"{settings.short_term_capacity} {settings.mid_term_capacity} {settings.knowledge_capacity}"
        try:
            lease = await self._claim("limits", owner, NEVER)
            if lease is None:
                return False
            changed = bool(lease["value"] != limits)
            if changed:
                async for user_ids in self._users():
                    await self._make_due(user_ids)
                    await self._claim("limits", owner, NEVER)
            await self._finish("limits", owner, limits)
        except MemoryosError as exc:
            self._note("limits", exc)
            return False
        self._worker.nudge()
        return changed

    async def _do(self, name: str, user_id: str) -> None:
        try:
            await JOBS[name](self._ctx, user_id)
        except Exception as exc:  # noted; the next user must not wait for it
            self._note(name, exc)

    def _note(self, name: str, exc: Exception) -> None:
        code = exc.code if isinstance(exc, MemoryosError) else "internal"
        self.failing[name] = code
        log.warning("job failed", extra={"job": name, "error_code": code, "error_type": type(exc).__name__})

    async def _users(self) -> AsyncIterator[list[str]]:
        last = ""
        while True:

            async def batch(tx: Tx, last: str = last) -> list[Row]:
                return await tx.run("walk_users", after=last, limit=USERS_PER_BATCH)

            user_ids = [row["user_id"] for row in await self._ctx.store.read("", batch)]
            if not user_ids:
                return
            yield user_ids
            last = user_ids[-1]

    async def _claim(self, name: str, owner: str, done_before: datetime) -> Row | None:
        async def claim(tx: Tx) -> Row | None:
            return await tx.one("claim_job", job=name, owner=owner, lease_s=JOB_LEASE_S, done_before=done_before)

        return await self._ctx.store.connection.write(claim)

    async def _finish(self, name: str, owner: str, value: str | None) -> None:
        now = self._ctx.clock.now()

        async def finish(tx: Tx) -> None:
            await tx.run("finish_job", job=name, owner=owner, now=now, value=value)

        await self._ctx.store.connection.write(finish)

    async def _make_due(self, user_ids: list[str]) -> None:
        now = self._ctx.clock.now()

        async def write(tx: Tx) -> None:
            await tx.run("make_due", user_ids=user_ids, now=now)

        await self._ctx.store.connection.write(write)
