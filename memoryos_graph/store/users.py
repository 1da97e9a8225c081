"""The lock of a user who need not exist yet, and the policy of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..domain.policy import Policy
from ..domain.validity import NEVER
from ..errors import Conflict
from .connection import Row, Tx

if TYPE_CHECKING:
    from .store import Store


async def lock_for_turns(
    tx: Tx,
    user_id: str,
    user_key: str,
    lock: str,
    now: datetime,
    *,
    external_ids: Sequence[str] = (),
    request_keys: Sequence[str] = (),
    requests_since: datetime = NEVER,
    conversation_ids: Sequence[str] = (),
    assistant_ids: Sequence[str] = (),
    oldest_event_time: datetime = NEVER,
) -> Row:
    """Make the user if there is none, take the lock, and give what is needed to place turns: what is known under these
    ids and keys, and where each conversation stands. Of a user who comes back after everything was forgotten, receipts,
    tombstones and the chain of events are his again. One statement, two for who comes back.
    Raises Conflict (`import_unfinished`).
    """
    head = await tx.one(
        "lock_for_turns",
        user_id=user_id,
        user_key=user_key,
        lock=lock,
        now=now,
        never=NEVER,
        external_ids=external_ids,
        request_keys=request_keys,
        requests_since=requests_since,
        conversation_ids=conversation_ids,
        assistant_ids=assistant_ids,
        oldest_event_time=oldest_event_time,
    )
    assert head is not None, "the lock query merges the user"
    if head["importing"]:
        raise Conflict("an import for this user was begun and not finished: repeat it", code="import_unfinished")
    if head["left"]:
        head |= await tx.one("adopt_left", user_id=user_id, user_key=user_key) or {}
    return head


async def read_policy(store: Store, user_id: str) -> Policy:
    """The policy of a user; the default one where none was set. One statement."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("policy_of", user_id=user_id)

    row = await store.read(user_id, read)
    return Policy.of(row["policy"] if row else None)
