"""Long pages: found by what stands anywhere in them, with exact offsets."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.contract import Hit

from ..conftest import FakeEmbedder
from ..graph import ask
from .test_search import told

pytestmark = pytest.mark.engine

LONG = " ".join(f"filler{n} words about the weather" for n in range(120))
LAST = "The spare key hangs behind the blue barn 🐴\u200d🌾.\r\nCafe\u0301 closes at six."


async def test_a_long_page_is_found_by_its_last_sentence(
    memory: UserMemory, service: MemoryService, fake_embedder: FakeEmbedder
) -> None:
    turn = TurnIn(
        user_input=f"Note: 你好 🎉\r\n{LONG} {LAST}", assistant_response="Noted, short.", conversation_id="far"
    )
    page_id, *_ = await told(memory, turn, *(f"filler{n} words about rain" for n in range(20)))
    assert len(fake_embedder.calls) == 1
    for mode in ("flat", "hybrid"):
        best: Hit = (await memory.search("where does the spare key hang behind the barn", mode=mode)).hits[0]
        assert best.id == page_id
        assert best.passage is not None
        assert "behind the blue barn" in best.passage.text
        side = turn.user_input if best.passage.side == "user" else turn.assistant_response
        assert side[best.passage.start : best.passage.end] == best.passage.text
        assert best.similarity is not None
        assert best.similarity > 0.2
    assert turn.user_input.endswith(best.passage.text)
    by_answer = (await memory.search("noted short", mode="flat")).hits[0]
    assert by_answer.passage is not None
    assert (by_answer.id, by_answer.passage.side, by_answer.passage.text) == (page_id, "assistant", "Noted, short.")
    nodes = await ask(
        service,
        """MATCH (p:Page {user_id: $u, page_id: $p})-[:HAS_PASSAGE]->(x:Passage)
           RETURN x.side AS side, x.start AS start, x.end AS end, x.user_id AS u ORDER BY side, start""",
        u=memory.user_id,
        p=page_id,
    )
    own = [node for node in nodes if node["side"] == "user"]
    assert (own[0]["start"], own[-1]["end"]) == (0, len(turn.user_input))
    assert all(a["end"] > b["start"] for a, b in pairwise(own))
    others = await ask(service, "MATCH (x:Passage {user_id: $u}) RETURN count(x) AS n", u=memory.user_id)
    assert others == [{"n": len(nodes)}]


async def test_passages_follow_their_page_and_its_filters(memory: UserMemory, service: MemoryService) -> None:
    page_id, _ = await told(
        memory, TurnIn(user_input=f"{LONG} {LAST}", conversation_id="farm", tags=["key"]), "something else"
    )
    question = "where does the spare key hang behind the barn"
    for given, found in (
        ({"conversation_id": "farm"}, True),
        ({"tags": ["key"]}, True),
        ({"conversation_id": "town"}, False),
        ({"as_of": "2020-01-01T00:00:00Z"}, False),
        ({"mode": "memoryos"}, False),
    ):
        result = await memory.search(question, **({"mode": "flat"} | given))  # type: ignore[arg-type]
        assert any(hit.id == page_id and hit.passage for hit in result.hits) is found, given
    await memory.maintain("migrate", force=True)
    result = await memory.search(question, mode="memoryos", kinds=["page"])
    assert any(hit.id == page_id and hit.passage for hit in result.hits)
    (row,) = await ask(service, "MATCH (s:Segment {user_id: $u}) RETURN collect(s.segment_id) AS ids", u=memory.user_id)

    async def archive(tx):  # type: ignore[no-untyped-def]
        rows = [{"segment_id": segment_id, "heat": 0.0} for segment_id in row["ids"]]
        await tx.run("lock_user", user_id=memory.user_id, lock="test")
        await tx.run("archive_segments", user_id=memory.user_id, now=service.ctx.clock.now(), rows=rows)

    await service.ctx.store.write(memory.user_id, archive)
    left = await ask(
        service, "MATCH (x:Passage {user_id: $u}) RETURN collect(DISTINCT x.archived) AS archived", u=memory.user_id
    )
    assert left == [{"archived": [True]}]
    assert (await memory.search(question, mode="flat")).hits == []
    (again, *_) = (await memory.search(question, mode="flat", include=["archived"])).hits
    assert (again.id, again.passage is not None) == (page_id, True)
