"""Rows of the store as the objects that rooms and callers use."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..contract import EventOut, ModelCallOut, RunOut, TurnOut
from ..domain.event import EventKind, next_event
from ..domain.page import Page, PageState, Tier, Turn
from ..domain.secret import Secret
from ..domain.segment import Segment
from ..domain.tool import tool_text
from .connection import Row

KEYS: Mapping[str, str] = {
    "Assistant": "assistant_id",
    "Conversation": "conversation_id",
    "Session": "session_id",
    "Page": "page_id",
    "Passage": "passage_id",
    "Chain": "chain_id",
    "Segment": "segment_id",
    "SegmentVersion": "version_id",
    "Fact": "fact_id",
    "ProfileVersion": "version",
    "Answer": "answer_id",
    "Run": "run_id",
    "Receipt": "receipt_id",
    "Tombstone": "tombstone_id",
    "Event": "seq",
}
"""What nodes are called by within their user, by label, in the order of an export."""


def page_of(row: Row) -> Page:
    """A Page from the properties of its node, without what is in quarantine; no vector where the query left it out."""
    row = unquarantined(row)
    return Page(
        page_id=row["page_id"],
        seq=row["seq"],
        conversation_id=row["conversation_id"],
        session_id=row["session_id"],
        assistant_id=row["assistant_id"],
        user_input=row["user_input"],
        assistant_response=row["assistant_response"],
        tool_text=row["tool_text"],
        system_text=row["system_text"],
        event_time=row["event_time"],
        recorded_at=row["recorded_at"],
        content_hash=row["content_hash"],
        origin=row["origin"],
        remember=row["remember"],
        keywords=tuple(row.get("keywords") or ()),
        embedding=tuple(row.get("vector") or ()),
    )


_TEXTS = {"user": "user_input", "assistant": "assistant_response", "tool": "tool_text"}


def unquarantined(row: Row) -> Row:
    """The properties of a page with its quarantined sides empty, and without keywords of them (domain.orders)."""
    held = row.get("quarantined") or ()
    return row | {_TEXTS[side]: "" for side in held} | {"keywords": []} if held else row


def page_properties(
    user_id: str, turn: Turn, *, page_id: str, session_id: str, seq: int, event_time: datetime, recorded_at: datetime
) -> dict[str, Any]:
    """The properties of a new Page node in short-term memory."""
    return {
        "user_id": user_id,
        "page_id": page_id,
        "external_id": turn.external_id,
        "seq": seq,
        "conversation_id": turn.conversation_id,
        "session_id": session_id,
        "assistant_id": turn.assistant_id,
        "user_input": turn.user_input,
        "assistant_response": turn.assistant_response,
        "tool_calls": json.dumps(list(turn.tool_calls), ensure_ascii=False),
        "tool_text": tool_text(turn.tool_calls),
        "system_text": "",
        "metadata": json.dumps(dict(turn.metadata), ensure_ascii=False),
        "tags": list(turn.tags),
        "event_time": event_time,
        "recorded_at": recorded_at,
        "tier": Tier.STM.value,
        "archived": False,
        "hidden": False,
        "remember": turn.remember,
        "state": PageState.STORED.value,
        "attempts": 0,
        "content_hash": turn.content_hash,
        "origin": turn.origin,
    }


def segment_of(row: Row) -> Segment:
    """A Segment for a join decision."""
    return Segment(
        segment_id=row["segment_id"],
        version=row["version"],
        summary=row["summary"],
        keywords=tuple(row["keywords"]),
        embedding=tuple(row["vector"]),
        n_pages=row["n_pages"],
    )


def turn_fields(row: Row) -> dict[str, Any]:
    """The fields of a TurnOut (and of a TurnDetail) from a page's properties."""
    return {
        "page_id": row["page_id"],
        "id": row.get("external_id"),
        "seq": row["seq"],
        "conversation_id": row["conversation_id"],
        "session_id": row["session_id"],
        "assistant_id": row["assistant_id"],
        "user_input": row["user_input"],
        "assistant_response": row["assistant_response"],
        "tool_calls": json.loads(row["tool_calls"]),
        "system_text": row["system_text"],
        "event_time": row["event_time"],
        "recorded_at": row["recorded_at"],
        "tier": row["tier"],
        "state": row["state"],
        "attempts": row["attempts"],
        "archived": row["archived"],
        "origin": row["origin"],
        "metadata": json.loads(row["metadata"]),
        "tags": row["tags"],
        "keywords": row.get("keywords") or [],
        "answer_id": row.get("answer_id"),
        "remember": row["remember"],
        "sensitive": row.get("sensitive") or [],
        "quarantined": row.get("quarantined") or [],
    }


def turn_of(row: Row) -> TurnOut:
    """A page as callers see it."""
    return TurnOut(**turn_fields(row))


def run_of(row: Row) -> RunOut:
    """A unit of background work."""
    return RunOut(
        run_id=row["run_id"],
        kind=row["kind"],
        state=row["state"],
        started_at=row["started_at"],
        ended_at=row.get("ended_at"),
        counts=json.loads(row["counts"]),
        rejected=json.loads(row["rejected"]),
        model=row["model"],
        error_code=row.get("error_code"),
        attempts=row.get("attempts") or 1,
        model_calls=row.get("model_calls") or 0,
        tokens_in=row.get("tokens_in") or 0,
        tokens_out=row.get("tokens_out") or 0,
        calls=[ModelCallOut(**call) for call in json.loads(row.get("calls") or "[]")],
    )


def event_of(row: Row) -> EventOut:
    """An Event as callers see it, from the properties of its node."""
    kept = {name: row[name] for name in ("seq", "kind", "at", "actor", "ids", "hash")}
    return EventOut(**kept, numbers=json.loads(row["numbers"]))


def event_row(
    secret: Secret,
    user_id: str,
    user: Row,
    kind: EventKind,
    at: datetime,
    ids: Sequence[str],
    numbers: Mapping[str, float],
    actor: str = "caller",
) -> Row:
    """The next event of a user whose lock is held; `user` tells where the chain stands."""
    return next_event(
        secret,
        user_id,
        seq=user["event_seq"],
        head=user["event_head"],
        kind=kind,
        at=at,
        ids=ids,
        numbers=numbers,
        actor=actor,
    )
