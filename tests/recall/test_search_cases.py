"""Reported faults of retrieval, one test each; filters and moments have theirs in test_scope."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.store.cypher_files import Line

from ..conftest import FakeEmbedder
from ..graph import ask
from .test_search import told

pytestmark = pytest.mark.engine

PLANTS = ("fern", "moss", "ivy", "oak", "elm", "ash", "yew", "fir", "larch", "pine", "rose", "lily", "tulip", "iris",
          "aster", "daisy", "poppy", "lotus", "maple", "birch")  # fmt: skip


async def topics(memory: UserMemory) -> list[str]:
    """Fifty pages without a word in common, so that each has a segment of its own; the 30th names an order."""
    rows = [" ".join(f"{plant}{n}" for plant in PLANTS[n % 20 :][:4]) for n in range(50)]
    rows[29] += " order QX-7731-ZK"
    pages = await told(memory, *(TurnIn(user_input=text, conversation_id=f"c{n}") for n, text in enumerate(rows)))
    await memory.maintain("migrate", force=True)
    return pages


async def test_cases_u34_u35_an_exact_string_in_any_segment_is_first(memory: UserMemory) -> None:
    """No gate of segments hides an exact match (U34), and an order id is a word like any other (U35)."""
    pages = await topics(memory)
    assert len((await memory.segments(limit=100)).items) == 50
    for question in ("What was the order QX-7731-ZK about?", "QX-7731-ZK", "qx-7731-zk"):
        best = (await memory.search(question)).hits[0]
        assert best.id == pages[29]
        assert best.parts["text"] > 0


async def test_case_u38_a_result_says_what_it_is_and_why(memory: UserMemory) -> None:
    await memory.remember([TurnIn(user_input="I am allergic to peanuts."), TurnIn(user_input="The bus was full.")])
    await memory.maintain("all")
    result = await memory.search("What am I allergic to?", kinds=["page", "fact", "segment"])
    tiers = {hit.kind: hit.tier for hit in result.hits}
    assert tiers == {"page": "mtm", "fact": "lpm", "segment": "mtm"}
    for hit in result.hits:
        assert hit.id
        assert hit.text
        assert hit.score == pytest.approx(sum(hit.parts.values()))
        assert hit.similarity is not None
        for source in hit.sources:
            page = await memory.turn(source.page_id)
            assert page.user_input[source.start : source.end] == source.quote
    fact = next(hit for hit in result.hits if hit.kind == "fact")
    assert [source.quote for source in fact.sources] == ["I am allergic to peanuts"]
    await memory.remember(TurnIn(user_input="peanuts again"))
    await memory.maintain("index")
    assert next(h for h in (await memory.search("peanuts again")).hits if h.kind == "page").tier == "stm"


async def test_cases_u42_u43_what_a_search_and_an_add_cost_does_not_grow(
    memory: UserMemory, service: MemoryService, fake_embedder: FakeEmbedder
) -> None:
    """2,000 segments and 6,000 pages: the same statements and one embedding, nothing is rebuilt or read whole."""
    connection = service.ctx.store.connection

    async def costs() -> list[tuple[int, int]]:
        spent = []
        for mode in ("hybrid", "flat", "memoryos"):
            before = connection.statements
            fake_embedder.calls.clear()
            result = await memory.search("which larch and which pine?", mode=mode, kinds=["page", "segment"])
            assert result.hits
            spent.append((connection.statements - before, len(fake_embedder.calls)))
        before = connection.statements
        await memory.remember(TurnIn(user_input="one more"))
        return [*spent, (connection.statements - before, 0)]

    await told(memory, *(f"larch {n} and pine" for n in range(12)))
    await memory.maintain("migrate", force=True)
    small = await costs()
    vectors = await service.ctx.embedder.embed([f"{a} {b}" for a, b in pairwise(PLANTS)], "document")
    await ask(
        service,
        """MATCH (u:User {user_id: $u}) SET u.page_seq = 6100
           WITH u UNWIND range(1, 2000) AS n
           CREATE (s:Segment {user_id: $u, segment_id: 's' + n, summary: 'about ' + n, keywords: ['pine', 'k' + n],
             n_visit: 0, l_interaction: 3, n_pages: 3, newest_event_at: datetime('2024-01-01T00:00:00Z'), heat: 1.0,
             archived: false, hidden: false, version: 1, n_unread: 0})
           WITH u, s, n CALL db.create.setNodeVectorProperty(s, 'embedding', $vectors[n % size($vectors)])
           WITH u, s, n UNWIND range(0, 2) AS k
           CREATE (p:Page {user_id: $u, user_key: u.user_key, page_id: 'p' + (3 * n + k), seq: 3 * n + k + 20,
             session_id: 's', conversation_id: 'c', assistant_id: 'a', tags: [], user_input: 'larch ' + n + ' pine',
             text: 'larch ' + n + ' pine', assistant_response: '', tool_text: '', tier: 'mtm', state: 'indexed',
             event_time: datetime('2024-01-01T00:00:00Z'), recorded_at: datetime('2024-01-01T00:00:00Z'),
             time_words: 0.0, archived: false, hidden: false})-[:IN_SEGMENT]->(s)
           WITH p, n CALL db.create.setNodeVectorProperty(p, 'embedding', $vectors[n % size($vectors)])""",
        u=memory.user_id,
        vectors=vectors,
    )
    assert small == [(3, 1), (2, 1), (3, 1), (2, 0)]
    # 5.26 fetches the nearest pages of everyone, and where too few of them are the user's, asks once more exactly
    more = 1 if connection.line is Line.NEO4J_5 else 0
    for (now, embeddings), (before, as_before) in zip(await costs(), small, strict=True):
        assert before <= now <= before + more
        assert embeddings == as_before
