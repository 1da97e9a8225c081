"""I12: whatever is done to the events of a user behind our back is found, and named."""

from __future__ import annotations

from typing import Any

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.audit import chain
from memoryos_graph.contract import AuditVerified
from memoryos_graph.pipeline.step import Noted, append_events
from memoryos_graph.store.connection import Tx

from ..graph import ask

EVENT = "MATCH (e:Event {user_id: $u, seq: $seq}) "
TAMPERED = {
    "a kind": (EVENT + "SET e.kind = 'heat'", 4, "changed"),
    "a number": (EVENT + "SET e.numbers = '{\"pages\": 2.0}'", 4, "changed"),
    "numbers that are none": (EVENT + "SET e.numbers = 'x'", 4, "changed"),
    "a time": (EVENT + "SET e.at = e.at + duration('PT0.000001S')", 4, "changed"),
    "a time that is none": (EVENT + "SET e.at = 3", 4, "changed"),
    "an actor": (EVENT + "SET e.actor = 'system'", 4, "changed"),
    "an id": (EVENT + "SET e.ids = ['other']", 4, "changed"),
    "a lost property": (EVENT + "REMOVE e.ids", 4, "changed"),
    "a property more": (EVENT + "SET e.note = 'x'", 4, "changed"),
    "a hash": (EVENT + "SET e.hash = 'x'", 4, "changed"),
    "a link": (EVENT + "SET e.prev_hash = 'x'", 4, "changed"),
    "one deleted": (EVENT + "DELETE e", 4, "removed"),
    "one deleted, the gap closed": (
        EVENT + "DELETE e WITH 1 AS _ UNWIND range(5, 8) AS n MATCH (x:Event {user_id: $u, seq: n}) SET x.seq = n - 1",
        4,
        "removed",
    ),
    "two swapped": (
        EVENT + "MATCH (o:Event {user_id: $u, seq: $seq + 2}) SET e.seq = -1 SET o.seq = $seq SET e.seq = $seq + 2",
        4,
        "reordered",
    ),
    "one moved away": (EVENT + "SET e.seq = 4000", 4, "reordered"),
    "one put in": (
        "UNWIND [8, 7, 6, 5, 4] AS n MATCH (x:Event {user_id: $u, seq: n}) SET x.seq = n + 1 "
        "WITH count(x) AS _ MATCH (b:Event {user_id: $u, seq: $seq - 1}) "
        "CREATE (e:Event) SET e = b {.*, seq: $seq, prev_hash: b.hash}",
        4,
        "inserted",
    ),
    "one put behind": (
        "MATCH (b:Event {user_id: $u, seq: 8}) CREATE (e:Event) SET e = b {.*, seq: 9, prev_hash: b.hash}",
        9,
        "inserted",
    ),
    "one put before": (
        "MATCH (b:Event {user_id: $u, seq: 8}) CREATE (e:Event) SET e = b {.*, seq: 0}",
        0,
        "inserted",
    ),
    "one without a place": ("CREATE (:Event {user_id: $u})", 0, "inserted"),
    "the tail cut": (EVENT + "MATCH (t:Event {user_id: $u}) WHERE t.seq > $seq DELETE t", 5, "cut"),
    "all cut": ("MATCH (t:Event {user_id: $u}) DELETE t", 1, "cut"),
    "the head set back": (
        EVENT + "MATCH (u:User {user_id: $u}) SET u.event_seq = e.seq, u.event_head = e.hash",
        4,
        "head_changed",
    ),
    "the head's hash": ("MATCH (u:User {user_id: $u}) SET u.event_head = 'x'", 8, "head_changed"),
    "the user lost": ("MATCH (u:User {user_id: $u}) DELETE u", 0, "head_changed"),
}


async def _told(memory: UserMemory) -> None:
    for n in range(8):
        await memory.remember({"user_input": f"turn {n}"})


async def _broken(memory: UserMemory, **options: Any) -> tuple[int | None, str | None]:
    found: AuditVerified = await memory.verify_audit(**options)
    assert found.ok == (found.what is None)
    return found.broken_at, found.what


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "BATCH", 3)


