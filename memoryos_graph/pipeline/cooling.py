"""Heat by the clock: what is stored of it is refreshed, and said where it crosses the threshold."""

from __future__ import annotations

from ..context import Context
from ..domain.heat import Heat, heat
from ..store.connection import Row, Tx
from .step import Noted, append_events

LEAST_CHANGE = 1e-6


def heat_of(ctx: Context, row: Row) -> Heat:
    """The heat of this moment from a segment's properties."""
    return heat(
        ctx.settings.heat_weights,
        n_visit=row["n_visit"],
        l_interaction=row["l_interaction"],
        last_visit_at=row.get("last_visit_at"),
        newest_event_at=row["newest_event_at"],
        now=ctx.clock.now(),
    )


def heat_numbers(warmth: Heat) -> dict[str, float]:
    """A heat with its parts, as an Event carries it; `idle_s` is Δt."""
    return {
        "heat": warmth.total,
        "n_visit": warmth.n_visit,
        "l_interaction": warmth.l_interaction,
        "recency": warmth.recency,
        "idle_s": warmth.idle_s,
    }


async def refresh_heat(ctx: Context, user_id: str) -> int:
    """Store the heat of this moment on the user's segments; how many crossed the threshold, up or down.

    All is computed under the user's lock. Cost: one write. Writes heat, heat_at, and an Event only for a crossing.
    """
    lock, now, threshold = ctx.clock.new_id(), ctx.clock.now(), ctx.settings.heat_threshold

    async def write(tx: Tx) -> int:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        if user is None:
            return 0
        rows = [row["segment"] for row in await tx.run("heat_stored", user_id=user_id)]
        warm = [(row, heat_of(ctx, row)) for row in rows]
        changed = [(row, new) for row, new in warm if abs(new.total - row["heat"]) > LEAST_CHANGE]
        crossed = [(row, new) for row, new in changed if (row["heat"] >= threshold) != (new.total >= threshold)]
        await tx.run(
            "store_heat",
            user_id=user_id,
            rows=[{"segment_id": row["segment_id"], "heat": new.total} for row, new in changed],
            now=now,
        )
        noted = [
            Noted("heat", [row["segment_id"]], heat_numbers(new) | {"before": row["heat"], "threshold": threshold})
            for row, new in crossed
        ]
        await append_events(ctx, tx, user_id, user, noted, now)
        return len(crossed)

    return await ctx.store.write(user_id, write)
