"""What every step has in common: it begins with a Run, asks, and writes once if what was read is unchanged."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar, cast

from ..context import Context
from ..contract import RunOut
from ..domain.budget import day_of
from ..domain.event import EventKind, next_event
from ..domain.page import Page
from ..domain.usage import ModelCall, total_tokens
from ..errors import MemoryosError, ModelBudgetSpent, ModelChanged, ModelError, TryAgain
from ..llm.provider import Reply
from ..store.connection import Row, Tx
from ..store.records import run_of
from ..store.vectors import Model, ensure_model

T = TypeVar("T")
log = logging.getLogger("memoryos_graph.work")

LONGEST_WAIT_S = 300.0
INPUTS_CHANGED, INTERRUPTED, STOPPED = "inputs_changed", "interrupted", "stopped"
REEMBED = "reembed"
PARKING = ("index", "promote")  # a batch of migration is never parked: it migrates without a model instead


class InputsChanged(Exception):
    """What a step computed from is not what is stored now: the result is dropped, the work is due again."""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a step works for, and the user's forget_epoch, read before anything that the step computes from."""

    forget_epoch: int
    page_ids: Sequence[str] = ()
    segment_ids: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Step:
    """One execution of a step, stored as a Run in state `running`; `attempts` counts this one."""

    kind: str
    run_id: str
    lock: str
    started_at: datetime
    forget_epoch: int = 0
    attempts: int = 1
    calls: list[ModelCall] = field(default_factory=list)

    async def ask(self, asking: Awaitable[Reply[T]]) -> Reply[T]:
        """The provider's reply; what its calls cost is kept, also when it fails."""
        try:
            reply = await asking
        except ModelError as exc:
            self.calls.extend(exc.calls)
            raise
        self.calls.extend(reply.calls)
        return reply


@dataclass(frozen=True)
class Noted:
    """Something that people should see in the user's timeline: an Event to be."""

    kind: EventKind
    ids: Sequence[str]
    numbers: Mapping[str, float]
    actor: str = "system"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a step did: counts for the Run, and the Events; without any, one of the step's kind has the counts."""

    counts: Mapping[str, int]
    rejected: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    prompt_hash: str = ""
    events: Sequence[Noted] = ()


async def read_epoch(tx: Tx, user_id: str) -> int:
    """The user's forget_epoch; read first, so that a forget during the other reads is noticed (I15)."""
    row = await tx.one("forget_epoch", user_id=user_id)
    return int(row["forget_epoch"]) if row else 0


async def check_unchanged(tx: Tx, user_id: str, pages: Sequence[Page]) -> None:
    """Raises InputsChanged unless the pages that a step has read are still there, with the same content."""
    rows = [{"page_id": page.page_id, "content_hash": page.content_hash} for page in pages]
    found = await tx.one("pages_unchanged", user_id=user_id, rows=rows)
    if found is None or found["unchanged"] != len(rows):
        raise InputsChanged


@asynccontextmanager
async def running(
    ctx: Context, user_id: str, kind: str, inputs: Inputs, *, budgeted: bool = False
) -> AsyncIterator[Step]:
    """A step from its first write on: what goes wrong in the block ends its Run as failed, and is raised.

    Raises InputsChanged, ModelChanged and ModelBudgetSpent (with `budgeted`) before the block: no Run is begun, no
    attempt counted.
    """
    step = await _begin(ctx, user_id, kind, inputs, budgeted=budgeted)
    try:
        yield step
    except asyncio.CancelledError:
        await end_without_result(ctx, user_id, step, STOPPED)
        raise
    except Exception as exc:
        code = exc.code if isinstance(exc, MemoryosError) else "internal"
        await end_without_result(ctx, user_id, step, code, counted=not isinstance(exc, TryAgain | ModelChanged))
        raise


async def _begin(ctx: Context, user_id: str, kind: str, inputs: Inputs, *, budgeted: bool) -> Step:
    step = Step(kind=kind, run_id=ctx.clock.new_id(), lock=ctx.clock.new_id(), started_at=ctx.clock.now())

    async def begin(tx: Tx) -> Row:
        user = await tx.one("lock_user", user_id=user_id, lock=step.lock)
        if user is None or user["forget_epoch"] != inputs.forget_epoch:
            raise InputsChanged
        ensure_vectors(ctx, user, kind)
        if budgeted and resumes_at(ctx, user):
            raise ModelBudgetSpent
        row = await tx.one(
            "begin_run",
            user_id=user_id,
            run=run_begun(user_id, step) | {"state": "running"},
            page_ids=list(inputs.page_ids),
            segment_ids=list(inputs.segment_ids),
        )
        assert row is not None, "the user is locked"
        return row

    begun = await ctx.store.write(user_id, begin)
    return Step(
        **{name: getattr(step, name) for name in ("kind", "run_id", "lock", "started_at")},
        forget_epoch=inputs.forget_epoch,
        attempts=begun["attempts"],
    )


