"""Plans that prove that a query stays with its user, and plans that prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from memoryos_graph.errors import QueryRefused
from memoryos_graph.explore.anchors import check_plan

SEEK = ("NodeIndexSeek", "RANGE INDEX f:Fact(user_id) WHERE user_id = $user_id, cache[f.user_id]")
SCAN = ("NodeByLabelScan", "f:Fact")
TYPES = ("DirectedRelationshipTypeScan", "(a)-[s:SUPERSEDES]->(b)")
BOUND = ("Filter", "f.user_id = $user_id AND f.status = $autostring_0")


def _plan(*steps: tuple[str, str]) -> dict[str, Any]:
    """Steps from the top down."""
    (name, details), *rest = steps
    children = [_plan(*rest)] if rest else []
    return {"operatorType": f"{name}@neo4j", "args": {"Details": details}, "children": children}


PROVEN = {
    "seek": [("ProduceResults", "f"), SEEK],
    "seek_and_more": [("NodeUniqueIndexSeek", "UNIQUE f:Fact(user_id, seq) WHERE user_id = $user_id AND seq = $x")],
    "scan": [BOUND, SCAN],
    "scan_or_in_brackets": [("Filter", "f.user_id = $user_id AND (f.a = $x OR f.b = $y)"), SCAN],
    "scan_cached": [BOUND, ("CacheProperties", "cache[f.status]"), SCAN],
    "other_end": [("Filter", "p:Page AND p.user_id = $user_id"), ("Expand(All)", "(f)-[d:DERIVED_FROM]->(p)"), SCAN],
    "two_steps": [
        ("Filter", "q.user_id = $user_id"),
        ("Expand(All)", "(p)<-[:NEXT]-(q)"),
        ("Filter", "p:Page"),
        ("Expand(All)", "(f)-[anon_0:DERIVED_FROM]->(p)"),
        SCAN,
    ],
    "relationships": [("Filter", "b.user_id = $user_id"), TYPES],
    "nothing": [("ProduceResults", "x"), ("Projection", "$autoint_0 AS x")],
}  # fmt: skip

UNPROVEN = {
    "scan": [("ProduceResults", "f"), SCAN],
    "everything": [("Filter", "n.user_id = $user_id"), ("AllNodesScan", "n")],
    "other_seek": [("NodeIndexSeek", "RANGE INDEX f:Fact(user_id) WHERE user_id = $other")],
    "seek_in": [("NodeIndexSeek", "RANGE INDEX f:Fact(user_id) WHERE user_id IN [$user_id, $x]")],
    "seek_more": [("NodeIndexSeek", "RANGE INDEX f:Fact(user_id) WHERE user_id = $user_id + $x")],
    "seek_longer_name": [("NodeIndexSeek", "RANGE INDEX f:Fact(user_id) WHERE user_id = $user_idx")],
    "seek_second": [("NodeIndexSeek", "RANGE INDEX f:Fact(status, user_id) WHERE status = $x AND user_id = $user_id")],
    "or": [("Filter", "f.a = $x OR f.b = $y AND f.user_id = $user_id"), SCAN],
    "case": [("Filter", "CASE WHEN f.a AND f.user_id = $user_id AND f.b THEN true ELSE true END"), SCAN],
    "xor": [("Filter", "f.a XOR f.b AND f.user_id = $user_id AND f.c"), SCAN],
    "not": [("Filter", "NOT f.user_id = $user_id"), SCAN],
    "in_brackets": [("Filter", "NOT (f.a AND f.user_id = $user_id AND f.b)"), SCAN],
    "in_a_string": [("Filter", "f.a = ' AND f.user_id = $user_id AND '"), SCAN],
    "other_variable": [("Filter", "g.user_id = $user_id"), SCAN],
    "other_branch": [("Filter", "q.user_id = $user_id"), ("Expand(All)", "(p)-[:NEXT]->(q)"), SCAN],
    "optional": [("Filter", "p.user_id = $user_id"), ("OptionalExpand(All)", "(f)-[d]->(p)"), SCAN],
    "after_a_projection": [BOUND, ("Projection", "x AS f"), SCAN],
    "count": [("ProduceResults", "n"), ("NodeCountFromCountStore", "count( (:Fact) ) AS n")],
    "unknown": [("SomethingNew", "f"), SEEK],
    "unknown_leaf": [("ProduceResults", "f"), ("SomethingNew", "f")],
    "hidden": [("Projection", "u.tombstone_key AS x"), SEEK],
}  # fmt: skip


@pytest.mark.parametrize("steps", [pytest.param(steps, id=name) for name, steps in PROVEN.items()])
def test_a_plan_that_proves_it(steps: list[tuple[str, str]]) -> None:
    check_plan(_plan(*steps), "r")


@pytest.mark.parametrize("steps", [pytest.param(steps, id=name) for name, steps in UNPROVEN.items()])
def test_a_plan_that_proves_nothing(steps: list[tuple[str, str]]) -> None:
    with pytest.raises(QueryRefused):
        check_plan(_plan(*steps), "r")


def test_each_leaf_is_looked_at_and_only_reading_is_read() -> None:
    join = _plan(("NodeHashJoin", "f"))
    join["children"] = [_plan(SEEK), _plan(SCAN)]
    with pytest.raises(QueryRefused):
        check_plan(join, "r")
    for kind in ("w", "rw", "s", None):
        with pytest.raises(QueryRefused, match="only read"):
            check_plan(_plan(SEEK), kind)
