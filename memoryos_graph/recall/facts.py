"""Facts of now and of other moments, and their history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from ..context import Context
from ..contract import FactConflict, FactHistory, FactList, FactOut, FactsRequest, MomentRequest, Supersession
from ..contract.cursors import NEWEST_ID, cut, decode
from ..domain.fact import FactStatus
from ..domain.validity import NEVER, TODAY, Moment, shown
from ..errors import InvalidInput, NotFound
from ..store.connection import Row, Tx
from ..store.facts import fact_of

EVERY = 2**31 - 1


async def list_facts(ctx: Context, user_id: str, request: FactsRequest) -> FactList:
    """Facts, newest first: of a status now, or true at a moment as believed at one. Two statements.

    Raises InvalidInput when a status is asked for at another moment: status tells of now only.
    """
    moment = moment_of(ctx, request)
    if moment and request.status is not FactStatus.CURRENT:
        raise InvalidInput("status", "status tells of now: leave it out with as_of and known_at")
    if moment and request.stale is not None:
        raise InvalidInput("stale", "stale tells of now: leave it out with as_of and known_at")
    below = decode(request.cursor, "f") or NEWEST_ID
    limit = request.limit + 1

    async def read(tx: Tx) -> list[Row]:
        if moment:
            kinds = [request.kind] if request.kind else None
            found = await ids_at(tx, user_id, moment, kinds=kinds, origin=request.origin, below=below, limit=limit)
        else:
            found = await tx.run(
                "facts_listed",
                user_id=user_id,
                kind=request.kind,
                status=request.status,
                origin=request.origin,
                stale=request.stale,
                now=ctx.clock.now(),
                below=below,
                limit=limit,
            )
        return await rows_of(tx, user_id, [row["fact_id"] for row in found], moment, ctx.clock.now())

    items = [fact_of(row, moment) for row in await ctx.store.read(user_id, read)]
    items, cursor = cut(items, request.limit, "f", lambda fact: fact.fact_id)
    return FactList(
        items=items,
        next_cursor=cursor,
        as_of=moment.as_of if moment else None,
        known_at=(request.known_at or ctx.clock.now()) if moment else None,
    )


async def get_fact(ctx: Context, user_id: str, fact_id: str, request: MomentRequest) -> FactOut:
    """One fact, of whatever status, as it is or as it was known at a moment. One statement.

    Raises NotFound, also when it was not known yet.
    """
    moment = moment_of(ctx, request)

    async def read(tx: Tx) -> list[Row]:
        return await rows_of(tx, user_id, [fact_id], moment, ctx.clock.now())

    rows = await ctx.store.read(user_id, read)
    if not rows:
        raise NotFound("there is no such fact for this user")
    return fact_of(rows[0], moment)


async def fact_history(ctx: Context, user_id: str, fact_id: str) -> FactHistory:
    """What a fact replaced, what replaced it, what disagrees, through others too. Two statements. Raises NotFound."""

    async def read(tx: Tx) -> tuple[list[Row], list[Row]]:
        found = await tx.run("fact_history", user_id=user_id, fact_id=fact_id)
        if not found:
            raise NotFound("there is no such fact for this user")
        return found, await rows_of(tx, user_id, [row["fact_id"] for row in found], None, ctx.clock.now())

    found, rows = await ctx.store.read(user_id, read)
    links = [Supersession(**link) for row in found for link in row["supersessions"]]
    conflicts = [_conflict(row) for one in found for row in one["conflicts"]]
    return FactHistory(
        fact_id=fact_id,
        items=sorted(map(fact_of, rows), key=lambda f: (f.valid_from, f.recorded_at, f.fact_id)),
        supersessions=sorted(links, key=lambda link: (link.at, link.newer, link.older)),
        conflicts=sorted(conflicts, key=lambda conflict: (conflict.at, conflict.fact_ids)),
    )


async def count_facts(tx: Tx, user_id: str, moment: Moment | None, now: datetime) -> dict[str, int]:
    """How many facts there are of each status; at a moment, of those true then (D4: as many as are listed)."""
    if moment is None:
        return {row["status"]: row["facts"] for row in await tx.run("fact_counts", user_id=user_id, now=now)}
    rows = await ids_at(tx, user_id, moment)
    states = (FactStatus.CONFLICTED if row["conflicted"] else FactStatus.CURRENT for row in rows)
    return {status.value: count for status, count in Counter(states).items()}


async def ids_at(
    tx: Tx,
    user_id: str,
    moment: Moment,
    *,
    kinds: Sequence[str] | None = None,
    origin: str | None = None,
    below: str = NEWEST_ID,
    limit: int = EVERY,
) -> list[Row]:
    """Ids of the facts true at a moment as believed then, newest first, and whether others disagreed."""
    return await tx.run(
        "facts_at",
        user_id=user_id,
        as_of=moment.as_of,
        known_at=moment.known_at,
        never=NEVER,
        kinds=kinds,
        origin=origin,
        below=below,
        limit=limit,
    )


async def rows_of(tx: Tx, user_id: str, fact_ids: Sequence[str], moment: Moment | None, now: datetime) -> list[Row]:
    """Facts in the order of their ids, with what was known of them at the moment."""
    known_at = moment.known_at if moment else TODAY
    return await tx.run("facts_by_ids", user_id=user_id, fact_ids=list(fact_ids), known_at=known_at, now=now)


def moment_of(ctx: Context, request: FactsRequest | MomentRequest) -> Moment | None:
    """The moment that is asked for, None for now."""
    return Moment.of(request.as_of, request.known_at, ctx.clock.now())


def _conflict(row: Row) -> FactConflict:
    return FactConflict(**row | {"until": shown(row["until"])})
