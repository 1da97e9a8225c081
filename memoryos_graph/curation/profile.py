"""Going back to an earlier profile."""

from __future__ import annotations

from ..context import Context
from ..contract import RollbackOut
from ..domain.ledger import Ledger
from ..domain.rollback import roll_back
from ..errors import NotFound
from ..store.connection import Row, Tx
from ..store.facts import stated
from ..store.ledger import write_changes
from ..store.profiles import facts_of_version, versions_until
from ..store.records import event_row

EVERY = 2**31 - 1


async def rollback(ctx: Context, user_id: str, version: int) -> RollbackOut:
    """Make the facts of a profile version the current ones again, as a new belief and a new version.

    What was believed in between stays on record: `known_at` before now answers as before. Facts added since are
    retired; facts that ceased to be current hold again in a newer version with the same sources; what was forgotten
    stays so.
    Writes Fact, DERIVED_FROM, SUPERSEDES (kind rollback), ProfileVersion, Event; one transaction. Raises NotFound.
    """
    now, lock, stem = ctx.clock.now(), ctx.clock.new_id(), ctx.clock.new_id()

    async def write(tx: Tx) -> RollbackOut:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        versions = await versions_until(tx, user_id, EVERY)
        if user is None or version > len(versions):
            raise NotFound("there is no such profile version for this user")
        past, later = versions[:version], versions[version:]
        wanted = facts_of_version(past)
        rows = await tx.run("facts_stated", user_id=user_id, predicates=None)
        ledger = Ledger.of(map(stated, rows), now, stem=stem)
        since = _added_since(rows, past, later)
        done = roll_back(ledger, wanted, since, past[-1]["at"] if past else now)
        written = await write_changes(tx, user_id, ledger, actor="caller")
        if done.restored or done.retired:
            ids = [*done.restored, *done.retired]
            numbers = {"version": version, "restored": len(done.restored), "retired": len(done.retired)}
            event = event_row(ctx.secret, user_id, user, "profile_rollback", now, ids, numbers)
            await tx.run("append_event", user_id=user_id, event=event)
        gone = len(wanted - ledger.before.keys())
        return RollbackOut(version=written or len(versions), restored_version=version, gone=gone, **vars(done))

    return await ctx.store.write(user_id, write)


def _added_since(rows: list[Row], past: list[Row], later: list[Row]) -> set[str]:
    """Facts that later versions added, and those recorded later that never were current."""
    added = {fact_id for row in later for fact_id in row["added"]}
    recorded = {row["fact"]["fact_id"] for row in rows if not past or row["fact"]["recorded_at"] > past[-1]["at"]}
    return added | recorded