async def write_step(ctx: Context, user_id: str, step: Step, work: Callable[[Tx, Row], Awaitable[Outcome]]) -> RunOut:
    """Lock the user, run `work(tx, user)`, and end its Run with its Event in the same transaction.

    `work` checks its inputs first and raises InputsChanged; then, and after a forget since they were read, nothing is
    written but a failed Run that says `inputs_changed`. The attempts of what was worked for count anew.
    """
    ended_at = ctx.clock.now()

    async def locked(tx: Tx) -> RunOut:
        user = await tx.one("lock_user", user_id=user_id, lock=step.lock)
        if user is None or user["forget_epoch"] != step.forget_epoch:
            raise InputsChanged
        ensure_vectors(ctx, user, step.kind)
        outcome = await work(tx, user)
        end = _end(step, ended_at, "done") | {
            "counts": json.dumps(outcome.counts),
            "rejected": json.dumps(outcome.rejected),
            "model": outcome.model,
            "prompt_hash": outcome.prompt_hash,
        }
        row = await tx.one("finish_run", user_id=user_id, run_id=step.run_id, end=end, **_spent(step, ended_at))
        if row is None:  # another process took the lease and gave this run up
            raise InputsChanged
        events = outcome.events or [Noted(cast(EventKind, step.kind), [step.run_id], outcome.counts)]
        await append_events(ctx, tx, user_id, user, events, ended_at)
        return run_of(row["run"])

    try:
        run = await ctx.store.write(user_id, locked)
    except InputsChanged:
        return await end_without_result(ctx, user_id, step, INPUTS_CHANGED)
    ctx.metrics.ended(run)
    return run


async def end_without_result(ctx: Context, user_id: str, step: Step, code: str, *, counted: bool = False) -> RunOut:
    """End the Run of a step as failed. With `counted`, what it worked for waits 2, 4, 8 … 300 s, and is parked once
    its attempts have reached `step_attempts`; else the attempt is taken back and the work is due at once."""
    now, limit = ctx.clock.now(), ctx.settings.step_attempts
    last = counted and 0 < limit <= step.attempts
    parked = last and step.kind in PARKING
    wait_s = min(LONGEST_WAIT_S, 2.0 ** min(step.attempts, 20)) if counted and not last else 0.0
    log.warning("step failed", extra={"step": step.kind, "run_id": step.run_id, "error_code": code})

    async def fail(tx: Tx) -> Row | None:
        await tx.run("lock_user", user_id=user_id, lock=step.lock)
        return await tx.one(
            "fail_run",
            user_id=user_id,
            run_id=step.run_id,
            end=_end(step, now, "parked" if parked else "failed") | {"error_code": code},
            undone=0 if counted else 1,
            next_try_at=now + timedelta(seconds=wait_s),
            parked=parked,
            retry_at=retry_at(ctx, now),
            **_spent(step, now),
        )

    row = await ctx.store.write(user_id, fail)
    run = run_of(row["run"] if row else run_begun(user_id, step) | {"state": "failed", "error_code": code})
    ctx.metrics.ended(run)
    return run


def ensure_vectors(ctx: Context, user: Row, kind: str = "") -> None:
    """Refuse to write vectors of a model that the database no longer has; `user` as lock_user or claim_user gives."""
    mine = Model(ctx.embedder.model_id, ctx.embedder.dimension)
    ensure_model(user["vectors"], mine, or_next=kind == REEMBED)


def resumes_at(ctx: Context, user: Row) -> datetime | None:
    """When this user's work may call the model again, if the budget of the day is spent; `user` as lock_user gives."""
    return ctx.settings.budget.resumes_at(user["spent_calls"], user["spent_tokens"], user["spent_day"], ctx.clock.now())


def retry_at(ctx: Context, now: datetime) -> datetime | None:
    """When work parked now is tried again without being asked for; None when only by hand."""
    wait_s = ctx.settings.parked_retry_s
    return now + timedelta(seconds=wait_s) if wait_s else None


def run_begun(user_id: str, step: Step) -> Row:
    """The properties of a Run node that has no result yet."""
    return {
        "user_id": user_id,
        "run_id": step.run_id,
        "kind": step.kind,
        "attempts": step.attempts,
        "started_at": step.started_at,
        "ended_at": None,
        "counts": "{}",
        "rejected": "{}",
        "model": "",
        "prompt_hash": "",
        "calls": "[]",
        "model_calls": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "error_code": None,
    }


def _end(step: Step, ended_at: datetime, state: str) -> Row:
    tokens_in, tokens_out = total_tokens(step.calls)
    return {
        "state": state,
        "ended_at": ended_at,
        "calls": json.dumps([asdict(call) for call in step.calls]),
        "model_calls": len(step.calls),
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
    }


def _spent(step: Step, at: datetime) -> Row:
    return {"day": day_of(at), "calls": len(step.calls), "tokens": sum(total_tokens(step.calls))}


async def append_events(ctx: Context, tx: Tx, user_id: str, user: Row, events: Sequence[Noted], at: datetime) -> None:
    """Append to the user's chain, whose head is in `user` as lock_user gives it; once in a transaction."""
    seq, head = user["event_seq"], user["event_head"]
    for noted in events:
        event = next_event(
            ctx.secret,
            user_id,
            seq=seq,
            head=head,
            kind=noted.kind,
            at=at,
            ids=noted.ids,
            numbers=noted.numbers,
            actor=noted.actor,
        )
        await tx.run("append_event", user_id=user_id, event=event)
        seq, head = event["seq"], event["hash"]
