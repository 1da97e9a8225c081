"""The profile of now, of a version or of another moment, and what differs between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..context import Context
from ..contract import (
    FactOut,
    ProfileDiff,
    ProfileDiffRequest,
    ProfileOut,
    ProfileRequest,
    ProfileVersionList,
    ProfileVersionOut,
    ProfileVersionsRequest,
)
from ..contract.cursors import cut, decode
from ..domain.fact import FactStatus
from ..domain.profile import ASSISTANT_KINDS, difference, in_order, render
from ..domain.validity import TODAY, Moment
from ..errors import InvalidInput, NotFound
from ..store.connection import Row, Tx
from ..store.facts import fact_of
from ..store.profiles import facts_of_version, versions_until
from .facts import EVERY, ids_at, rows_of

_SHOWN = (FactStatus.CURRENT, FactStatus.CONFLICTED)


@dataclass(frozen=True)
class _Seen:
    """Facts of a profile, and the last version by then."""

    version: int
    facts: list[FactOut]


async def profile(ctx: Context, user_id: str, request: ProfileRequest) -> ProfileOut:
    """The facts of a moment, rendered: of now, of a version, or true at `as_of` as believed at `known_at`.

    At most four statements. Raises NotFound for a version that was never written, InvalidInput for a version together
    with a time.
    """
    if request.version is not None and (request.as_of or request.known_at):
        raise InvalidInput("version", "version excludes as_of and known_at")
    moment = Moment.of(request.as_of, request.known_at, ctx.clock.now())

    async def read(tx: Tx) -> _Seen:
        return await _see(ctx, tx, user_id, request.version, moment)

    seen = await ctx.store.read(user_id, read)
    facts = in_order(seen.facts)
    return ProfileOut(
        version=seen.version,
        as_of=moment.as_of if moment else None,
        known_at=(request.known_at or ctx.clock.now()) if moment else None,
        text=render(facts),
        facts=[fact for fact in facts if fact.kind not in ASSISTANT_KINDS],
        assistant=[fact for fact in facts if fact.kind in ASSISTANT_KINDS],
    )


async def profile_diff(ctx: Context, user_id: str, request: ProfileDiffRequest) -> ProfileDiff:
    """What differs between two profiles of the user. At most eight statements. Raises NotFound."""

    async def read(tx: Tx) -> tuple[_Seen, _Seen]:
        return await _see_end(ctx, tx, user_id, request.start), await _see_end(ctx, tx, user_id, request.end)

    before, after = await ctx.store.read(user_id, read)
    added, removed = difference(*(_of_user(seen.facts) for seen in (before, after)))
    lines = [f"+ {fact.text}" for fact in added] + [f"- {fact.text}" for fact in removed]
    return ProfileDiff(
        from_version=before.version, to_version=after.version, added=added, removed=removed, text="\n".join(lines)
    )


async def profile_versions(ctx: Context, user_id: str, request: ProfileVersionsRequest) -> ProfileVersionList:
    """Versions with the facts that each added and removed, newest first. Two statements."""
    below = decode(request.cursor, "p")

    async def read(tx: Tx) -> tuple[list[Row], list[Row]]:
        upto = int(below) - 1 if below else EVERY
        found = (await versions_until(tx, user_id, upto))[::-1][: request.limit + 1]
        ids = sorted({fact_id for row in found for fact_id in (*row["added"], *row["removed"])})
        return found, await rows_of(tx, user_id, ids, None, ctx.clock.now())

    found, rows = await ctx.store.read(user_id, read)
    facts = {fact.fact_id: fact for fact in map(fact_of, rows)}
    items = [_version(row, facts) for row in found]
    items, cursor = cut(items, request.limit, "p", lambda item: str(item.version))
    return ProfileVersionList(items=items, next_cursor=cursor)


def _version(row: Row, facts: dict[str, FactOut]) -> ProfileVersionOut:
    changed = {name: in_order(facts[i] for i in row[name] if i in facts) for name in ("added", "removed")}
    return ProfileVersionOut(version=row["version"], at=row["at"], run_id=row["run_id"], **changed)


async def _see_end(ctx: Context, tx: Tx, user_id: str, end: int | datetime | None) -> _Seen:
    if isinstance(end, datetime):
        return await _see(ctx, tx, user_id, None, Moment(end, end))
    return await _see(ctx, tx, user_id, end, None)


async def _see(ctx: Context, tx: Tx, user_id: str, version: int | None, moment: Moment | None) -> _Seen:
    if version is not None:
        return await _see_version(ctx, tx, user_id, version)
    now = ctx.clock.now()
    versions = await versions_until(tx, user_id, EVERY, moment.known_at if moment else TODAY)
    ids = [row["fact_id"] for row in await ids_at(tx, user_id, moment)] if moment else await _ids_now(tx, user_id, now)
    rows = await rows_of(tx, user_id, ids, moment, now)
    return _Seen(versions[-1]["version"] if versions else 0, [fact_of(row, moment) for row in rows])


async def _see_version(ctx: Context, tx: Tx, user_id: str, version: int) -> _Seen:
    versions = await versions_until(tx, user_id, version)
    if version != (versions[-1]["version"] if versions else 0):
        raise NotFound("there is no such profile version for this user")
    if not versions:
        return _Seen(0, [])
    at = versions[-1]["at"]
    moment = Moment(as_of=at, known_at=at)
    rows = await rows_of(tx, user_id, sorted(facts_of_version(versions)), moment, ctx.clock.now())
    return _Seen(version, [fact_of(row, moment) for row in rows])


async def _ids_now(tx: Tx, user_id: str, now: datetime) -> list[str]:
    found: list[str] = []
    for status in _SHOWN:
        rows = await tx.run(
            "facts_listed",
            user_id=user_id,
            kind=None,
            status=status,
            origin=None,
            stale=None,
            now=now,
            below="~",
            limit=EVERY,
        )
        found += [row["fact_id"] for row in rows]
    return found


def _of_user(facts: Sequence[FactOut]) -> list[FactOut]:
    return [fact for fact in facts if fact.kind not in ASSISTANT_KINDS]
