"""Every combination of filter, moment, include and mode against a brute-force oracle over the exported graph.

The oracle reads all nodes and relationships of the user by plain Cypher and applies the rules in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.contract import Hit
from memoryos_graph.demo.scripted_answers import vector
from memoryos_graph.llm.keywords import keywords

from ..conftest import FakeClock
from ..graph import ask

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]

KINDS = ["page", "fact", "segment"]
SUBJECTS = {
    "Where do I live now?": "live now",
    "What about the violin and the garden?": "violin garden",
    "Am I allergic to anything?": "am allergic anything",
    "jazz": "jazz",
}
QUESTIONS = list(SUBJECTS)
FAR = datetime(9999, 12, 30, tzinfo=UTC)
LONG = " ".join(f"sheet{n} of the violin garden" for n in range(40))


def day(month: int, year: int = 2025) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


TIMES = [day(12, 2024), day(2), day(4), day(6), datetime(2026, 3, 4, 9, tzinfo=UTC), day(1, 2027)]
QUERY = st.fixed_dictionaries(
    {
        "query": st.sampled_from(QUESTIONS),
        "mode": st.sampled_from(["hybrid", "flat", "memoryos"]),
        "conversation_id": st.sampled_from([None, None, "home", "work"]),
        "assistant_id": st.sampled_from([None, None, "amy", "bob"]),
        "tags": st.sampled_from([[], [], ["red"], ["red", "blue"]]),
        "since": st.sampled_from([None, None, day(2), day(4)]),
        "until": st.sampled_from([None, None, day(5), day(7)]),
        "as_of": st.sampled_from([None, None, *TIMES]),
        "known_at": st.sampled_from([None, None, *TIMES]),
        "include": st.sampled_from([[], ["superseded"], ["archived"], ["superseded", "archived"]]),
        "top_m": st.integers(1, 4),
    }
)

SAID: Sequence[tuple[int, str, str, str, list[str]]] = (
    (1, "I live in Oslo.", "home", "amy", ["red"]),
    (1, "I am allergic to peanuts.", "work", "bob", ["red", "blue"]),
    (2, "The violin needs new strings.", "home", "bob", []),
    (2, "I moved to Rome.", "work", "amy", ["blue"]),
    (3, "The garden is full of tomatoes.", "home", "amy", ["red", "blue"]),
    (3, "I like jazz.", "home", "bob", ["red"]),
    (4, "I moved to Lyon.", "work", "bob", ["red"]),
    (5, "I don't like jazz any more.", "home", "amy", []),
    (5, "My violin teacher is called Ada.", "work", "amy", ["red", "blue"]),
    (6, "I am allergic to pollen.", "home", "bob", ["blue"]),
    (6, LONG + " and the last word is zebra.", "work", "bob", ["red"]),
    (7, "The garden shed burned down.", "home", "amy", ["red"]),
)


@dataclass(frozen=True)
class Export:
    """All that the user has, as rows of plain properties."""

    pages: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    segments: list[dict[str, Any]]


async def export(service: MemoryService, user_id: str) -> Export:
    pages = await ask(
        service,
        """MATCH (p:Page {user_id: $u}) RETURN p {.*} AS p,
           [(p)-[:HAS_PASSAGE]->(x) | x.embedding] AS passages""",
        u=user_id,
    )
    facts = await ask(
        service,
        """MATCH (f:Fact {user_id: $u})
           RETURN f {.*} AS f, [(f)-[d:DERIVED_FROM]->(p:Page) | d {.*, page: p.page_id}] AS said""",
        u=user_id,
    )
    segments = await ask(
        service,
        """MATCH (s:Segment {user_id: $u}) RETURN s {.*} AS s, [(p:Page)-[:IN_SEGMENT]->(s) | p.page_id] AS pages""",
        u=user_id,
    )
    return Export(
        [row["p"] | {"passages": row["passages"]} for row in pages],
        [row["f"] | {"said": row["said"]} for row in facts],
        [row["s"] | {"pages": row["pages"]} for row in segments],
    )


class Oracle:
    """What a question should give, by the rules and nothing else."""

    def __init__(self, graph: Export, q: dict[str, Any], now: datetime) -> None:
        self.graph, self.q, self.now = graph, q, now
        self.pages = {page["page_id"]: page for page in graph.pages}
        self.vector = vector(q["query"])
        if q["mode"] == "hybrid":  # half of it is that of the content words
            self.vector = [a + b for a, b in zip(self.vector, vector(SUBJECTS[q["query"]]), strict=True)]

    def filtered(self, page: dict[str, Any]) -> bool:
        q = self.q
        return (
            q["conversation_id"] in (None, page["conversation_id"])
            and q["assistant_id"] in (None, page["assistant_id"])
            and all(tag in page["tags"] for tag in q["tags"])
            and (q["since"] is None or page["event_time"] >= q["since"])
            and (q["until"] is None or page["event_time"] < q["until"])
        )

    def in_time(self, page: dict[str, Any]) -> bool:
        q = self.q
        said = q["as_of"] is None or page["event_time"] <= q["as_of"]
        return said and (q["known_at"] is None or page["recorded_at"] <= q["known_at"])

    def page(self, page: dict[str, Any]) -> bool:
        kept = not page["archived"] or "archived" in self.q["include"]
        return kept and not page["hidden"] and self.filtered(page) and self.in_time(page)

    def fact(self, fact: dict[str, Any]) -> bool:
        known_at = self.q["known_at"] or FAR
        if fact["hidden"] or (fact.get("retired_by") in ("refresh", "merge") and fact["retired_at"] <= known_at):
            return False
        said = [
            d for d in fact["said"] if not d["ends"] and d["at"] <= known_at and not self.pages[d["page"]]["hidden"]
        ]
        state = self.state(fact, min((d["holds_from"] for d in said), default=None))
        allowed = state == "current" or state in self.q["include"]
        bound = any(self.q[name] for name in ("conversation_id", "assistant_id", "tags", "since", "until"))
        return allowed and (not bound or any(self.filtered(self.pages[d["page"]]) for d in said))

    def state(self, fact: dict[str, Any], begins: datetime | None) -> str:
        if fact["status"] == "proposed" or fact.get("proposed"):
            return "proposed"
        if self.q["as_of"] is None and self.q["known_at"] is None:
            ended = fact["status"] == "current" and fact["valid_to"] <= self.now
            return "superseded" if ended else str(fact["status"])
        known_at = self.q["known_at"] or FAR
        at = self.q["as_of"] or known_at
        if fact["recorded_at"] > known_at or begins is None or begins > at:
            return "unknown"
        if fact["retired_at"] <= known_at:
            return "retracted"
        end = fact["valid_to"] if fact["closed_at"] <= known_at else FAR
        return "superseded" if end <= at else "current"

    def segment(self, segment: dict[str, Any]) -> bool:
        members = [self.pages[page_id] for page_id in segment["pages"] if not self.pages[page_id]["hidden"]]
        kept = not segment["archived"] or "archived" in self.q["include"]
        return kept and not segment["hidden"] and all(self.filtered(p) and self.in_time(p) for p in members)

    def cosine(self, other: Sequence[float]) -> float:
        dot = sum(a * b for a, b in zip(self.vector, other, strict=True))
        return dot / math.sqrt(sum(a * a for a in self.vector) * sum(b * b for b in other))

    def similarity(self, hit: Hit) -> float:
        if hit.kind == "page":
            page = self.pages[hit.id]
            return max(self.cosine(v) for v in [page["embedding"], *page["passages"]])
        nodes, key = (self.graph.facts, "fact_id") if hit.kind == "fact" else (self.graph.segments, "segment_id")
        return self.cosine(next(node["embedding"] for node in nodes if node[key] == hit.id))

    def nearest_segments(self) -> list[dict[str, Any]]:
        asked = set(keywords(self.q["query"]))

        def order(segment: dict[str, Any]) -> tuple[float, str]:
            shared = len(asked & set(segment["keywords"]))
            overlap = shared / (len(segment["keywords"]) + len(asked) - shared) if shared else 0.0
            return -round(self.cosine(segment["embedding"]) + overlap, 6), segment["segment_id"]

        return sorted(filter(self.segment, self.graph.segments), key=order)[: self.q["top_m"]]

    def ids(self) -> dict[str, set[str]]:
        segments = self.nearest_segments()
        pages = {page["page_id"] for page in self.graph.pages if self.page(page)}
        if self.q["mode"] == "memoryos":
            pages &= {page_id for segment in segments for page_id in segment["pages"]}
        return {
            "page": pages,
            "fact": {fact["fact_id"] for fact in self.graph.facts if self.fact(fact)},
            "segment": {segment["segment_id"] for segment in segments},
        }


@pytest.fixture
async def lived(service: MemoryService, memory: UserMemory, clock: FakeClock) -> Export:
    """Told on five days of recording, read by the rules; then some of it archived, hidden, corrected, proposed."""
    for n in range(0, len(SAID), 3):
        await memory.remember(
            [
                TurnIn(
                    user_input=text, event_time=day(month), conversation_id=conversation, assistant_id=name, tags=tags
                )
                for month, text, conversation, name, tags in SAID[n : n + 3]
            ]
        )
        await memory.maintain("all")
        clock.move(days=1)
    changes = (
        "MATCH (p:Page {user_id: $u}) WHERE p.user_input CONTAINS 'shed' SET p.archived = true",
        "MATCH (p:Page {user_id: $u}) WHERE p.user_input CONTAINS 'strings' SET p.hidden = true",
        "MATCH (f:Fact {user_id: $u}) WHERE f.text CONTAINS 'pollen' SET f.status = 'archived'",
        "MATCH (s:Segment {user_id: $u}) WITH s ORDER BY s.segment_id LIMIT 1 SET s.archived = true",
        """MATCH (f:Fact {user_id: $u, status: 'current'}) WHERE f.text CONTAINS 'Lyon'
           SET f.status = 'retracted', f.retired_at = datetime('2026-03-05T08:00:00Z'), f.retired_by = 'correction'""",
    )
    for change in changes:
        await ask(service, change, u=memory.user_id)
    return await export(service, memory.user_id)


@settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(q=QUERY)
async def test_search_gives_what_the_oracle_gives(
    memory: UserMemory, lived: Export, clock: FakeClock, q: dict[str, Any]
) -> None:
    result = await memory.search(**q, kinds=KINDS, top_k=200)
    oracle = Oracle(lived, q, clock.now())
    found: dict[str, set[str]] = {kind: {hit.id for hit in result.hits if hit.kind == kind} for kind in KINDS}
    assert found == oracle.ids()
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in result.hits:
        assert hit.similarity == pytest.approx(oracle.similarity(hit), abs=2e-4)
        assert hit.score == pytest.approx(sum(hit.parts.values()))
    if q["mode"] != "hybrid":  # by vectors alone: the same order
        near = [oracle.similarity(hit) for hit in result.hits if hit.kind != "segment"]
        assert all(a >= b - 1e-5 for a, b in pairwise(near) if b > 0)


def test_the_prepared_graph_has_all_that_the_rules_tell_apart() -> None:
    """What the questions can name occurs in what was said, so that no filter is tested on nothing."""
    assert {row[2] for row in SAID} == {"home", "work"}
    assert {row[3] for row in SAID} == {"amy", "bob"}
    assert {tag for row in SAID for tag in row[4]} == {"red", "blue"}
