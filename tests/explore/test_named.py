"""The named queries, on what they are for; and the document that shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.contract import CypherQuery
from memoryos_graph.errors import InvalidInput, NotFound

from .conftest import Pair

pytestmark = pytest.mark.engine
NAMED = {query.name: query for query in MemoryService.cypher_queries().items}
DOCUMENT = (Path(__file__).parents[2] / "docs/graph.md").read_text()
EXAMPLES = [block for block in re.findall(r"```cypher\n(.*?)```", DOCUMENT, re.DOTALL) if ":Meta" not in block]


async def _ids(pair: Pair) -> dict[str, Any]:
    (row,) = (
        await pair.ana.cypher(
            "MATCH (f:Fact {user_id: $user_id})-[:DERIVED_FROM]->(p:Page) WHERE f.object = 'Bergen' "
            "MATCH (s:Segment {user_id: $user_id}) MATCH (a:Answer {user_id: $user_id}) "
            "RETURN f.fact_id AS fact_id, p.page_id AS page_id, s.segment_id AS segment_id, a.answer_id AS answer_id"
        )
    ).rows
    times = {"since": "2025-03-01T00:00:00Z", "until": "2025-05-01T00:00:00Z", "at": "2025-02-20T00:00:00Z"}
    return row | times | {"conversation_id": "talk", "words": "CELLO"}


WANTED: dict[str, tuple[str, list[Any]]] = {
    "why": ("quote", ["I moved to Bergen"]),
    "what_superseded_what": ("kind", ["change"]),
    "corrections": ("decision", []),
    "contradictions": ("one", []),
    "true_at": ("fact", ["The user lives in Hamburg.", "The user has a dog."]),
    "said_between": ("user", ["I moved to Bergen.", "I'm allergic to hazelnuts."]),
    "said_with": ("user", ["My name is Ana. I love playing the cello."]),
    "dialogue": ("user", ["I moved to Bergen."]),
    "what_was_forgotten": ("chosen_by", ["pages"]),
    "segment_versions": ("pages", [5]),
    "heat": ("pages", [5]),
    "profile_history": ("version", [1]),
}
SOME = {"facts_on_one_page": 6, "from_conversation": 7, "segment_timeline": 5, "promotions": 1, "unused_facts": 0}


@pytest.mark.parametrize("query", NAMED.values(), ids=lambda query: query.name)
async def test_a_named_query_passes_the_guard_and_tells(pair: Pair, query: CypherQuery) -> None:
    ids = await _ids(pair)
    given = {p.name: ids[p.name] for p in query.parameters if p.required}
    result = await pair.ana.named_cypher(query.name, given)
    assert pair.harmless(result)
    assert query.description.endswith(".")
    if query.name in WANTED:
        column, values = WANTED[query.name]
        assert [row[column] for row in result.rows] == values
    elif query.name in SOME:
        assert len(result.rows) == SOME[query.name]
    else:
        assert result.rows


async def test_what_changed_between_two_moments(pair: Pair) -> None:
    result = await pair.ana.named_cypher("what_changed", {"since": "2025-01-01T00:00:00Z"})
    assert {(row["what"], row["fact"]) for row in result.rows} >= {
        ("learnt", "The user lives in Bergen."),
        ("ended", "The user lives in Hamburg."),
    }
    long_ago = {"since": "2020-01-01T00:00:00Z", "until": "2020-02-01T00:00:00Z"}
    assert (await pair.ana.named_cypher("what_changed", long_ago)).rows == []


async def test_wrong_names_and_parameters_are_named(pair: Pair) -> None:
    with pytest.raises(NotFound):
        await pair.ana.named_cypher("nothing")
    with pytest.raises(InvalidInput, match="fact_id is missing"):
        await pair.ana.named_cypher("why")
    with pytest.raises(InvalidInput, match="x is not a parameter"):
        await pair.ana.named_cypher("heat", {"x": 1})


@pytest.mark.parametrize("example", EXAMPLES)
async def test_each_example_of_the_document_passes_the_guard(pair: Pair, example: str) -> None:
    assert pair.harmless(await pair.ana.cypher(example))


def test_the_document_lists_every_named_query() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| (.+?) \| (.*?) \|$", DOCUMENT, re.MULTILINE)
    listed = {name: (text, re.findall(r"`(\w+)`", takes)) for name, text, takes in rows if name in NAMED}
    assert listed == {
        name: (query.description, [parameter.name for parameter in query.parameters]) for name, query in NAMED.items()
    }
