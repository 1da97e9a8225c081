"""The audit chain: each event carries a keyed hash over itself and the event before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal

from .secret import Secret

EventKind = Literal[
    "remember",
    "answer",
    "index",
    "migrate",
    "promote",
    "heat",
    "archive",
    "summarize",
    "reembed",
    "retry",
    "retention",
    "repair",
    "profile_rollback",
    "correct",
    "change",
    "retract",
    "restore",
    "confirm",
    "pin",
    "state",
    "forget",
    "forget_everything",
    "policy",
    "stale",
    "read",
    "export",
    "import",
]
PROPERTIES = {"user_id", "seq", "kind", "at", "actor", "ids", "numbers", "prev_hash", "hash"}


@dataclass(frozen=True, kw_only=True)
class Event:
    """One entry: our ids and numbers only, never text or an id chosen by a caller (design.md 2.6)."""

    seq: int
    kind: str
    at: datetime
    actor: str
    ids: tuple[str, ...]
    numbers: Mapping[str, float]
    prev_hash: str

    def hash(self, secret: Secret, user_id: str) -> str:
        """HMAC over every field and the user, so that a change, removal or swap shows."""
        body = asdict(self) | {"at": self.at.isoformat(), "user_id": user_id}
        return secret.mac("event", json.dumps(body, sort_keys=True))

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Event:
        """From the properties of an Event node. Raises ValueError, TypeError or KeyError for others."""
        kept = {name: row[name] for name in ("seq", "kind", "at", "actor", "prev_hash")}
        numbers = json.loads(row["numbers"])
        if row.keys() != PROPERTIES or not isinstance(numbers, dict):
            raise ValueError("properties that no event has")
        return cls(**kept, ids=tuple(row["ids"]), numbers=numbers)


def written_as(secret: Secret, user_id: str, row: Mapping[str, Any], seqs: Iterable[int]) -> int | None:
    """Which of these places in the chain a stored event was written for, by its hash; None when it fits none."""
    try:
        event = Event.of(row)
        return next((seq for seq in seqs if replace(event, seq=seq).hash(secret, user_id) == row["hash"]), None)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def next_event(
    secret: Secret,
    user_id: str,
    *,
    seq: int,
    head: str,
    kind: EventKind,
    at: datetime,
    ids: Sequence[str],
    numbers: Mapping[str, float],
    actor: str = "system",
) -> dict[str, object]:
    """The properties of the next Event node of a user whose chain has `seq` events and ends in `head`."""
    floats = {name: float(value) for name, value in numbers.items()}
    event = Event(seq=seq + 1, kind=kind, at=at, actor=actor, ids=tuple(ids), numbers=floats, prev_hash=head)
    return {
        "user_id": user_id,
        "seq": event.seq,
        "kind": kind,
        "at": at,
        "actor": actor,
        "ids": list(ids),
        "numbers": json.dumps(floats, sort_keys=True),
        "prev_hash": head,
        "hash": event.hash(secret, user_id),
    }
