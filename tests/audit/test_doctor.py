"""The doctor finds what is broken, says which rule, and mends what it claims to; a healthy user has no findings."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.audit.checks import CHECKS
from memoryos_graph.audit.doctor import _database, _Report, _strays
from memoryos_graph.clock import Clock
from memoryos_graph.errors import DatabaseUnavailable
from memoryos_graph.scheduler.worker import Worker
from memoryos_graph.store.connection import Connection
from memoryos_graph.store.server import PrivateSettings

from ..conftest import FakeClock
from ..graph import ask

NEVER = "datetime('9999-12-31T00:00:00Z')"
LOG, PARAMETERS = "db.logs.query.enabled", "db.logs.query.parameter_logging_enabled"
RETENTION = "db.tx_log.rotation.retention_policy"
FACT = "MATCH (f:Fact {user_id: $u, predicate: 'likes'}) WITH f LIMIT 1 "
PAGE = "MATCH (p:Page {user_id: $u, seq: 1}) "
BROKEN = "MATCH (x {user_id: $u}) WHERE 'broken' IN [x.fact_id, x.version_id, x.chain_id, x.answer_id, x.run_id] "
GONE = BROKEN + "DETACH DELETE x"
UNDO_LINK = "MATCH ({user_id: $u})-[r {broken: true}]-() DELETE r"
# what is broken, what the doctor names besides the check, and how it is put right by hand
BREAKS: dict[str, tuple[str, set[str], str]] = {
    "fact_without_page": (FACT + "CREATE (g:Fact) SET g = f {.*, fact_id: 'broken'}", set(), GONE),
    "version_without_page": (
        "MATCH (s:Segment {user_id: $u}) WITH s LIMIT 1 "
        "CREATE (:SegmentVersion {user_id: $u, version_id: 'broken'})-[:VERSION_OF]->(s)",
        set(),
        GONE,
    ),
    "answer_without_page": ("CREATE (:Answer {user_id: $u, answer_id: 'broken', hidden: false})", set(), GONE),
    "replaced_but_open": (
        "MATCH (:Fact {user_id: $u})-[s:SUPERSEDES {kind: 'change'}]->(o:Fact) WHERE o.retired_at = " + NEVER + " "
        "SET o.was = o.closed_at, o.closed_at = " + NEVER,
        set(),
        "MATCH (o:Fact {user_id: $u}) WHERE o.was IS NOT NULL SET o.closed_at = o.was REMOVE o.was",
    ),
    "status_against_times": (
        FACT + "SET f.retired_at = datetime('2026-01-01T00:00:00Z')",
        set(),
        FACT + "SET f.retired_at = " + NEVER,
    ),
    "import_unfinished": (
        "MATCH (u:User {user_id: $u}) SET u.importing = 'a file'",
        set(),
        "MATCH (u:User {user_id: $u}) REMOVE u.importing",
    ),
    "page_lost_or_double": (PAGE + "SET p.seq = 1000", set(), "MATCH (p:Page {user_id: $u, seq: 1000}) SET p.seq = 1"),
    "two_users_joined": (
        PAGE + "CREATE (p)-[:SEES {broken: true}]->(:Stranger {user_id: $u + '-stranger'})",
        set(),
        UNDO_LINK,
    ),
    "event_chain": (
        "MATCH (e:Event {user_id: $u, seq: 1}) SET e.actor = 'system'",
        set(),
        "MATCH (e:Event {user_id: $u, seq: 1}) SET e.actor = 'caller'",
    ),
    "quote_not_in_page": (
        FACT + "MATCH (f)-[d:DERIVED_FROM]->(:Page) SET d.start = d.start - 1, d.end = d.end - 1",
        set(),
        FACT + "MATCH (f)-[d:DERIVED_FROM]->(:Page) SET d.start = d.start + 1, d.end = d.end + 1",
    ),
    "two_nexts": (
        PAGE + "MATCH (q:Page {user_id: $u, seq: 3}) CREATE (p)-[:NEXT {broken: true}]->(q)",
        set(),
        UNDO_LINK,
    ),
    "not_one_session": (
        PAGE + "MATCH (p)-[:IN_SESSION]->(s) CREATE (p)-[:IN_SESSION {broken: true}]->(s)",
        set(),
        UNDO_LINK,
    ),
    "not_one_chain": (
        PAGE + "MATCH (p)-[:IN_CHAIN]->(c) CREATE (p)-[:IN_CHAIN {broken: true}]->(c)",
        set(),
        UNDO_LINK,
    ),
    "no_segment": (
        "MATCH (p:Page {user_id: $u, tier: 'stm'}) WITH p LIMIT 1 SET p.tier = 'mtm', p.broken = true",
        {"not_one_chain"},
        "MATCH (p:Page {user_id: $u, broken: true}) SET p.tier = 'stm' REMOVE p.broken",
    ),
    "foreign_user_key": (
        PAGE + "SET p.was = p.user_key, p.user_key = 'x'",
        set(),
        PAGE + "SET p.user_key = p.was REMOVE p.was",
    ),
    "secret_key": (
        "MATCH (u:User {user_id: $u}) SET u.was = u.user_key, u.user_key = 'x'",
        {"foreign_user_key"},
        "MATCH (u:User {user_id: $u}) SET u.user_key = u.was REMOVE u.was",
    ),
    "forget_unfinished": (
        "CREATE (:Run {user_id: $u, run_id: 'broken', kind: 'forget', state: 'running', attempts: 1, "
        "started_at: datetime()})",
        set(),
        GONE,
    ),
}
MENDED: dict[str, tuple[str, set[str]]] = {
    "chain_without_page": ("CREATE (:Chain {user_id: $u, chain_id: 'broken'})", set()),
    "segment_counts": ("MATCH (s:Segment {user_id: $u}) SET s.n_pages = 99, s.n_unread = 77", set()),
    "orphan_passage": ("CREATE (:Passage {user_id: $u, passage_id: 'broken', hidden: false})", set()),
    "orphan_version": ("CREATE (:SegmentVersion {user_id: $u, version_id: 'broken'})", {"version_without_page"}),
    "page_vector": (PAGE + "REMOVE p.embedding", set()),
    "passage_vector": ("MATCH (x:Passage {user_id: $u}) SET x.embedding = [1.0, 0.0]", set()),
    "fact_vector": ("MATCH (f:Fact {user_id: $u}) SET f.embedding = [x IN f.embedding | 3 * x]", set()),
    "segment_vector": ("MATCH (s:Segment {user_id: $u}) REMOVE s.embedding", set()),
    "run_stuck": ("MATCH (r:Run {user_id: $u, kind: 'index'}) WITH r LIMIT 1 SET r.state = 'running'", set()),
    "work_not_due": (
        PAGE + "SET p.state = 'stored' WITH p MATCH (u:User {user_id: $u}) SET u.due_at = " + NEVER,
        set(),
    ),
}


async def _prepared(service: MemoryService) -> UserMemory:
    """A user with something of everything; the quote of the first fact stands behind signs of four bytes."""
    memory = service.user(f"doctor-{uuid4().hex}")
    await memory.remember(
        [
            {"user_input": "🎻🎻 I like jazz.", "event_time": "2026-01-01T09:00:00Z"},
            {"user_input": "I live in Hamburg.", "event_time": "2026-01-02T09:00:00Z", "conversation_id": "b"},
            {"user_input": "I moved to Bergen.", "event_time": "2026-02-02T09:00:00Z", "conversation_id": "b"},
            {"user_input": "Good morning to you.", "event_time": "2026-01-01T09:10:00Z"},
            {"user_input": "long " * 90, "event_time": "2026-01-01T09:20:00Z"},
        ]
    )
    await memory.maintain()
    await memory.answer("Where do I live?")
    await memory.maintain("index")
    return memory


async def _found(service: MemoryService, memory: UserMemory, *, fix: bool = False) -> set[str]:
    report = await service.doctor(user=memory.user_id, fix=fix)
    assert report.ok == (not report.findings)
    assert {finding.user_id for finding in report.findings} <= {memory.user_id}
    return {finding.check for finding in report.findings}


@pytest.mark.engine
async def test_each_break_is_found_and_named_and_what_is_mendable_is_mended(service: MemoryService) -> None:
    memory = await _prepared(service)
    user = memory.user_id
    (said,) = [fact.sources[0] for fact in (await memory.facts()).items if fact.predicate == "likes"]
    assert said.start == 3
    assert (await service.doctor(user=user)).model_dump() == {
        "ok": True, "users": 1, "findings": [], "left_out": 0, "fixed": [], "notes": [], "scope": "user",
    }  # fmt: skip
    for check, (query, besides, undo) in BREAKS.items():
        await ask(service, query, u=user)
        assert await _found(service, memory) == {check, *besides}, check
        await ask(service, undo, u=user)
        assert await _found(service, memory) == set(), check
    for check, (query, besides) in MENDED.items():
        await ask(service, query, u=user)
        assert await _found(service, memory) == {check, *besides}, check
        report = await service.doctor(user=user, fix=True)
        assert report.ok, (check, report.findings)
        assert {finding.check for finding in report.fixed} == {check, *besides}
        assert all(finding.mendable or finding.check in besides for finding in report.fixed)
        await memory.maintain("index")
        assert await _found(service, memory) == set(), check
    kinds = [event.kind for event in (await memory.timeline(kind="repair")).items]
    assert len(kinds) == len(MENDED)
    states = [run.error_code for run in (await memory.runs(state="failed")).items]
    assert states == ["interrupted"]
    facts = {fact.object for fact in (await memory.facts(status=None)).items}
    assert {"Hamburg", "Bergen"} <= facts


@pytest.mark.engine
async def test_work_that_somebody_is_at_is_no_finding_and_a_full_memory_is(
    service: MemoryService, memory: UserMemory
) -> None:
    await memory.remember([{"user_input": f"I like jazz, evening {n}."} for n in range(4)])
    await memory.maintain("index")
    await ask(service, "MATCH (u:User {user_id: $u}) SET u.due_at = " + NEVER, u=memory.user_id)
    settings = service.ctx.settings.model_copy(update={"short_term_capacity": 2, "migration_batch": 1})
    small = replace(service.ctx, settings=settings)
    tight = MemoryService(small, Worker(small))
    await ask(service, "MATCH (r:Run {user_id: $u}) SET r.state = 'running'", u=memory.user_id)
    assert await _found(tight, memory) == {"short_term_full", "run_stuck"}
    lease = "MATCH (u:User {user_id: $u}) SET u.leased_by = 'x', u.leased_until = "
    await ask(service, lease + "datetime() + duration('PT1H')", u=memory.user_id)
    assert await _found(tight, memory) == set()
    await ask(service, lease + "datetime() - duration('PT1H')", u=memory.user_id)
    assert await _found(tight, memory, fix=True) == set()
    assert (await memory.stats()).due


@pytest.mark.engine
async def test_indexes_and_clock_of_the_database(service: MemoryService, clock: FakeClock) -> None:
    real = replace(service.ctx, clock=Clock())
    await ask(service, "DROP INDEX run_state")
    report, mended = _Report(), _Report()
    await _database(real, report, fix=False)
    assert [(one.check, one.id) for one in report.findings] == [("index", "run_state: missing")]
    await _database(real, mended, fix=True)
    assert (mended.findings, [one.id for one in mended.fixed]) == ([], ["run_state: missing"])
    await ask(service, "MATCH (m:Meta {key: 'database'}) SET m.reembed = 'clearing'")
    changing = _Report()
    await _database(real, changing, fix=True)
    assert [one.check for one in changing.findings] == ["reembed_unfinished"]
    await ask(service, "MATCH (m:Meta {key: 'database'}) SET m.reembed = ''")
    for days, sign in ((-9, "+"), (9, "-")):
        clock.at = Clock().now()
        clock.move(days=days)
        off = _Report()
        await _database(service.ctx, off, fix=False)
        assert [one.check for one in off.findings] == ["clock_skew"]
        assert off.findings[0].id.startswith(sign)


@pytest.mark.engine
async def test_nodes_of_a_user_who_is_none(service: MemoryService, user_id: str) -> None:
    lost = f"{user_id}-lost"
    between = [f"{user_id}-a", f"{user_id}-z"]
    await ask(service, "CREATE (:Chain {user_id: $u, chain_id: 'x'})", u=lost)
    report, mended = _Report(), _Report()
    await _strays(service.ctx, report, between, fix=False)
    assert [(one.check, one.user_id) for one in report.findings] == [("user_lost", lost)]
    await _strays(service.ctx, mended, between, fix=True)
    assert (mended.findings, [one.user_id for one in mended.fixed]) == ([], [lost])
    await ask(service, "CREATE (:Page {user_id: $u, page_id: 'x'})", u=lost)
    await _strays(service.ctx, mended, between, fix=True)
    assert [one.user_id for one in mended.findings] == [lost]  # a page is never deleted
    everybody = await service.doctor()
    assert ("user_lost", lost) in [(one.check, one.user_id) for one in everybody.findings]
    await ask(service, "MATCH (p:Page {user_id: $u}) DELETE p", u=lost)


async def test_settings_of_other_servers(service: MemoryService, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server would say that is not ours; only its answer is put in."""
    statement = Connection.statement
    shown = {LOG: "INFO", PARAMETERS: "true", RETENTION: "2 days 2G"}

    async def answering(self: Connection, text: str, **params: object) -> list[dict[str, object]]:
        if not text.startswith("SHOW SETTINGS"):
            return await statement(self, text, **params)
        if not shown:
            raise DatabaseUnavailable
        return [{"name": name, "value": value} for name, value in shown.items()]

    monkeypatch.setattr(Connection, "statement", answering)
    real, chatty, silent = replace(service.ctx, clock=Clock()), _Report(), _Report()
    await _database(real, chatty, fix=False)
    assert [one.check for one in chatty.findings] == ["query_log"]
    assert "2 days 2G" in chatty.notes[0]
    shown.clear()
    await _database(real, silent, fix=False)
    assert (silent.findings, len(silent.notes)) == ([], 1)


def test_settings_that_write_texts_to_disk() -> None:
    assert not PrivateSettings.of({LOG: "INFO", PARAMETERS: "false"}).logs_parameters
    assert not PrivateSettings.of({LOG: "OFF", PARAMETERS: "true"}).logs_parameters
    assert PrivateSettings.of({RETENTION: "keep_none"}).keeps_logs == ""


def test_every_check_is_broken_in_a_test() -> None:
    elsewhere = {"short_term_full", "user_lost", "index", "reembed_unfinished", "clock_skew", "query_log"}
    assert CHECKS.keys() == BREAKS.keys() | MENDED.keys() | elsewhere
