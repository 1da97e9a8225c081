"""Requests that are sent again under one Idempotency-Key: the same answer, and nothing is written twice."""

from __future__ import annotations

from dataclasses import dataclass

from ..context import Context
from ..contract import Decided
from ..contract.values import REQUESTS_KEPT, Request
from ..errors import Conflict
from ..store.connection import Tx
from .writing import decided


@dataclass(frozen=True)
class Sent:
    """A request under a key of its caller: keyed hashes of the key, and of all that was asked."""

    request_key: str
    request_hash: str


def sent(ctx: Context, user_id: str, key: str | None, verb: str, about: str, request: Request) -> Sent | None:
    """What a request is known again by; None without a key."""
    if key is None:
        return None
    asked = "\x00".join((user_id, verb, about, request.model_dump_json()))
    return Sent(ctx.secret.mac("decision", f"{user_id}\x00{key}"), ctx.secret.mac("asked", asked))


async def repeated(ctx: Context, tx: Tx, user_id: str, request: Sent | None) -> Decided | None:
    """The decision that was made on this request within a day, read back; its fact is as it is now.

    Raises Conflict when the key came with another request, or what was decided is forgotten (`already_forgotten`).
    """
    if request is None:
        return None
    now = ctx.clock.now()
    key, since = request.request_key, now - REQUESTS_KEPT
    row = await tx.one("decision_of_request", user_id=user_id, request_key=key, since=since)
    if row is None:
        return None
    if row["request_hash"] is None:
        raise Conflict("what this request decided was forgotten", code="already_forgotten")
    if row["request_hash"] != request.request_hash:
        raise Conflict("another request was sent under this Idempotency-Key")
    event = row["event"]
    return await decided(tx, user_id, event["ids"][0], event, now)


async def noted(tx: Tx, user_id: str, request: Sent | None, done: Decided) -> Decided:
    """The decision, once its request is known again for a day. Writes Request."""
    if request is not None:
        event = done.event
        await tx.run("note_request", user_id=user_id, **vars(request), seq=event.seq, ids=event.ids, now=event.at)
    return done
