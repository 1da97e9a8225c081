"""A user's graph told with names instead of ids: pages by external id, segments by summary, facts by their words."""

from __future__ import annotations

import json
from typing import Any

from memoryos_graph import MemoryService

from ..graph import ask

PAGES = """
MATCH (p:Page {user_id: $user_id})
OPTIONAL MATCH (p)-[:IN_CHAIN]->(c:Chain)
OPTIONAL MATCH (first:Page {user_id: $user_id, seq: c.first_seq})
RETURN p.external_id AS id, p.tier AS tier, p.state AS state, p.archived AS archived, first.external_id AS chain,
       COLLECT { MATCH (p)-[m:IN_SEGMENT]->(s:Segment)
                 RETURN [s.summary, m.analysed_run IS NOT NULL] ORDER BY s.summary } AS segments,
       COLLECT { MATCH (p)-[:CONTINUES]->(n:Page) RETURN n.external_id } AS goes_on,
       COLLECT { MATCH (p)-[:NEXT]->(n:Page) RETURN n.external_id } AS next
ORDER BY p.seq
"""
SEGMENTS = """
MATCH (s:Segment {user_id: $user_id})
RETURN s.summary AS summary, s.keywords AS keywords, s.n_pages AS pages, s.n_unread AS unread, s.n_visit AS visits,
       s.l_interaction AS l, s.version AS version, s.archived AS archived,
       COUNT { (:SegmentVersion)-[:VERSION_OF]->(s) } AS versions
ORDER BY s.summary
"""
FACTS = """
MATCH (f:Fact {user_id: $user_id})
RETURN f.kind AS kind, f.predicate AS predicate, f.object AS object, f.text AS text, f.status AS status,
       f.support AS support, toString(date(f.valid_from)) AS valid_from, toString(date(f.valid_to)) AS valid_to,
       f.retired_at < datetime('9000-01-01T00:00Z') AS retired,
       COLLECT { MATCH (f)-[d:DERIVED_FROM]->(p:Page)
                 RETURN [p.external_id, d.side, d.quote] + CASE WHEN d.ends THEN ['ends'] ELSE [] END
                 ORDER BY p.seq, d.start } AS sources,
       COLLECT { MATCH (f)-[s:SUPERSEDES]->(o:Fact) RETURN [s.kind, o.text] ORDER BY o.text } AS supersedes,
       COLLECT { MATCH (f)-[:CONFLICTS_WITH]-(o:Fact) RETURN o.object ORDER BY o.object } AS conflicts
ORDER BY predicate, f.valid_from, object, status
"""
PROFILE = """
MATCH (v:ProfileVersion {user_id: $user_id})
RETURN v.version AS version, toString(date(v.at)) AS at,
       COLLECT { MATCH (f:Fact {user_id: $user_id})
                 WHERE f.fact_id IN v.added RETURN f.text AS text ORDER BY text } AS added,
       COLLECT { MATCH (f:Fact {user_id: $user_id})
                 WHERE f.fact_id IN v.removed RETURN f.text AS text ORDER BY text } AS removed
ORDER BY version
"""
EVENTS = "MATCH (e:Event {user_id: $user_id}) RETURN e.kind AS kind, count(*) AS count ORDER BY kind"
RUNS = "MATCH (r:Run {user_id: $user_id}) RETURN r.kind AS kind, r.state AS state, r.rejected AS rejected"


async def told(service: MemoryService, user_id: str) -> dict[str, Any]:
    """Everything of a user that does not depend on ids or the moment of the run."""
    runs = await ask(service, RUNS, user_id=user_id)
    ended: dict[str, int] = {}
    rejected: dict[str, int] = {}
    for run in runs:
        ended[f"{run['kind']} {run['state']}"] = ended.get(f"{run['kind']} {run['state']}", 0) + 1
        for code, count in json.loads(run["rejected"]).items():
            rejected[code] = rejected.get(code, 0) + count
    return {
        "pages": {row.pop("id"): row for row in await ask(service, PAGES, user_id=user_id)},
        "segments": {row.pop("summary"): row for row in await ask(service, SEGMENTS, user_id=user_id)},
        "facts": await ask(service, FACTS, user_id=user_id),
        "profile": await ask(service, PROFILE, user_id=user_id),
        "events": {row["kind"]: row["count"] for row in await ask(service, EVENTS, user_id=user_id)},
        "rejected": dict(sorted(rejected.items())),
        "runs": dict(sorted(ended.items())),
    }
