"""The doctor: is the database as it must be, for every user, and can what is wrong be mended?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise

from ..context import Context
from ..contract.health import DoctorReport, Finding
from ..errors import MemoryosError
from ..pipeline.reembedding import users, vectors_now
from ..store.connection import Row, Tx
from ..store.schema import index_faults, mend_indexes
from ..store.server import clock_skew, private_settings
from ..store.vectors import Stage
from .checks import finding
from .examination import examine
from .repair import repair

USERS_PER_BATCH = 100
FINDINGS = 10_000
SKEW_S = 5.0
AFTER_ALL_IDS = "\U0010ffff" * 256


class _Report:
    """What was found so far; of very many findings the first are kept, the others counted."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.fixed: list[Finding] = []
        self.notes: list[str] = []
        self.left_out = 0
        self.users = 0

    def add(self, found: list[Finding], fixed: list[Finding]) -> None:
        room = max(0, FINDINGS - len(self.findings))
        self.findings += found[:room]
        self.left_out += len(found[room:])
        self.fixed += fixed[: max(0, FINDINGS - len(self.fixed))]


async def doctor(ctx: Context, *, fix: bool = False, user_id: str | None = None) -> DoctorReport:
    """Check the database and all users, or only one; with `fix` mend what can be mended, and check again.

    Users are walked by their ids, so that the memory needed does not grow with them; of each check and user at most 100
    ids are given. Cost: about ten statements for each user, and one for every 200 of its events.
    """
    report = _Report()
    if user_id is not None:
        await _user(ctx, report, user_id, fix=fix)
    else:
        await _database(ctx, report, fix=fix)
        async for batch in _batches(ctx):
            for one in batch[1:-1]:
                await _user(ctx, report, one, fix=fix)
            await _strays(ctx, report, batch, fix=fix)
    return DoctorReport(
        ok=not report.findings,
        users=report.users,
        findings=report.findings,
        left_out=report.left_out,
        fixed=report.fixed,
        notes=report.notes,
        scope="all" if user_id is None else "user",
    )


async def _user(ctx: Context, report: _Report, user_id: str, *, fix: bool) -> None:
    report.users += 1
    before = await examine(ctx, user_id)
    if not fix or not any(one.mendable for one in before.findings):
        report.add(before.findings, [])
        return
    try:
        await repair(ctx, user_id, before)
    except MemoryosError as exc:
        report.notes.append(f"a repair failed: {exc.code}")
    after = (await examine(ctx, user_id)).findings
    report.add(after, [one for one in before.findings if one not in after])


async def _database(ctx: Context, report: _Report, *, fix: bool) -> None:
    connection = ctx.store.connection
    before = [finding("index", f"{name}: {said}") for name, said in (await index_faults(connection)).items()]
    after = before
    if fix and before:
        await mend_indexes(connection)
        after = [finding("index", f"{name}: {said}") for name, said in (await index_faults(connection)).items()]
    report.add(after, [one for one in before if one not in after])
    if (await vectors_now(ctx)).stage is not Stage.NONE:
        report.add([finding("reembed_unfinished")], [])
    skew_s = await clock_skew(connection, ctx.clock.now)
    if abs(skew_s) > SKEW_S:
        report.add([finding("clock_skew", f"{skew_s:+.1f}")], [])
    await _settings(ctx, report)


async def _settings(ctx: Context, report: _Report) -> None:
    found = await private_settings(ctx.store.connection)
    if found is None:
        report.notes.append(
            "the server does not show its settings to this user; see docs/operations.md for those to check"
        )
        return
    if found.logs_parameters:
        report.add([finding("query_log")], [])
    if found.keeps_logs:
        report.notes.append(f"transaction logs are kept ({found.keeps_logs}): forgotten texts stay in them that long")


async def _batches(ctx: Context) -> AsyncIterator[list[str]]:
    """All users, a hundred at a time, between the id before them and the one after."""
    batch = [""]
    async for user_id in users(ctx):
        batch.append(user_id)
        if len(batch) == USERS_PER_BATCH + 2:
            yield batch
            batch = batch[-2:]
    yield [*batch, AFTER_ALL_IDS]


async def _strays(ctx: Context, report: _Report, batch: list[str], *, fix: bool) -> None:
    """Nodes of users who have no User node."""
    gaps = [{"after": a, "before": b} for a, b in pairwise(batch)]
    before = await _lost(ctx, gaps)
    for user_id in before if fix else []:
        await _remove_orphans(ctx, user_id)
    after = await _lost(ctx, gaps) if fix and before else before
    report.add(
        [finding("user_lost", "", user_id) for user_id in after],
        [finding("user_lost", "", user_id) for user_id in before if user_id not in after],
    )


async def _lost(ctx: Context, gaps: list[Row]) -> list[str]:
    async def read(tx: Tx) -> list[Row]:
        return await tx.run("doctor_strays", gaps=gaps, limit=USERS_PER_BATCH)

    return [row["user_id"] for row in await ctx.store.read("", read)]


async def _remove_orphans(ctx: Context, user_id: str) -> None:
    async def write(tx: Tx) -> None:
        await tx.run("mend_orphans", user_id=user_id, limit=FINDINGS)

    await ctx.store.write(user_id, write)
