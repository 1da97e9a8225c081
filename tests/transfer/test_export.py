"""One user as a file and back: exact, whole or not at all, and nothing that was forgotten."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import SecretStr

from memoryos_graph import MemoryService, Settings
from memoryos_graph.domain.claim import Stance
from memoryos_graph.domain.secret import Secret
from memoryos_graph.errors import Conflict, DatabaseUnavailable, InvalidInput, NotFound, TryAgain
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.store import managed
from memoryos_graph.store.connection import Connection, Tx
from memoryos_graph.store.cypher_files import Line
from memoryos_graph.store.records import KEYS
from memoryos_graph.store.store import Store
from memoryos_graph.transfer import restore, snapshot
from memoryos_graph.transfer.graph_lines import KINDS

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants
from ..pipeline.said import Said
from .everything import CODE, bodies, emptied, exported, kinds, live, resealed, resealed_lines, stored

T = TypeVar("T")

pytestmark = pytest.mark.engine


class Dying(Store):
    """A store of a process that is killed after so many writes."""

    def __init__(self, connection: Connection, after: int) -> None:
        super().__init__(connection)
        self.left = after

    async def write(self, user_id: str, work: Callable[[Tx], Awaitable[T]], **options: Any) -> T:
        self.left -= 1
        if self.left < 0:
            raise DatabaseUnavailable
        return await super().write(user_id, work, **options)


@pytest.mark.timeout(500)
async def test_an_export_written_back_is_the_same_memory_to_the_last_property(
    said: Said, service: MemoryService, user_id: str, clock: FakeClock
) -> None:
    await live(said, clock)
    before, head = await stored(service, user_id), await said.memory.audit_head()
    file = await exported(said.memory)
    lines = bodies(file)
    assert kinds(lines) == {"User", *KEYS, *KINDS}
    header, user, *_, end = lines
    assert (header["user_id"], header["as_of"], header["server_line"]) == (
        user_id, None, service.ctx.store.connection.line
    )  # fmt: skip
    assert (user["node"], user["properties"]["event_head"]) == ("User", head.hash)
    assert (end["lines"], end["counts"]["Receipt"]) == (len(lines), 2)
    assert CODE not in file.decode()
    assert user_id.encode() not in file.partition(b"\n")[2]
    await emptied(service, user_id)
    done = await said.memory.import_(file)
    assert (done.already_there, done.same_key, done.lines) == (False, True, len(lines))
    assert await stored(service, user_id) == before
    assert await said.memory.audit_head() == head
    assert (await said.memory.verify_audit()).ok
    assert await exported(said.memory) == file
    checks = [
        await said.memory.verify_receipt(one.receipt_id, text=CODE) for one in (await said.memory.receipts()).items
    ]
    assert {check.status for check in checks} == {"absent"}
    await assert_invariants(service, user_id)


async def _small(said: Said, user_id: str) -> bytes:
    """The file of a memory of two turns and a fact."""
    await said.say("I live in Oslo", {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."})
    await said.memory.remember({"user_input": "The kettle is on.", "id": "kettle"})
    return await exported(said.memory)


async def test_an_import_that_dies_shows_nothing_and_goes_on_where_it_was(
    said: Said, service: MemoryService, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await _small(said, user_id)
    await emptied(service, user_id)
    monkeypatch.setattr(restore, "LINES_AT_ONCE", 4)
    dying = MemoryService(replace(service.ctx, store=Dying(service.ctx.store.connection, after=6)), Worker(service.ctx))
    with pytest.raises(DatabaseUnavailable):
        await dying.user(user_id).import_(file)
    memory = service.user(user_id)
    assert await ask(service, "MATCH (p:Page {user_id: $id}) RETURN p.page_id", id=user_id)
    assert ((await memory.turns()).items, (await memory.facts(status=None)).items) == ([], [])
    assert (await memory.search("kettle Oslo")).hits == []
    for write in (memory.remember({"user_input": "hello"}), memory.state("I like tea")):
        with pytest.raises(Conflict) as refused:
            await write
        assert refused.value.code == "import_unfinished"
    assert [one.check for one in (await service.doctor(user=user_id)).findings] == ["import_unfinished"]
    for _ in range(2):
        done = await memory.import_(file)
        assert done.nodes["Page"] == 2
    assert done.already_there
    assert await exported(memory) == file
    assert {turn.user_input for turn in (await memory.turns()).items} == {"I live in Oslo", "The kettle is on."}
    await memory.remember({"user_input": "I am back"})
    await memory.maintain()
    assert (await memory.verify_audit()).ok
    await assert_invariants(service, user_id)


async def test_another_file_begins_anew_where_an_import_was_given_up(
    said: Said, service: MemoryService, user_id: str
) -> None:
    first = await _small(said, user_id)
    second = await exported(said.memory)
    await emptied(service, user_id)
    dying = MemoryService(replace(service.ctx, store=Dying(service.ctx.store.connection, after=2)), Worker(service.ctx))
    with pytest.raises(DatabaseUnavailable):
        await dying.user(user_id).import_(first)
    await said.memory.import_(second)
    assert await exported(said.memory) == second


async def test_what_is_wrong_with_a_file_is_named_and_nothing_is_written(
    said: Said, service: MemoryService, user_id: str
) -> None:
    file = await _small(said, user_id)
    lines = file.splitlines(keepends=True)
    (page,) = [n for n, line in enumerate(lines) if b"kettle is on" in line]
    other = file.replace(user_id.encode(), user_id[:-1].encode() + b"-", 1)
    faults = {
        f"line {page + 1}: was changed": file.replace(b"kettle is on", b"kettle is in"),
        f"line {page + 1}: line {page + 1} before it": b"".join(lines[:page] + lines[page + 1 :]),
        f"line {page + 1}: line {page + 1} before it: ": b"".join(
            [*lines[:page], lines[page + 1], lines[page], *lines[page + 2 :]]
        ),
        f"line {len(lines)}: the end of the file is missing": b"".join(lines[:-1]),
        f"line {page + 1}: is not a line with a hash": b"".join([*lines[:page], b"{}\n", *lines[page:]]),
        "line 1: was changed": other,
        "line 1: the file is of another user": resealed(other),
        "line 1: is not a line with a hash": b"",
        "its properties have impossible names": resealed(file.replace(b'"user_input"', b'"User Input"')),
        "it is of a kind of relationship that is unknown": resealed(file.replace(b"IN_SESSION", b"LIKES")),
        "its node is not in order, or there twice": resealed(b"".join([*lines[: page + 1], *lines[page:]])),
        "a relationship has an end that is not in the file": resealed(b"".join([*lines[:page], *lines[page + 1 :]])),
    }
    await emptied(service, user_id)
    for said_of_it, wrong in faults.items():
        with pytest.raises(InvalidInput, match=re.escape(said_of_it) if wrong else "end of the file is missing"):
            await said.memory.import_(wrong)
        assert await ask(service, "MATCH (n {user_id: $id}) RETURN n", id=user_id) == []


async def test_an_export_is_written_back_into_an_empty_memory_of_its_user_only(
    said: Said, service: MemoryService, user_id: str
) -> None:
    file = await _small(said, user_id)
    with pytest.raises(Conflict) as refused:
        await said.memory.import_(file)
    assert refused.value.code == "not_empty"
    plan = await said.memory.forget(everything=True)
    receipt = await said.memory.confirm_forget(plan.plan_id)
    assert any("1 exports of this memory" in told for told in receipt.out_of_reach)
    with pytest.raises(Conflict) as refused:
        await said.memory.import_(file)
    assert refused.value.code == "already_forgotten"
    await ask(service, "MATCH (n) WHERE n.user_key = $key DELETE n", key=service.ctx.secret.user_key(user_id))
    ctx = replace(service.ctx, secret=Secret(b"another key, of a database of another place"))
    elsewhere = MemoryService(ctx, Worker(ctx)).user(user_id)
    done = await elsewhere.import_(file)
    assert (done.same_key, (await elsewhere.verify_audit()).what) == (False, "other_key")
    assert (await elsewhere.search("kettle")).hits
    await ask(service, "MATCH (n {user_id: $id}) DETACH DELETE n", id=user_id)


async def test_case_i6_an_export_of_a_moment_has_the_facts_of_then(said: Said, clock: FakeClock) -> None:
    oslo = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo."}
    await said.say("I live in Oslo", oslo, at="2026-01-01T00:00:00Z")
    then = clock.now()
    clock.move(days=1)
    await said.say("I moved to Rome", oslo | {"object": "Rome", "stance": Stance.CHANGES}, at="2026-03-02T00:00:00Z")
    for moment in ({"known_at": then}, {"as_of": "2026-02-01T00:00:00Z"}):
        lines = bodies(await exported(said.memory, **moment))
        assert [body["properties"]["object"] for body in lines if body.get("node") == "Fact"] == ["Oslo"]
        ids = {end[1] for body in lines for end in (body.get("from"), body.get("to")) if end and end[0] == "Fact"}
        assert len(ids) == 1
    await emptied(said.service, said.memory.user_id)
    with pytest.raises(InvalidInput, match="export of a moment"):
        await said.memory.import_(resealed_lines(lines))


async def test_a_long_export_that_would_be_torn_breaks_off_and_each_is_told(
    said: Said, clock: FakeClock, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await _small(said, user_id)
    monkeypatch.setattr(snapshot, "HELD_BYTES", 100)
    whole = await exported(said.memory)
    assert len(whole.splitlines()) == len(file.splitlines()) + 1  # the event of the first export
    pieces = said.memory.export()
    begun = await anext(pieces)
    await said.memory.remember({"user_input": "meanwhile"})
    with pytest.raises(TryAgain, match="changed while it was exported"):
        begun += b"".join([piece async for piece in pieces])
    assert [event.actor for event in (await said.memory.timeline(kind="export")).items] == ["caller"] * 3
    with pytest.raises(NotFound):
        await exported(said.service.user(f"{user_id}-nobody"))


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_a_memory_moves_to_the_other_server_line_and_is_the_same(
    said: Said, service: MemoryService, user_id: str, clock: FakeClock, settings: Settings, tmp_path: Path, line: Line
) -> None:
    await live(said, clock)
    file = await exported(said.memory)
    other = Line.NEO4J_5 if line is Line.NEO4J_2026 else Line.NEO4J_2026
    server = await managed.acquire(tmp_path, line=other)
    place = {"neo4j_uri": server.uri, "neo4j_user": server.user, "neo4j_password": SecretStr(server.password)}
    try:
        there = settings.model_copy(update=place)
        async with MemoryService.open(there, worker=False, embedder=FakeEmbedder(), clock=clock) as elsewhere:
            memory = elsewhere.user(user_id)
            assert (await memory.import_(file)).same_key
            again = await exported(memory)
            assert again.partition(b"\n")[2] == file.partition(b"\n")[2]
            assert [bodies(one)[0]["server_line"] for one in (file, again)] == [line.value, other.value]
            assert await stored(elsewhere, user_id) == await stored(service, user_id)
            assert (await memory.verify_audit()).ok
            assert [hit.id for hit in (await memory.search("cello")).hits] == [
                hit.id for hit in (await said.memory.search("cello")).hits
            ]
            await memory.maintain()
            await assert_invariants(elsewhere, user_id)
    finally:
        server.lease.release()
        await asyncio.to_thread(managed.stop, tmp_path, line=other)
