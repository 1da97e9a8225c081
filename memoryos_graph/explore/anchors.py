"""Where a query starts: the leaves of its plan. Each must be bound to the user; then it can't reach another's data,
since no relationship joins two users, and what one plan of a query proves holds for every plan of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import QueryRefused
from .hidden import HIDDEN

ANCHOR = "user_id = $user_id"
_STEPS = """
ProduceResults Projection Filter Expand(All) Expand(Into) OptionalExpand(All) OptionalExpand(Into)
VarLengthExpand(All) VarLengthExpand(Into) VarLengthExpand(Pruning) VarLengthExpand(Pruning,BFS)
VarLengthExpand(Pruning,BFS,All) VarLengthExpand(Pruning,BFS,Into) VarLengthExpand(All,BFS) Repeat(Trail)
Repeat(Walk) BidirectionalRepeat(Trail) NullifyMetadata ProjectEndpoints ShortestPath
StatefulShortestPath(All) StatefulShortestPath(Into) StatefulShortestPath(All,Trail)
StatefulShortestPath(Into,Trail) StatefulShortestPath(All,Walk) StatefulShortestPath(Into,Walk) Argument
EmptyRow Apply SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply
LetSelectOrSemiApply LetSelectOrAntiSemiApply RollUpApply ConditionalApply AntiConditionalApply
CartesianProduct NodeHashJoin ValueHashJoin LeftOuterHashJoin RightOuterHashJoin NodeLeftOuterHashJoin
NodeRightOuterHashJoin AssertSameNode AssertSameRelationship TriadicSelection TriadicBuild TriadicFilter Union
OrderedUnion Distinct OrderedDistinct EagerAggregation OrderedAggregation Sort PartialSort Top PartialTop
Top1WithTies Limit ExhaustiveLimit Skip Eager Unwind Optional CacheProperties RemoteBatchProperties
"""
STEPS = frozenset(_STEPS.split())
_SEEK = re.compile(r"(?:RANGE INDEX|UNIQUE) (\w+):(\w+)\([\w, ]+\) WHERE user_id = \$user_id(?= AND |, cache\[|$)")
_NODE = re.compile(r"(?:RANGE INDEX |UNIQUE |TEXT INDEX |POINT INDEX )?(\w+)(?::(\w+))?")
_ENDS = re.compile(r"\((\w*)\)(?:<?-|-)\[\w*:?([\w|]*)\](?:->?|-)\((\w*)\)$")
_QUOTED = re.compile(r"['\"`]")
_UNCLEAR = re.compile(r"\b(?:OR|XOR|CASE)\b", re.IGNORECASE)
_HIDDEN = re.compile(rf"\b(?:{'|'.join(sorted(HIDDEN))})\b")
_SEEKS = {"NodeIndexSeek", "NodeUniqueIndexSeek"}
_SCANS = {"NodeByLabelScan", "UnionNodeByLabelsScan", "IntersectionNodeByLabelsScan", "SubtractionNodeByLabelsScan"}
_RELATIONSHIPS = {
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedUnionRelationshipTypesScan",
    "UndirectedUnionRelationshipTypesScan",
}

Plan = Mapping[str, Any]


def check_plan(plan: Plan, query_type: str | None) -> None:
    """Raises QueryRefused that names the part of the query that is not bound to the user, and how to bind it."""
    if query_type != "r":
        raise QueryRefused("queries only read: nothing can be created, changed, deleted, called or shown")
    for step, above in _steps(plan, []):
        name, details = _name(step), _details(step)
        if _HIDDEN.search(details):
            raise QueryRefused("it uses what is not for queries")
        if name not in STEPS and (step.get("children") or not _anchored(name, details, above)):
            raise QueryRefused(_said(name, details))


def _steps(step: Plan, above: list[Plan]) -> Iterator[tuple[Plan, list[Plan]]]:
    """Each step, with those above it, the nearest one first."""
    yield step, above
    for child in step.get("children") or ():
        yield from _steps(child, [step, *above])


def _name(step: Plan) -> str:
    return str(step["operatorType"]).split("@")[0].replace(", ", ",")


def _details(step: Plan) -> str:
    return str(step["args"].get("Details", ""))


def _anchored(name: str, details: str, above: Sequence[Plan]) -> bool:
    if name in _SEEKS and _SEEK.match(details):
        return True
    if name in _SEEKS | _SCANS:
        node = _NODE.match(details)
        return node is not None and _bound_above({node[1]}, above)
    if name in _RELATIONSHIPS:
        ends = _ENDS.search(details)
        return ends is not None and _bound_above({ends[1], ends[3]} - {""}, above)
    return False


def _bound_above(variables: set[str], above: Sequence[Plan]) -> bool:
    """Whether the steps right above keep only what is the user's: of few nodes a scan, or a start at the other end, is
    cheaper than an index. What is joined by a relationship to a node of the user is the user's, too.
    """
    for step in above:
        name, details = _name(step), _details(step)
        if name == "Filter" and _keeps_user(details, variables):
            return True
        if name == "Expand(All)":
            ends = _ENDS.search(details)
            if ends is None or not {ends[1], ends[3]} & variables:
                return False
            variables = variables | {ends[1], ends[3]} - {""}
        elif name not in ("Filter", "CacheProperties"):
            return False
    return False


def _keeps_user(details: str, variables: set[str]) -> bool:
    """Only a plain AND of conditions counts; what could mean something else is no proof."""
    plain = _outside_brackets(details)
    if _QUOTED.search(details) or _UNCLEAR.search(plain):
        return False
    conditions = {part.strip() for part in plain.split(" AND ")}
    return any(f"{variable}.{ANCHOR}" in conditions for variable in variables)


def _outside_brackets(text: str) -> str:
    depth, kept = 0, []
    for char in text:
        depth += char in "([{"
        kept.append(char if depth == 0 else "_")
        depth -= char in ")]}"
    return "".join(kept)


def _said(name: str, details: str) -> str:
    how = "{user_id: $user_id}"
    if name == "AllNodesScan":
        return f"`{_shown(details)}` has no label: write ({_shown(details, '')}:Fact {how}), or another label"
    if "CountStore" in name:
        return f"a count over all users is not available: count what you bind, such as n of (n:Fact {how})"
    if "Relationship" in name and (ends := _ENDS.search(details)):
        kind = f":{ends[2]}" if ends[2] else ""
        return f"the relationship [{kind}] is looked up by itself: start at a node, as (n:Fact {how})-[{kind}]-()"
    node = _NODE.match(details)
    if name.startswith("Node") and node and node[2]:
        start = f"({_shown(node[1], '')}:{node[2]} {how})"
        return f"`{_shown(node[1])}` is looked up without an index on user_id: write {start}"
    if name.startswith("NodeBy"):
        return "a node can't be looked up by an internal id: use f.fact_id, p.page_id and so on"
    return f"the plan has the step {name}, which is not available"


def _shown(variable: str, unnamed: str = "a node without a name") -> str:
    return unnamed if variable.startswith("anon_") or not re.fullmatch(r"[A-Za-z_]\w{0,63}", variable) else variable
