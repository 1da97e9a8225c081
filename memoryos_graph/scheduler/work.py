"""One user's due work, step by step, until nothing is due."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ..context import Context
from ..contract import RunOut
from ..curation.erasing import finish_forgets
from ..curation.expiring import expire
from ..domain.budget import day_of
from ..domain.session import PAUSE
from ..domain.validity import NEVER
from ..errors import Conflict, MemoryosError, ModelBudgetSpent, ModelChanged, TryAgain, UserBusy
from ..pipeline.archiving import archive
from ..pipeline.indexing import index, index_due
from ..pipeline.migration import migrate, migration_due
from ..pipeline.promotion import promote, promotion_due
from ..pipeline.step import (
    INTERRUPTED,
    LONGEST_WAIT_S,
    InputsChanged,
    Noted,
    Step,
    append_events,
    end_without_result,
    ensure_vectors,
    resumes_at,
    run_begun,
)
from ..pipeline.summarizing import summarize, summary_due
from ..recall.listing import get_run
from ..store.connection import Row, Tx

log = logging.getLogger("memoryos_graph.work")

LEASE_S = 20
LEASE_WAIT_S = 60.0
LEASE_POLL_S = 0.1


@dataclass(frozen=True)
class Asked:
    """How a step is asked for: with `force` whatever capacity and heat say; what failed only if its wait is over by
    `due_before`."""

    force: bool
    due_before: datetime


StepFunction = Callable[[Context, str, Asked], Awaitable[RunOut | None]]


async def _index(ctx: Context, user_id: str, asked: Asked) -> RunOut | None:
    return await index(ctx, user_id, due_before=asked.due_before)


async def _migrate(ctx: Context, user_id: str, asked: Asked) -> RunOut | None:
    return await migrate(ctx, user_id, force=asked.force, due_before=asked.due_before)


async def _promote(ctx: Context, user_id: str, asked: Asked) -> RunOut | None:
    return await promote(ctx, user_id, force=asked.force, due_before=asked.due_before)


async def _archive(ctx: Context, user_id: str, asked: Asked) -> RunOut | None:
    return await archive(ctx, user_id)


async def _summarize(ctx: Context, user_id: str, asked: Asked) -> RunOut | None:
    return await summarize(ctx, user_id, due_before=asked.due_before)


STEPS: dict[str, StepFunction] = {
    "index": _index,
    "migrate": _migrate,
    "promote": _promote,
    "archive": _archive,
    "summarize": _summarize,
}


@dataclass(frozen=True)
class Lease:
    """The right to work for a user, by the database's clock, and what was found when it was given: the newest turn,
    runs that a dead process left, whether parked work is to be tried again, and when the first session ends that holds
    turns of its own only."""

    owner: str
    page_seq: int
    failures: int
    left_running: Sequence[Row] = ()
    retry: bool = False
    forgetting: bool = False
    session_ends_at: datetime | None = None


@dataclass
class _Pass:
    """What one pass over a user's steps has met; the first error is raised at its end."""

    runs: list[RunOut] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    in_a_row: int = 0

    def failed(self, exc: Exception) -> bool:
        """Note a failure. Whether it ends the pass: two in a row are no longer the fault of one item."""
        self.errors.append(exc)
        self.in_a_row += 1
        return self.in_a_row == 2


async def take_lease(ctx: Context, user_id: str, owner: str) -> Lease | None:
    """Become the one process that works for this user; None when another one is, or there is no such user.

    Raises ModelChanged: nothing was taken.
    """
    now = ctx.clock.now()

    async def claim(tx: Tx) -> Row | None:
        row = await tx.one("claim_user", user_id=user_id, owner=owner, lease_s=LEASE_S, now=now)
        if row is not None:
            ensure_vectors(ctx, row)
        return row

    row = await ctx.store.write(user_id, claim)
    if row is None:
        return None
    return Lease(
        owner,
        row["page_seq"],
        row["failures"],
        row["left_running"],
        bool(row["retry"]),
        bool(row["forgetting"]),
        session_end(row),
    )


