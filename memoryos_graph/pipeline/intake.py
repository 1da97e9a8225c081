"""A turn becomes a page: one transaction, no model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ..context import Context
from ..contract import MAX_TURNS, TurnIn, TurnStored
from ..contract.values import REQUESTS_KEPT
from ..domain.forgetting import TombstoneKeys
from ..domain.orders import quarantined
from ..domain.page import PageState, Tier, Turn
from ..domain.policy import Policy
from ..domain.screening import Found, findings, screen
from ..domain.session import OpenSession
from ..domain.tool import tool_text
from ..domain.validity import NEVER
from ..errors import Conflict, InvalidInput, TooLarge, TryAgain
from ..sensitive import find
from ..store.connection import Row, Tx
from ..store.records import event_row, page_properties
from ..store.users import lock_for_turns

SYSTEM_TEXTS_KNOWN = 20


ANSWER_HOLD = timedelta(minutes=5)
SHORT = 5_000  # characters that are looked through at once, without a thread


@dataclass(frozen=True)
class _Sent:
    """One turn of a request, with all that may not be made inside the transaction, since that may run twice."""

    turn: Turn
    page_id: str
    session_id: str
    request_key: str | None
    found: Found = field(default_factory=dict)
    remember: str = "auto"
    sensitive: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    system_key: str | None = None


async def remember(
    ctx: Context,
    user_id: str,
    turns: Sequence[TurnIn],
    *,
    idempotency_key: str | None = None,
    origin: str = "conversation",
    held_until: datetime | None = None,
) -> list[TurnStored]:
    """Store turns in order and give their pages; when this returns, they survive any crash.

    What the user's policy keeps out is blacked out before anything is stored; sides that read like orders to a language
    model are marked, so that nothing is made of them.

    `held_until` is for questions whose answer is on its way: they are not indexed before that time, so that both sides
    are read together.

    Cost: two statements, however many turns (at most 1,000). Writes Page, Session, Conversation, NEXT, Event.
    The same id with the same content gives the page that is there. The same id with other content raises Conflict,
    and nothing of the request is stored. Raises UserBusy, DatabaseUnavailable: nothing was acknowledged.
    """
    if not turns:
        raise InvalidInput("turns", "at least one turn is needed")
    if len(turns) > MAX_TURNS:
        raise TooLarge("turns", f"at most {MAX_TURNS} turns in one request")
    given = [_prepare(ctx, user_id, n, turn, idempotency_key, origin) for n, turn in enumerate(turns)]
    given = await _looked_through(given)
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def work(tx: Tx) -> list[TurnStored]:
        head = await lock_for_turns(
            tx,
            user_id,
            ctx.secret.user_key(user_id),
            lock,
            now,
            external_ids=[s.turn.external_id for s in given if s.turn.external_id],
            request_keys=[s.request_key for s in given if s.request_key],
            requests_since=now - REQUESTS_KEPT,
            conversation_ids=sorted({s.turn.conversation_id for s in given}),
            assistant_ids=sorted({s.turn.assistant_id for s in given if s.turn.system_text}),
            oldest_event_time=min((s.turn.event_time for s in given if s.turn.event_time), default=NEVER),
        )
        policy = Policy.of(head["policy"])
        sent = [_screened(ctx, user_id, item, policy) for item in given]
        forgotten = await _forgotten(tx, user_id, sent, head["tombstone_key"])
        known = forgotten | _known([item for item in sent if item.page_id not in forgotten], head)
        placement = _place(user_id, sent, known, head, max(now, head["last_recorded_at"]))
        if held_until is not None:
            _hold(placement.pages, held_until)
        if placement.pages:
            await tx.run("store_turns", user_id=user_id, event=_event(ctx, user_id, head, placement), **vars(placement))
        return _acknowledge(sent, known, placement)

    return await ctx.store.write(user_id, work)


async def ask(ctx: Context, user_id: str, turn: TurnIn, *, idempotency_key: str | None = None) -> TurnStored:
    """Store a question before anybody answers it: a turn of the user alone, as durable as any.

    For five minutes it waits for its other side. Whatever becomes of the answer, it is indexed then at the latest.
    """
    until = ctx.clock.now() + ANSWER_HOLD
    (stored,) = await remember(ctx, user_id, [turn], idempotency_key=idempotency_key, held_until=until)
    if stored.state is PageState.FORGOTTEN:
        raise Conflict("this question was forgotten: ask it under another id or key", code="already_forgotten")
    return stored


def _prepare(ctx: Context, user_id: str, n: int, turn: TurnIn, idempotency_key: str | None, origin: str) -> _Sent:
    user_input, assistant_response = turn.sides()
    kept = Turn(
        user_input=user_input,
        assistant_response=assistant_response,
        external_id=turn.id,
        conversation_id=turn.conversation_id or turn.assistant_id,
        assistant_id=turn.assistant_id,
        event_time=turn.event_time,
        metadata=turn.metadata,
        tags=turn.tags,
        tool_calls=turn.kept_calls(),
        system_text=turn.system_text(),
        remember=turn.remember,
        origin=origin,
    )
    request_key = ctx.secret.mac("request", f"{user_id}\x00{n}\x00{idempotency_key}") if idempotency_key else None
    return _Sent(kept, ctx.clock.new_id(), ctx.clock.new_id(), request_key)


async def _looked_through(sent: Sequence[_Sent]) -> list[_Sent]:
    """The turns with the sensitive words and the orders found in them, in a thread when there is much to read."""

    sides = [_sides(item.turn) for item in sent]

    def look() -> list[_Sent]:
        return [
            replace(item, found=findings(item.turn, find), quarantined=tuple(quarantined(texts)))
            for item, texts in zip(sent, sides, strict=True)
        ]

    size = sum(len(text) for texts in sides for text in texts.values())
    return look() if size <= SHORT else await asyncio.to_thread(look)


def _sides(turn: Turn) -> dict[str, str]:
    tool = tool_text(turn.tool_calls)
    return {"user": turn.user_input, "assistant": turn.assistant_response, "tool": tool}


def _screened(ctx: Context, user_id: str, item: _Sent, policy: Policy) -> _Sent:
    """A turn as the policy lets it be stored. Pure, since a transaction may run twice."""
    kept = screen(item.turn, item.found, policy)
    text = kept.turn.system_text
    system_key = ctx.secret.mac("system", f"{user_id}\x00{text}") if text else None
    return replace(item, turn=kept.turn, remember=kept.remember, sensitive=kept.classes, system_key=system_key)


def _known(sent: Sequence[_Sent], head: Row) -> dict[str, Row]:
    """Pages that are there already, by the page id that this request would have used. Raises Conflict, TryAgain."""
    by_id = {row["external_id"]: row for row in head["by_id"]}
    by_request = {row["request_key"]: row for row in head["by_request"]}
    known: dict[str, Row] = {}
    for n, item in enumerate(sent):
        row = by_id.get(item.turn.external_id) or by_request.get(item.request_key)
        if row is None:
            if item.turn.external_id:  # a repeat inside the request meets the first one
                by_id[item.turn.external_id] = {"page_id": item.page_id, "content_hash": item.turn.content_hash}
            continue
        if row["content_hash"] != item.turn.content_hash:
            if row.get("state") == PageState.FORGOTTEN:
                raise TryAgain(f"turns[{n}]: what had this id is being forgotten; nothing was written")
            what = "id" if item.turn.external_id in by_id else "Idempotency-Key"
            raise Conflict(f"turns[{n}]: other content is stored under this {what}")
        known[item.page_id] = row
    return known


async def _forgotten(tx: Tx, user_id: str, sent: Sequence[_Sent], key: str | None) -> dict[str, Row]:
    """Turns that were forgotten and are told again: by id, by content with its time, or by a repeated request."""
    if key is None:
        return {}
    hashes = TombstoneKeys(key)
    keys = {
        item.page_id: [
            hashes.turn(item.turn.external_id, item.turn.content_hash) if item.turn.external_id else "",
            hashes.content(item.turn.content_hash) if item.turn.event_time else "",
            item.request_key or "",
            item.turn.content_hash if item.turn.event_time else "",
        ]
        for item in sent
    }
    by_kind = list(zip(*keys.values(), strict=True))
    rows = await tx.run(
        "tombstones_met",
        user_id=user_id,
        id_keys=[k for k in by_kind[0] if k],
        content_keys=[k for k in by_kind[1] if k],
        request_keys=[k for k in by_kind[2] if k],
        content_hashes=[k for k in by_kind[3] if k],
    )
    met = {row["key"]: row["page_id"] for row in rows}
    return {
        page_id: {"page_id": met[hit], "seq": 0, "state": PageState.FORGOTTEN}
        for page_id, own in keys.items()
        if (hit := next((k for k in own if k in met), None))
    }


@dataclass(frozen=True)
class _Placement:
    """The parameters of store_turns."""

    page_seq: int
    recorded_at: datetime
    pages: list[dict[str, Any]]
    nexts: list[dict[str, str]]
    sessions: list[dict[str, Any]]
    conversations: list[dict[str, str]]
    assistants: list[dict[str, Any]]
    newest_event_at: datetime


def _place(
    user_id: str, sent: Sequence[_Sent], known: Mapping[str, Row], head: Row, recorded_at: datetime
) -> _Placement:
    """Give each new turn its seq, session and predecessor, as if the turns had come one by one."""
    open_sessions = {
        row["conversation_id"]: OpenSession(row["session_id"], row["last_at"], row["n_pages"], row["last_page_id"])
        for row in head["open"]
    }
    sessions: dict[str, dict[str, Any]] = {}
    pages: list[dict[str, Any]] = []
    nexts: list[dict[str, str]] = []
    told = {row["assistant_id"]: list(row["system_keys"]) for row in head["assistants"]}
    for item in sent:
        if item.page_id in known:
            continue
        turn = item.turn
        event_time = turn.event_time or recorded_at
        current = open_sessions.get(turn.conversation_id)
        if current is None or not current.takes(event_time):
            current = OpenSession(item.session_id, event_time, 0, "")
        else:
            nexts.append({"before": current.last_page_id, "after": item.page_id})
        current = OpenSession(current.session_id, event_time, current.n_pages + 1, item.page_id)
        open_sessions[turn.conversation_id] = current
        sessions.setdefault(
            current.session_id,
            {"session_id": current.session_id, "conversation_id": turn.conversation_id, "started_at": event_time},
        ).update(last_at=event_time, n_pages=current.n_pages)
        seq = head["page_seq"] + len(pages) + 1
        page = page_properties(
            user_id,
            turn,
            page_id=item.page_id,
            session_id=current.session_id,
            seq=seq,
            event_time=event_time,
            recorded_at=recorded_at,
        ) | {"request_key": item.request_key, "remember": item.remember}
        page |= _marked(item)
        if page["tier"] == Tier.STM and head["stm_from"] is not None and event_time < head["stm_from"]:
            page["late"] = True  # history told late does not wait in short-term memory (design.md 4.3)
        if item.system_key:
            page["system_text"] = _untold(item, told.setdefault(turn.assistant_id, []))
        pages.append(page)
    touched = {page["conversation_id"] for page in pages}
    conversations = [
        {"conversation_id": c, "last_session_id": s.session_id, "last_page_id": s.last_page_id}
        for c, s in sorted(open_sessions.items())
        if c in touched
    ]
    return _Placement(
        page_seq=head["page_seq"] + len(pages),
        recorded_at=recorded_at,
        pages=pages,
        nexts=nexts,
        sessions=list(sessions.values()),
        conversations=conversations,
        assistants=[{"assistant_id": name, "system_keys": keys} for name, keys in sorted(told.items())],
        newest_event_at=max((page["event_time"] for page in pages), default=recorded_at),
    )


def _marked(item: _Sent) -> dict[str, Any]:
    """What a page carries of sensitive words and orders. All of it an order: no part of the memory that is lived in."""
    marks: dict[str, Any] = {"sensitive": list(item.sensitive)} if item.sensitive else {}
    if item.quarantined:
        marks["quarantined"] = list(item.quarantined)
        if all(name in item.quarantined for name, text in _sides(item.turn).items() if text):
            marks |= {"archived": True, "tier": Tier.NONE.value}
    return marks


def _hold(pages: Sequence[dict[str, Any]], until: datetime) -> None:
    """Keep the index step away for a while; `asked_hash` lets a repeat of the question find its answered page."""
    for page in pages:
        page["next_try_at"] = until
        page["asked_hash"] = page["content_hash"]


def _untold(item: _Sent, told: list[str]) -> str:
    """The system's text unless this assistant has told it before; the page then keeps no copy (case P8)."""
    if item.system_key in told:
        return ""
    told.append(str(item.system_key))
    del told[:-SYSTEM_TEXTS_KNOWN]
    return item.turn.system_text


def _event(ctx: Context, user_id: str, head: Row, placement: _Placement) -> dict[str, object]:
    ids = [page["page_id"] for page in placement.pages]
    return event_row(ctx.secret, user_id, head, "remember", placement.recorded_at, ids, {"pages": len(ids)})


def _acknowledge(sent: Sequence[_Sent], known: Mapping[str, Row], placement: _Placement) -> list[TurnStored]:
    """One acknowledgement per turn of the request, in its order."""
    seqs = {page["page_id"]: page["seq"] for page in placement.pages}
    results = []
    for item in sent:
        row = known.get(item.page_id, {})
        page_id = row.get("page_id", item.page_id)
        results.append(
            TurnStored(
                page_id=page_id,
                id=item.turn.external_id,
                seq=row["seq"] if "seq" in row else seqs[page_id],
                state=row.get("state", PageState.STORED),
                created=not row,
            )
        )
    return results
