"""What is kept for a time only: runs, old versions of segments, and what repeats of requests are known by."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..context import Context
from ..contract.values import REQUESTS_KEPT
from ..store.connection import Tx
from .step import Noted, append_events

BATCH = 500
VERSIONS = 20


async def prune(ctx: Context, user_id: str) -> int:
    """Delete runs older than `retention_runs_days` and all but the last 20 versions of each segment; how many nodes.

    Kept: runs that are parked or running, failed ones while what they worked for still fails, and versions that a fact
    or an answer was made from. Hashes of requests go after a day. 500 nodes in one transaction, under the user's
    lock, with an Event.
    """
    days = ctx.settings.retention_runs_days
    before = ctx.clock.now() - timedelta(days=days) if days else None
    deleted = 0
    while True:
        lock, now = ctx.clock.new_id(), ctx.clock.now()

        async def write(tx: Tx, lock: str = lock, now: datetime = now) -> int:
            user = await tx.one("lock_user", user_id=user_id, lock=lock)
            runs = await tx.one("delete_runs", user_id=user_id, before=before, limit=BATCH) if before else None
            versions = await tx.one("delete_versions", user_id=user_id, kept=VERSIONS, limit=BATCH)
            requests = await tx.one("delete_requests", user_id=user_id, before=now - REQUESTS_KEPT, limit=BATCH)
            counts = {"runs": runs["deleted"] if runs else 0, "versions": versions["deleted"] if versions else 0}
            if user is not None and any(counts.values()):
                await append_events(ctx, tx, user_id, user, [Noted("retention", [], counts)], now)
            return sum(counts.values()) + (requests["deleted"] if requests else 0)

        gone = await ctx.store.write(user_id, write)
        deleted += gone
        if not gone:
            return deleted
