"""One user's due work, step by step, until nothing is due."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..context import Context
from ..contract import RunOut
from ..errors import MemoryosError, TryAgain, UserBusy
from ..pipeline.indexing import index
from ..pipeline.migration import migrate
from ..pipeline.promotion import next_promotion_at, promote
from ..pipeline.step import Step, run_properties
from ..store.connection import Row, Tx

log = logging.getLogger("memoryos_graph.work")

LEASE_S = 20
LEASE_WAIT_S = 60.0
LEASE_POLL_S = 0.1
LONGEST_BACKOFF_S = 300.0

StepFunction = Callable[[Context, str, bool], Awaitable[RunOut | None]]


async def _index(ctx: Context, user_id: str, force: bool) -> RunOut | None:
    return await index(ctx, user_id)


async def _migrate(ctx: Context, user_id: str, force: bool) -> RunOut | None:
    return await migrate(ctx, user_id, force=force)


async def _promote(ctx: Context, user_id: str, force: bool) -> RunOut | None:
    return await promote(ctx, user_id, force=force)


STEPS: dict[str, StepFunction] = {"index": _index, "migrate": _migrate, "promote": _promote}


@dataclass(frozen=True)
class Lease:
    """The right to work for a user, by the database's clock; `page_seq` is the newest turn seen when it was given."""

    owner: str
    page_seq: int
    failures: int


async def take_lease(ctx: Context, user_id: str, owner: str) -> Lease | None:
    """Become the one process that works for this user; None when another one is, or there is no such user."""

    async def claim(tx: Tx) -> Row | None:
        return await tx.one("claim_user", user_id=user_id, owner=owner, lease_s=LEASE_S)

    row = await ctx.store.write(user_id, claim)
    return Lease(owner, row["page_seq"], row["failures"]) if row else None


async def work_through(
    ctx: Context, user_id: str, steps: list[str], *, force: bool = False, on_run: Callable[[RunOut], None] | None = None
) -> list[RunOut]:
    """Do the named steps in order, each until nothing of it is due, and give the runs made.

    Waits up to 60 s while another process works for this user, then raises UserBusy. A failing step is stored as a
    failed
    Run, the work stays due, and the error is raised.
    """
    owner = ctx.clock.new_id()
    lease = await _wait_for_lease(ctx, user_id, owner)
    if lease is None:
        return []
    return await work_under_lease(ctx, user_id, lease, steps, force=force, on_run=on_run)


async def work_under_lease(
    ctx: Context,
    user_id: str,
    lease: Lease,
    steps: list[str],
    *,
    force: bool = False,
    on_run: Callable[[RunOut], None] | None = None,
    most_runs: int | None = None,
) -> list[RunOut]:
    """As `work_through`, with a lease that the caller has taken; gives the lease back in any case.

    After `most_runs` runs the rest stays due, behind the work of others.
    """
    async with _renewed(ctx, user_id, lease):
        return await _work(ctx, user_id, lease, steps, force=force, on_run=on_run, most_runs=most_runs)


@asynccontextmanager
async def _renewed(ctx: Context, user_id: str, lease: Lease) -> AsyncIterator[None]:
    """Keep the lease while the block runs, however long a step takes, such as loading a model."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_S / 4)
            try:
                await take_lease(ctx, user_id, lease.owner)
            except TryAgain as exc:
                log.warning("lease not renewed", extra={"error_code": exc.code})

    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing


async def _work(
    ctx: Context,
    user_id: str,
    lease: Lease,
    steps: list[str],
    *,
    force: bool,
    on_run: Callable[[RunOut], None] | None,
    most_runs: int | None,
) -> list[RunOut]:
    runs: list[RunOut] = []
    begun = Step.begin(ctx, "work")
    try:
        await flush_visits(ctx, user_id)
        for name in steps:
            while True:
                begun = Step.begin(ctx, name)
                run = await STEPS[name](ctx, user_id, force)
                if run is None:
                    break
                runs.append(run)
                if on_run:
                    on_run(run)
                if len(runs) == most_runs:
                    await _settle(ctx, user_id, lease, 0, ctx.clock.now(), keep_due=False)
                    return runs
        due_at = await next_promotion_at(ctx, user_id)
    except Exception as exc:  # every failure is recorded on its run, then handed on
        await _record_failure(ctx, user_id, begun, exc)
        failures = lease.failures + 1
        wait = timedelta(seconds=min(LONGEST_BACKOFF_S, 2.0**failures))
        await _settle(ctx, user_id, lease, failures, ctx.clock.now() + wait, keep_due=True)
        raise
    complete = set(steps) == set(STEPS)
    await _settle(ctx, user_id, lease, 0, due_at if complete else ctx.clock.now(), keep_due=False)
    return runs


async def flush_visits(ctx: Context, user_id: str) -> None:
    """Write the visits of this user that searches of this process have gathered."""
    rows = ctx.visits.take(user_id)
    if not rows:
        return
    lock = ctx.clock.new_id()

    async def write(tx: Tx) -> None:
        await tx.run("lock_user", user_id=user_id, lock=lock)
        await tx.run("add_visits", user_id=user_id, rows=rows)

    try:
        await ctx.store.write(user_id, write)
    except MemoryosError:
        ctx.visits.give_back(user_id, rows)
        raise


async def _wait_for_lease(ctx: Context, user_id: str, owner: str) -> Lease | None:
    async def exists(tx: Tx) -> Row | None:
        return await tx.one("user_due", user_id=user_id, now=ctx.clock.now())

    if await ctx.store.read(user_id, exists) is None:
        return None
    try:
        async with asyncio.timeout(LEASE_WAIT_S):
            while (lease := await take_lease(ctx, user_id, owner)) is None:
                await asyncio.sleep(LEASE_POLL_S)
    except TimeoutError:
        raise UserBusy("another process has been working for this user for a minute; try again") from None
    return lease


async def _settle(ctx: Context, user_id: str, lease: Lease, failures: int, due_at: datetime, *, keep_due: bool) -> None:
    # After a failure the wait holds for new turns too: they would meet the same failure.
    now = due_at if keep_due else ctx.clock.now()

    async def settle(tx: Tx) -> None:
        await tx.run(
            "settle_user",
            user_id=user_id,
            owner=lease.owner,
            page_seq=lease.page_seq,
            failures=failures,
            due_at=due_at,
            now=now,
        )

    await ctx.store.write(user_id, settle)


async def _record_failure(ctx: Context, user_id: str, step: Step, exc: Exception) -> None:
    code = exc.code if isinstance(exc, MemoryosError) else "internal"
    log.warning("step failed", extra={"step": step.kind, "run_id": step.run_id, "error_code": code})
    run = run_properties(user_id, step, ctx.clock.now(), error_code=code)

    async def write(tx: Tx) -> None:
        await tx.run("write_run", run=run)

    await ctx.store.write(user_id, write)
