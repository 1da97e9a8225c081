"""A decision in the graph: its page, what it made of the facts, and its event."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ..context import Context
from ..contract import Decided
from ..domain.claim import Claim
from ..domain.event import EventKind
from ..domain.fact import Fact
from ..domain.ledger import Ledger
from ..domain.page import Tier, Turn
from ..domain.validity import TODAY
from ..errors import NotFound, TryAgain
from ..store.connection import Row, Tx
from ..store.facts import fact_of
from ..store.ledger import new_fact, write_changes
from ..store.records import event_of, event_row, page_properties
from ..store.users import lock_for_turns
from ..store.vectors import Model, ensure_model

CALLER = "caller"
_REPLACING = ("correction", "change", "restore")


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What is written; ids and vectors were made outside the transaction, which may run twice. `about` is the fact
    decided about, `segments` are the summaries that are renewed, `reason` the caller's words, `archived` keeps the page
    out of search, `pinned` goes on in a new fact."""

    kind: EventKind
    page_id: str
    text: str
    origin: str
    conversation_id: str
    assistant_id: str
    session_id: str
    fact_id: str
    claim: Claim
    vector: list[float]
    segments: list[Row] = field(default_factory=list)
    about: str | None = None
    reason: str | None = None
    archived: bool = False
    pinned: bool = False


async def locked(
    ctx: Context, tx: Tx, user_id: str, lock: str, now: datetime, *, makes_user: bool = False
) -> tuple[Row, datetime]:
    """The user under its lock, and the time of what is written now: never before the last write.

    Raises NotFound without such a user, unless `makes_user`; ModelChanged.
    """
    if makes_user:
        await lock_for_turns(tx, user_id, ctx.secret.user_key(user_id), lock, now)
    user = await tx.one("lock_user", user_id=user_id, lock=lock)
    if user is None:
        raise NotFound("there is no such fact for this user")
    ensure_model(user["vectors"], Model(ctx.embedder.model_id, ctx.embedder.dimension))
    return user, max(now, user["last_recorded_at"])


async def write_decision(
    ctx: Context,
    tx: Tx,
    user_id: str,
    user: Row,
    decision: Decision,
    ledger: Ledger,
    fact: Fact,
    at: datetime,
    said_at: datetime | None = None,
) -> Decided:
    """Store the page of a decision, the facts as the ledger has them, the reason and the event. At most 16 statements.

    `fact` is what the decision made; it is given back as callers see it.
    """
    ids = list(dict.fromkeys([fact.fact_id, *([decision.about] if decision.about else []), decision.page_id]))
    numbers = {"facts": len(ledger.new) + len(ledger.copied), "superseded": len(ledger.supersessions)}
    event = event_row(ctx.secret, user_id, user, decision.kind, at, ids, numbers)
    await _store_page(tx, user_id, user, decision, event, at, said_at or at)
    made = [
        {
            "fact_id": fact_id,
            "properties": new_fact(ledger.facts[fact_id], claim, ledger, origin="user", model=CALLER, prompt_hash="")
            | {"pinned": decision.pinned},
            "vector": decision.vector,
        }
        for fact_id, claim in ledger.new.items()
    ]
    await tx.run("write_facts", user_id=user_id, user_key=user["user_key"], facts=made, run_id=None)
    await write_changes(tx, user_id, ledger, actor=CALLER)
    if decision.segments:
        await _renew_segments(tx, user_id, decision, at)
    if decision.reason:
        await _note_reason(tx, user_id, decision, ledger, fact)
    return await decided(tx, user_id, fact.fact_id, event, at)


async def decided(tx: Tx, user_id: str, fact_id: str, event: Row, now: datetime) -> Decided:
    """The result of a decision, read back."""
    (row,) = await tx.run("facts_by_ids", user_id=user_id, fact_ids=[fact_id], known_at=TODAY, now=now)
    return Decided(fact=fact_of(row), event=event_of(event))


async def _store_page(
    tx: Tx, user_id: str, user: Row, decision: Decision, event: Row, at: datetime, said_at: datetime
) -> None:
    """A page in a session of its own: it belongs to the conversation of its fact, and is no neighbour of a turn."""
    turn = Turn(
        user_input=decision.text,
        conversation_id=decision.conversation_id,
        assistant_id=decision.assistant_id,
        origin=decision.origin,
    )
    page = page_properties(
        user_id,
        turn,
        page_id=decision.page_id,
        session_id=decision.session_id,
        seq=user["page_seq"] + 1,
        event_time=said_at,
        recorded_at=at,
    )
    session = {
        "session_id": decision.session_id,
        "conversation_id": decision.conversation_id,
        "started_at": said_at,
        "last_at": said_at,
        "n_pages": 1,
    }
    await tx.run(
        "store_turns",
        user_id=user_id,
        event=event,
        page_seq=page["seq"],
        recorded_at=at,
        newest_event_at=said_at,
        pages=[page | {"tier": Tier.NONE.value, "archived": decision.archived}],
        sessions=[session],
        conversations=[],
        assistants=[],
        nexts=[],
    )


async def _renew_segments(tx: Tx, user_id: str, decision: Decision, at: datetime) -> None:
    """Raises TryAgain when one of them was told anew since it was read."""
    rows = decision.segments
    done = await tx.one("renew_segments", user_id=user_id, rows=rows, page_id=decision.page_id, now=at)
    if done is None or done["renewed"] != len(rows):
        raise TryAgain("a topic was told anew meanwhile; nothing was written")


async def _note_reason(tx: Tx, user_id: str, decision: Decision, ledger: Ledger, fact: Fact) -> None:
    rows = [
        {"newer": one.newer, "older": one.older}
        for one in ledger.supersessions
        if one.newer == fact.fact_id and one.kind in _REPLACING
    ]
    if rows:
        await tx.run("note_reason_of_change", user_id=user_id, rows=rows, reason=decision.reason)
        return
    await tx.run(
        "note_reason_of_decision",
        user_id=user_id,
        fact_id=fact.fact_id,
        page_id=decision.page_id,
        reason=decision.reason,
    )
