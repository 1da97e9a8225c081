"""Whether each part of a process can do its work now, and how much work is left."""

from __future__ import annotations

from .context import Context
from .contract import PartState, Readiness
from .errors import MemoryosError
from .pipeline import reembedding
from .scheduler.timetable import Timetable
from .scheduler.worker import Worker
from .store.connection import Row, Tx
from .store.vectors import Model, Stage


async def readiness(ctx: Context, worker: Worker, timetable: Timetable) -> Readiness:
    """The state of each part; `degraded` while some work fails or is parked."""
    parts = {
        "neo4j": await _database_state(ctx),
        "worker": _worker_state(worker),
        "timetable": _timetable_state(timetable),
        "model": _model_state(ctx),
    }
    if not parts["neo4j"].ok:
        return Readiness(status="not_ready", parts=parts)
    parts["embedder"] = await _embedder_state(ctx, worker)
    parts["work"] = await _work_state(ctx)
    return Readiness(status="ready" if all(p.ok for p in parts.values()) else "degraded", parts=parts)


async def work_left(ctx: Context) -> Row:
    """How many users are due, and how many runs are parked."""

    async def ask(tx: Tx) -> Row | None:
        return await tx.one("work_left", now=ctx.clock.now())

    return await ctx.store.read("", ask) or {"due": 0, "parked": 0}


async def _database_state(ctx: Context) -> PartState:
    async def ask(tx: Tx) -> list[Row]:
        return await tx.run("due_users", now=ctx.clock.now(), limit=1)

    try:
        await ctx.store.read("", ask)
    except MemoryosError as exc:
        return PartState(ok=False, detail=exc.code)
    connection = ctx.store.connection
    return PartState(ok=True, detail=f"Neo4j {connection.version}, database {connection.database}")


def _timetable_state(timetable: Timetable) -> PartState:
    if failing := timetable.failing:
        said = ", ".join(f"{job}: {code}" for job, code in sorted(failing.items()))
        return PartState(ok=False, detail=f"jobs failed at their last time: {said}")
    return PartState(ok=True, detail="working" if timetable.alive else "off in this process")


async def _embedder_state(ctx: Context, worker: Worker) -> PartState:
    embedder, stored = ctx.embedder, await reembedding.vectors_now(ctx)
    if stored.model != Model(embedder.model_id, embedder.dimension):
        return PartState(ok=False, detail=f"{embedder.model_id}, but the database has {stored.model}: start again")
    if stored.stage is Stage.CATCHING_UP:
        return PartState(ok=False, detail=f"{embedder.model_id}: some vectors are missing; run `memoryos reembed`")
    waits = worker.alive and not embedder.ready
    return PartState(ok=not waits, detail=f"{embedder.model_id}{' is being loaded' if waits else ''}")


def _model_state(ctx: Context) -> PartState:
    if ctx.metrics.model_state is None:
        return PartState(ok=True, detail="not asked yet" if ctx.settings.llm == "model" else "none: rules")
    model, outcome = ctx.metrics.model_state
    return PartState(ok=outcome == "ok", detail=f"{model}: {outcome} at the last call of this process")


async def _work_state(ctx: Context) -> PartState:
    row = await work_left(ctx)
    left = f"{row['due']} users wait for work, {row['parked']} runs are parked"
    return PartState(ok=not row["parked"], detail=left)


def _worker_state(worker: Worker) -> PartState:
    if worker.failing:
        codes = sorted(set(worker.failing.values()))
        return PartState(ok=False, detail=f"{len(worker.failing)} users wait after a failure: {', '.join(codes)}")
    return PartState(ok=True, detail="working" if worker.alive else "off in this process")
