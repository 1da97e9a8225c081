"""`timeline`, `audit` and `doctor`."""

from __future__ import annotations

import asyncio
import json

from memoryos_graph import MemoryService, Settings

from ..conftest import FakeEmbedder
from ..graph import ask
from .conftest import Cli


def _ask(settings: Settings, query: str, user_id: str) -> None:
    async def change() -> None:
        async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()) as service:
            await ask(service, query, u=user_id)

    asyncio.run(change())


def test_the_timeline_in_words_and_the_chain_with_its_exit_codes(ana: Cli, settings: Settings, user_id: str) -> None:
    assert ana("remember", "I live in Porto.").code == 0
    ran = ana("timeline")
    for part in ("1 turn stored", "1 turn indexed", "caller", "system"):
        assert part in ran.out
    assert "Porto" not in ran.out
    assert [e["kind"] for e in ana("timeline", "--kind", "remember", "-o", "json").json["items"]] == ["remember"]
    assert "of kind forget" in ana("timeline", "--kind", "forget").out
    assert ana("timeline", "--kind", "nothing").code == 2
    head = ana("audit", "head").out.strip()
    assert ana("audit", "verify", "--head", head).code == 0
    assert ana("audit", "verify", "--head", "x").code == 2
    other = ana("audit", "verify", "--head", f"{head.split(':')[0]}:{'0' * 64}")
    assert (other.code, "replaced" in other.out) == (1, True)
    _ask(settings, "MATCH (e:Event {user_id: $u, seq: 1}) DELETE e", user_id)
    ran = ana("audit", "verify")
    assert (ran.code, "broken at event 1 (removed)" in ran.out) == (1, True)


def test_the_doctor_says_what_is_wrong_and_mends_it(ana: Cli, cli: Cli, settings: Settings, user_id: str) -> None:
    assert ana("remember", "I live in Porto.").code == 0
    ran = ana("doctor")
    assert (ran.code, "nothing is wrong; 1 user checked" in ran.out) == (0, True)
    _ask(settings, "MATCH (p:Page {user_id: $u}) REMOVE p.embedding", user_id)
    ran = cli("doctor", "--user", user_id)
    assert ran.code == 1
    for part in ("vectors", "page_vector", "memoryos doctor --fix"):
        assert part in ran.out
    assert "Porto" not in ran.out
    ran = ana("doctor", "-o", "json")
    report = json.loads(ran.out)
    assert (ran.code, report["ok"], report["scope"]) == (1, False, "user")
    assert [(one["check"], one["rule"], one["mendable"]) for one in report["findings"]] == [
        ("page_vector", "vectors", True)
    ]
    ran = ana("doctor", "--fix")
    assert (ran.code, "mended" in ran.out) == (0, True)
    assert ana("run", "index", "-o", "json").json["runs"][0]["counts"] == {"pages": 1}
    assert ana("doctor").code == 0
    _ask(settings, "MATCH (e:Event {user_id: $u, seq: 1}) SET e.actor = 'x'", user_id)
    ran = ana("doctor", "--fix")
    assert (ran.code, "changed at 1" in ran.out) == (1, True)
