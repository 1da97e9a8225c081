"""`timeline` and `audit`."""

from __future__ import annotations

import asyncio

from memoryos_graph import MemoryService, Settings

from ..conftest import FakeEmbedder
from ..graph import ask
from .conftest import Cli


def _break(settings: Settings, user_id: str) -> None:
    async def delete() -> None:
        async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()) as service:
            await ask(service, "MATCH (e:Event {user_id: $u, seq: 1}) DELETE e", u=user_id)

    asyncio.run(delete())


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
    _break(settings, user_id)
    ran = ana("audit", "verify")
    assert (ran.code, "broken at event 1 (removed)" in ran.out) == (1, True)
