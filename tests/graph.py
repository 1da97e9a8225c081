"""Questions that tests ask the graph directly, and the invariants as queries that must find nothing."""

from __future__ import annotations

from typing import Any

from memoryos_graph import MemoryService

INVARIANTS = {
    "I1 fact without a page": """
        MATCH (f:Fact {user_id: $user_id}) WHERE NOT EXISTS { (f)-[:DERIVED_FROM]->(:Page) } RETURN f.fact_id AS id""",
    "I1 segment version without a page": """
        MATCH (v:SegmentVersion {user_id: $user_id}) WHERE NOT EXISTS { (v)-[:DERIVED_FROM]->(:Page) }
        RETURN v.version_id AS id""",
    "I1 chain without a page": """
        MATCH (c:Chain {user_id: $user_id}) WHERE NOT EXISTS { (c)-[:DERIVED_FROM]->(:Page) }
        RETURN c.chain_id AS id""",
    "I1 answer without a page": """
        MATCH (a:Answer {user_id: $user_id}) WHERE NOT EXISTS { (a)-[:DERIVED_FROM]->(:Page) }
        RETURN a.answer_id AS id""",
    "I11 relationship between two users": """
        MATCH (a {user_id: $user_id})-[r]-(b) WHERE b.user_id <> $user_id OR b.user_id IS NULL RETURN type(r) AS id""",
    "I14 two NEXT out": """
        MATCH (p:Page {user_id: $user_id}) WHERE COUNT { (p)-[:NEXT]->() } > 1 OR COUNT { (p)<-[:NEXT]-() } > 1
        RETURN p.page_id AS id""",
    "I14 not one session": """
        MATCH (p:Page {user_id: $user_id}) WHERE COUNT { (p)-[:IN_SESSION]->() } <> 1 RETURN p.page_id AS id""",
    "I14 chains of a migrated page": """
        MATCH (p:Page {user_id: $user_id, tier: 'mtm'}) WHERE COUNT { (p)-[:IN_CHAIN]->() } <> 1
        RETURN p.page_id AS id""",
    "migrated page without a segment": """
        MATCH (p:Page {user_id: $user_id, tier: 'mtm'}) WHERE NOT EXISTS { (p)-[:IN_SEGMENT]->() }
        RETURN p.page_id AS id""",
    "sequence with a gap or a double": """
        MATCH (p:Page {user_id: $user_id}) WITH count(p) AS n, count(DISTINCT p.seq) AS d, max(p.seq) AS m
        WHERE n <> d OR (n > 0 AND m <> n) RETURN n AS id""",
    "segment count that does not match its pages": """
        MATCH (s:Segment {user_id: $user_id}) WHERE s.n_pages <> COUNT { (s)<-[:IN_SEGMENT]-(:Page) }
        RETURN s.segment_id AS id""",
    "unread count that does not match": """
        MATCH (s:Segment {user_id: $user_id})
        WHERE s.n_unread <> COUNT { MATCH (s)<-[m:IN_SEGMENT]-(:Page) WHERE m.analysed_run IS NULL }
        RETURN s.segment_id AS id""",
}


async def ask(service: MemoryService, query: str, **params: Any) -> list[dict[str, Any]]:
    """Rows of any query, for assertions only."""
    return await service.ctx.store.connection.statement(query, **params)


async def assert_invariants(service: MemoryService, user_id: str) -> None:
    """I1, I11, I13 and I14 of one user, on the database as it is."""
    for name, query in INVARIANTS.items():
        assert await ask(service, query, user_id=user_id) == [], name
    quotes = await ask(
        service,
        """MATCH (f:Fact|Answer {user_id: $user_id})-[d:DERIVED_FROM]->(p:Page) WHERE d.quote IS NOT NULL
           RETURN d.quote AS quote, d.start AS start, d.end AS end, d.side AS side, p.user_input AS user,
                  p.assistant_response AS assistant, p.tool_text AS tool, p.system_text AS system""",
        user_id=user_id,
    )
    for row in quotes:  # I13
        assert row[row["side"]][row["start"] : row["end"]] == row["quote"]
