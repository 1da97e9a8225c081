"""One user's graph, examined."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..context import Context
from ..contract.health import Finding
from ..domain.validity import NEVER
from ..store.connection import Row, Tx
from .chain import verify_audit
from .checks import finding

LIMIT = 100  # of each check and user
TOLERANCE = 0.01  # of a vector's squared length; float32 keeps it to 1e-6
FORGET, REEMBED = "forget", "reembed"
UNFINISHED = "import_unfinished"


@dataclass
class Examined:
    """What was found for a user, and the runs that nobody is at."""

    findings: list[Finding] = field(default_factory=list)
    stuck: list[Row] = field(default_factory=list)


async def examine(ctx: Context, user_id: str) -> Examined:
    """All checks of one user. What was found is looked at once more under the user's lock, so that nothing is taken for
    broken that was just being written. Cost: five statements, and the walk along the events."""

    async def read(tx: Tx) -> Examined:
        return await _look(ctx, tx, user_id)

    found = await ctx.store.read(user_id, read)
    if found.findings:
        lock = ctx.clock.new_id()

        async def locked(tx: Tx) -> Examined:
            await tx.run("lock_user", user_id=user_id, lock=lock)
            return await _look(ctx, tx, user_id)

        found = await ctx.store.write(user_id, locked)
    if any(one.check == UNFINISHED for one in found.findings):
        return found
    chain = await verify_audit(ctx, user_id)
    if not chain.ok:
        found.findings.append(finding("event_chain", f"{chain.what} at {chain.broken_at}", user_id))
    return found


async def graph_findings(tx: Tx, user_id: str) -> list[Finding]:
    """What breaks a rule in one user's graph and its vectors, whatever work is due. Four statements: one for all would
    take the server longer to plan than all of them."""
    rows = await tx.run("doctor_sources", user_id=user_id, never=NEVER, limit=LIMIT)
    rows += await tx.run("doctor_order", user_id=user_id, limit=LIMIT)
    rows += await tx.run("doctor_rest", user_id=user_id, limit=LIMIT)
    rows += await tx.run("doctor_vectors", user_id=user_id, tolerance=TOLERANCE, limit=LIMIT)
    return [finding(row["check"], str(row["id"]), user_id) for row in rows]


async def _look(ctx: Context, tx: Tx, user_id: str) -> Examined:
    work = await tx.one("doctor_work", user_id=user_id, limit=LIMIT)
    if work is not None and work["importing"]:  # half of it is there, and nothing is shown
        return Examined([finding(UNFINISHED, "", user_id)])
    found = Examined(await graph_findings(tx, user_id))
    if work is None:
        return found
    if work["user_key"] != ctx.secret.user_key(user_id):
        found.findings.append(finding("secret_key", "", user_id))
    if work["leased"]:
        return found
    for run in work["running"]:
        if run["kind"] == FORGET:
            found.findings.append(finding("forget_unfinished", run["run_id"], user_id))
        elif run["kind"] != REEMBED or not work["reembedding"]:
            found.findings.append(finding("run_stuck", run["run_id"], user_id))
            found.stuck.append(run)
    if work["due_at"] == NEVER and work["unindexed"]:
        found.findings.append(finding("work_not_due", "", user_id))
    capacity = ctx.settings.short_term_capacity
    if work["due_at"] > ctx.clock.now() and work["stm"] > capacity:
        found.findings.append(finding("short_term_full", f"{work['stm']} of {capacity}", user_id))
    return found
