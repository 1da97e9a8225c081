"""The last beat of every step: one transaction that writes only if what was read is unchanged."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ..context import Context
from ..contract import RunOut
from ..domain.event import next_event
from ..store.connection import Row, Tx
from ..store.records import run_of


class InputsChanged(Exception):
    """What a step computed from is not what is stored now: the result is dropped, the work is due again."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One execution of a step, named before its transaction, which may run twice."""

    kind: str
    run_id: str
    lock: str
    started_at: datetime

    @classmethod
    def begin(cls, ctx: Context, kind: str) -> Step:
        """A new execution, starting now."""
        return cls(kind=kind, run_id=ctx.clock.new_id(), lock=ctx.clock.new_id(), started_at=ctx.clock.now())


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a step did: counts for the Run, and the Event, if it is one that people should see."""

    counts: Mapping[str, int]
    rejected: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    prompt_hash: str = ""
    event: str | None = None
    ids: Sequence[str] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)


async def write_step(
    ctx: Context, user_id: str, step: Step, work: Callable[[Tx, Row], Awaitable[Outcome]]
) -> RunOut | None:
    """Lock the user, run `work(tx, user)`, and store its Run and Event in the same transaction.

    `work` checks its inputs first and raises InputsChanged, upon which nothing is written and None is given.
    """
    ended_at = ctx.clock.now()

    async def locked(tx: Tx) -> RunOut | None:
        user = await tx.one("lock_user", user_id=user_id, lock=step.lock)
        if user is None:
            return None
        run = run_properties(user_id, step, ended_at)
        await tx.run("write_run", run=run)
        outcome = await work(tx, user)
        run |= {
            "counts": json.dumps(outcome.counts),
            "rejected": json.dumps(outcome.rejected),
            "model": outcome.model,
            "prompt_hash": outcome.prompt_hash,
        }
        await tx.run("finish_run", user_id=user_id, run_id=step.run_id, run=run)
        if outcome.event:
            await tx.run("append_event", user_id=user_id, event=_event(ctx, user_id, user, outcome, ended_at))
        return run_of(run)

    try:
        return await ctx.store.write(user_id, locked)
    except InputsChanged:
        return None


def run_properties(user_id: str, step: Step, ended_at: datetime, *, error_code: str | None = None) -> Row:
    """The properties of a Run node, done or failed."""
    return {
        "user_id": user_id,
        "run_id": step.run_id,
        "kind": step.kind,
        "state": "failed" if error_code else "done",
        "started_at": step.started_at,
        "ended_at": ended_at,
        "counts": "{}",
        "rejected": "{}",
        "model": "",
        "prompt_hash": "",
        "error_code": error_code,
    }


def _event(ctx: Context, user_id: str, user: Row, outcome: Outcome, at: datetime) -> dict[str, object]:
    return next_event(
        ctx.secret,
        user_id,
        seq=user["event_seq"],
        head=user["event_head"],
        kind=outcome.event or "",
        at=at,
        ids=outcome.ids,
        numbers=outcome.numbers,
    )