def session_end(row: Row) -> datetime | None:
    """When the first session is over that holds turns of its own only, if nothing is said in it any more."""
    last_at: datetime | None = row["session_ends_at"]
    return last_at + PAUSE if last_at else None


async def work_through(
    ctx: Context, user_id: str, steps: list[str], *, force: bool = False, on_run: Callable[[RunOut], None] | None = None
) -> list[RunOut]:
    """Do the named steps in order, each until nothing of it is left, and give the runs made.

    By hand: what failed before is tried at once, once. Waits up to 60 s while another process works for this user,
    then raises UserBusy. A failing step is stored as a failed Run, the work stays due, what else is due is done, and
    the first error is raised.
    """
    owner = ctx.clock.new_id()
    lease = await _wait_for_lease(ctx, user_id, owner)
    if lease is None:
        return []
    return await work_under_lease(ctx, user_id, lease, steps, force=force, by_hand=True, on_run=on_run)


async def work_under_lease(
    ctx: Context,
    user_id: str,
    lease: Lease,
    steps: list[str],
    *,
    force: bool = False,
    by_hand: bool = False,
    on_run: Callable[[RunOut], None] | None = None,
    most_runs: int | None = None,
) -> list[RunOut]:
    """As `work_through`, with a lease that the caller has taken; gives the lease back in any case.

    Unless `by_hand`, what failed waits its time. After `most_runs` runs the rest stays due, behind the work of others.
    """
    done = _Pass()

    def note(run: RunOut) -> None:
        done.runs.append(run)
        if on_run:
            on_run(run)

    async with _renewed(ctx, user_id, lease):
        try:
            await _tidy(ctx, user_id, lease)
            await _do(ctx, user_id, steps, done, note, force=force, by_hand=by_hand, most_runs=most_runs)
            due_at = await next_due_at(ctx, user_id)
        except Exception:
            await _settle(ctx, user_id, lease, lease.failures + 1, _later(ctx, lease), keep_due=True)
            raise
        fruitless = bool(done.errors) and not any(run.error_code is None for run in done.runs)
        failures = lease.failures + 1 if fruitless else 0
        due_at = max(due_at, _later(ctx, lease)) if fruitless else due_at
        await _settle(ctx, user_id, lease, failures, due_at, keep_due=False)
    if done.errors:
        raise done.errors[0]
    return done.runs


async def _tidy(ctx: Context, user_id: str, lease: Lease) -> None:
    """Before the steps: finish what is being forgotten, forget what was of a session only, end the runs of a process
    that died, try parked work again, write visits."""
    if lease.forgetting:
        await finish_forgets(ctx, user_id)
    if lease.session_ends_at is not None and lease.session_ends_at <= ctx.clock.now():
        await expire(ctx, user_id)
    for row in lease.left_running:
        step = Step(lock=lease.owner, **row)
        await end_without_result(ctx, user_id, step, INTERRUPTED, counted=True)
    if lease.retry:
        await retry_parked(ctx, user_id)
    await flush_visits(ctx, user_id)


async def _do(
    ctx: Context,
    user_id: str,
    steps: list[str],
    done: _Pass,
    note: Callable[[RunOut], None],
    *,
    force: bool,
    by_hand: bool,
    most_runs: int | None,
) -> None:
    for name in steps:
        asked = Asked(force, NEVER if by_hand else ctx.clock.now())
        while len(done.runs) != most_runs:
            try:
                run = await STEPS[name](ctx, user_id, asked)
            except InputsChanged:
                break  # before anything was begun: due again at once
            except ModelBudgetSpent as exc:
                await _defer(ctx, user_id, name)
                done.errors.append(exc)
                break
            except Exception as exc:  # recorded on its run; what else is due must not wait for it
                if done.failed(exc):
                    return
                asked = Asked(force, ctx.clock.now())
                continue
            if run is None:
                break
            note(run)
            if run.error_code:
                break
            done.in_a_row = 0


