from __future__ import annotations

import asyncio

from memoryos_graph.domain.claim import Claim, FactKind
from memoryos_graph.domain.page import Side
from memoryos_graph.llm.rules import RulesProvider

from .test_rules_claims import page


def _claims(tool_text: str) -> tuple[Claim, ...]:
    shown = page("I live in Oslo.", tool_text=tool_text)
    claims = asyncio.run(RulesProvider().propose_claims([shown])).value
    for claim in claims:
        assert shown.side(claim.side)[claim.start : claim.end] == claim.quote
    return tuple(claim for claim in claims if claim.side is Side.TOOL)


def test_each_call_is_one_fact_about_the_environment() -> None:
    first, second = _claims("weather(city: Oslo) → temp: -3, sky: a → b\ncalendar() → free")
    assert (first.kind, first.subject, first.object) == (
        FactKind.ENVIRONMENT,
        "weather(city: Oslo)",
        "temp: -3, sky: a → b",
    )
    assert (second.subject, second.object) == ("calendar()", "free")


def test_of_a_call_made_twice_on_a_page_the_newest_result_counts() -> None:
    (claim,) = _claims("load() → 10\nload() → 12")
    assert claim.object == "12"


def test_lines_that_are_no_calls_say_nothing() -> None:
    assert _claims("") == ()
    assert _claims("something else\nx() → ") == ()
