"""The audit chain: each event carries a keyed hash over itself and the event before it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from .secret import Secret


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


def next_event(
    secret: Secret,
    user_id: str,
    *,
    seq: int,
    head: str,
    kind: str,
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