async def next_due_at(ctx: Context, user_id: str) -> datetime:
    """When there is work for this user by what the graph says now; NEVER when there is none. Five statements."""

    async def read(tx: Tx) -> datetime:
        user = await tx.one("user_budget", user_id=user_id)
        if user is None:
            return NEVER
        if user["forgetting"]:
            return ctx.clock.now()
        resume = resumes_at(ctx, user) or ctx.clock.now()
        asking = min([await due(ctx, tx, user_id) for due in (migration_due, promotion_due, summary_due)])
        waiting = max(asking, resume) if asking < NEVER else NEVER
        ending = session_end(user) or NEVER
        return min(await index_due(ctx, tx, user_id), waiting, user["retry_at"] or NEVER, ending)

    return await ctx.store.read(user_id, read)


async def retry_parked(ctx: Context, user_id: str) -> int:
    """Make all parked work of this user due again, with all its attempts; how many runs had parked some."""

    async def parked(tx: Tx) -> list[Row]:
        return await tx.run("parked_runs", user_id=user_id)

    run_ids = [row["run_id"] for row in await ctx.store.read(user_id, parked)]
    return await _retry(ctx, user_id, run_ids, actor="system")


async def retry_run(ctx: Context, user_id: str, run_id: str) -> RunOut:
    """Make what a failed or parked run worked for due at once, with all its attempts.

    Raises NotFound, and Conflict for a run that did not fail.
    """
    run = await get_run(ctx, user_id, run_id)
    if not await _retry(ctx, user_id, [run.run_id], actor="caller"):
        raise Conflict(f"this run is {run.state}: only a failed or parked one can be tried again")
    return await get_run(ctx, user_id, run_id)


async def _retry(ctx: Context, user_id: str, run_ids: list[str], *, actor: str) -> int:
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def write(tx: Tx) -> int:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        row = await tx.one("retry_runs", user_id=user_id, run_ids=run_ids, now=now)
        retried = int(row["retried"]) if row else 0
        if user is not None and retried:
            await append_events(ctx, tx, user_id, user, [Noted("retry", run_ids, {"runs": retried}, actor)], now)
        return retried

    return await ctx.store.write(user_id, write)


async def _defer(ctx: Context, user_id: str, kind: str) -> None:
    """Let one Run of the day say that this user's budget is spent."""
    now = ctx.clock.now()
    step = Step(kind=kind, run_id=ctx.clock.new_id(), lock=ctx.clock.new_id(), started_at=now, attempts=0)
    run = run_begun(user_id, step) | {"state": "failed", "ended_at": now, "error_code": ModelBudgetSpent.code}

    async def write(tx: Tx) -> None:
        await tx.run("lock_user", user_id=user_id, lock=step.lock)
        await tx.run("defer_work", user_id=user_id, day=day_of(now), run=run)

    await ctx.store.write(user_id, write)


def _later(ctx: Context, lease: Lease) -> datetime:
    wait_s = min(LONGEST_WAIT_S, 2.0 ** min(lease.failures + 1, 20))
    return ctx.clock.now() + timedelta(seconds=wait_s)


@asynccontextmanager
async def _renewed(ctx: Context, user_id: str, lease: Lease) -> AsyncIterator[None]:
    """Keep the lease while the block runs, however long a step takes, such as loading a model."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(LEASE_S / 4)
            try:
                await take_lease(ctx, user_id, lease.owner)
            except (TryAgain, ModelChanged) as exc:
                log.warning("lease not renewed", extra={"error_code": exc.code})

    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing


async def flush_visits(ctx: Context, user_id: str) -> None:
    """Write the visits of this user that searches of this process have gathered."""
    rows = ctx.visits.take(user_id)
    if not rows:
        return
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def write(tx: Tx) -> None:
        await tx.run("lock_user", user_id=user_id, lock=lock)
        await tx.run("add_visits", user_id=user_id, rows=rows, now=now)

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
    # When the graph itself could not be worked on, the wait holds for new turns too: they would meet the same failure.
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