@pytest.mark.engine
@pytest.mark.parametrize("what", TAMPERED)
async def test_tampering_is_found_and_named(service: MemoryService, memory: UserMemory, what: str) -> None:
    await _told(memory)
    assert await _broken(memory) == (None, None)
    query, at, fault = TAMPERED[what]
    await ask(service, query, u=memory.user_id, **({"seq": 4} if "$seq" in query else {}))
    assert await _broken(memory) == (at, fault)


@pytest.mark.engine
async def test_an_earlier_head_proves_what_was_cut_with_the_head_set_back(
    service: MemoryService, memory: UserMemory
) -> None:
    nothing = await memory.audit_head()
    assert (nothing.seq, nothing.hash, nothing.at) == (0, "", None)
    await _told(memory)
    kept = await memory.audit_head()
    assert (kept.seq, len(kept.hash)) == (8, 64)
    await memory.remember({"user_input": "one more"})
    for head in (nothing, kept, {"seq": kept.seq, "hash": kept.hash}):
        found = await memory.verify_audit(head=head)
        assert (found.ok, found.events, found.contains_head) == (True, 9, True)
    await ask(
        service,
        "MATCH (t:Event {user_id: $u}) WHERE t.seq > 6 DELETE t WITH count(t) AS _ "
        "MATCH (u:User {user_id: $u}) MATCH (e:Event {user_id: $u, seq: 6}) "
        "SET u.event_seq = 6, u.event_head = e.hash",
        u=memory.user_id,
    )
    inside = await memory.verify_audit()  # as a backup of then would look: nothing inside can tell
    assert (inside.ok, inside.events, inside.contains_head) == (True, 6, None)
    found = await memory.verify_audit(head=kept)
    assert (found.ok, found.what, found.broken_at, found.contains_head) == (False, "cut", 7, False)
    for n in range(4):  # and when it went on from there
        await memory.remember({"user_input": f"another history {n}"})
    found = await memory.verify_audit(head=kept)
    assert (found.ok, found.what, found.broken_at, found.contains_head) == (False, "replaced", 8, False)


async def test_events_written_while_it_walks_are_walked_too(
    service: MemoryService, memory: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _told(memory)
    read, extra = chain._next, iter(range(2))

    async def next_and_one_more(*args: Any) -> Any:
        found = await read(*args)
        if next(extra, None) is not None:
            await memory.remember({"user_input": "meanwhile"})
        return found

    monkeypatch.setattr(chain, "_next", next_and_one_more)
    found = await memory.verify_audit()
    assert (found.ok, found.events, found.head.seq) == (True, 10, 10)


async def test_events_of_another_user_do_not_fit(service: MemoryService, memory: UserMemory) -> None:
    await _told(memory)
    other = service.user(f"{memory.user_id}-other")
    await _told(other)
    await ask(
        service,
        "MATCH (e:Event {user_id: $u, seq: 8}) MATCH (o:Event {user_id: $o, seq: 8}) SET e = o {.*, user_id: $u}",
        u=memory.user_id,
        o=other.user_id,
    )
    assert await _broken(memory) == (8, "changed")


async def test_after_everything_was_forgotten_the_chain_begins_with_that(
    service: MemoryService, memory: UserMemory
) -> None:
    await _told(memory)
    before = await memory.audit_head()

    async def forget(tx: Tx) -> None:
        user = await tx.one("lock_user", user_id=memory.user_id, lock="x")
        assert user is not None
        noted = [Noted("forget_everything", [], {"pages": 8})]
        await append_events(service.ctx, tx, memory.user_id, user, noted, service.ctx.clock.now())

    await service.ctx.store.write(memory.user_id, forget)
    kept = await memory.audit_head()
    await ask(service, "MATCH (e:Event {user_id: $u}) WHERE e.seq < 9 DELETE e", u=memory.user_id)
    await memory.remember({"user_input": "here again"})
    found = await memory.verify_audit(head=kept)
    assert (found.ok, found.events, found.head.seq, found.contains_head) == (True, 2, 10, True)
    found = await memory.verify_audit(head=before)
    assert (found.ok, found.contains_head) == (True, False)
    await ask(service, "MATCH (e:Event {user_id: $u, seq: 9}) SET e.kind = 'forget'", u=memory.user_id)
    assert await _broken(memory) == (1, "removed")
