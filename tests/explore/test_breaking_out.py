"""Queries put together at random out of parts that are bound to the user and parts that are not: each is refused, or
gives nothing of another user."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryos_graph.errors import InvalidInput

from .conftest import Pair

pytestmark = pytest.mark.engine
BOUND = "{user_id: $user_id}"
LABELS = st.sampled_from([":Fact", ":Page", ":Fact", ":Page", ":User", ":Segment", ":Fact|Page", ":!Run", ""])
ANCHORS = st.sampled_from(
    [BOUND, BOUND, BOUND, "", "{user_id: $other}", "{user_id: $user_id + ''}", "{user_id: coalesce($other, $user_id)}"]
)
CONDITIONS = st.sampled_from(
    [
        "true",
        "VAR.user_id = $user_id",
        "VAR.user_id = $user_id AND VAR.hidden = false",
        "VAR.user_id = $user_id OR VAR.user_id = $other",
        "VAR.pinned OR VAR.user_id = $user_id AND VAR.hidden = false OR true",
        "NOT (VAR.user_id = $user_id AND VAR.hidden = false)",
        "VAR.user_id IN [$user_id, $other]",
        "VAR.user_id STARTS WITH 'b'",
        "VAR.user_id <> $user_id",
        "CASE WHEN VAR.user_id = $user_id AND VAR.hidden THEN false ELSE true END",
        "VAR.user_id = $user_id XOR VAR.user_id = $other",
        "VAR.text <> ' AND VAR.user_id = $user_id AND '",
    ]
)
JOINS = st.sampled_from(
    ["-[:DERIVED_FROM]->", "<-[:DERIVED_FROM]-", "--", "-[:IN_SEGMENT|IN_SESSION]->", "-[*1..2]-", ", "]
)


@st.composite
def patterns(draw: st.DrawFn, one: str, two: str) -> str:
    """A node, or two that are joined somehow or not at all."""
    first = f"({one}{draw(LABELS)} {draw(ANCHORS)})"
    if draw(st.booleans()):
        return first
    second = f"({two}{draw(LABELS)} {draw(ANCHORS)})" if draw(st.booleans()) else f"({two})"
    return first + draw(JOINS) + second


@st.composite
def matches(draw: st.DrawFn, one: str, two: str) -> str:
    """A MATCH with its condition, which may hold a subquery."""
    where = draw(CONDITIONS).replace("VAR", one)
    inner = draw(patterns("q", "r"))
    held = draw(st.sampled_from(["", f" AND EXISTS {{ MATCH {inner} }}", f" AND COUNT {{ {inner} }} > 0"]))
    return f"MATCH {draw(patterns(one, two))} WHERE {where}{held}"


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Clauses one after the other, each of which may be unbound."""
    text = draw(matches("a", "b"))
    following = draw(matches("c", "d"))
    text += draw(
        st.sampled_from(
            [
                "",
                f" WITH * {following}",
                f" OPTIONAL {following}",
                f" CALL {{ {following} RETURN c }}",
                f" CALL (a) {{ {following} RETURN c }}",
                f" UNWIND [$user_id, $other] AS who MATCH (c:Fact {{user_id: who}}) {following.replace('c', 'e', 0)}",
            ]
        )
    )
    inner = draw(matches("x", "y"))
    text += draw(
        st.sampled_from(
            [
                " RETURN *",
                f" RETURN a, COLLECT {{ {inner} RETURN x }} AS more",
                f" RETURN a, COUNT {{ {inner} }} AS more",
                " RETURN a, [(a)--(x) | x] AS more",
                f" RETURN a UNION {inner} RETURN x AS a",
                f" RETURN a UNION ALL {inner.replace('x', 'a')} RETURN a",
            ]
        )
    )
    return text


@settings(
    max_examples=80,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(query=queries())
async def test_no_composition_gets_at_another_user(pair: Pair, query: str) -> None:
    params = {"other": pair.bo_id} if "$other" in query else {}
    try:
        result = await pair.ana.cypher(query, params, limit=1000)
    except InvalidInput:
        return
    assert pair.harmless(result), query
