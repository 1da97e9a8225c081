from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryos_graph.domain.admission import admit
from memoryos_graph.domain.claim import Claim, FactKind, Quote, Stance
from memoryos_graph.domain.page import Page, Side

from .claims import make_claim

AT = datetime(2026, 3, 1, tzinfo=UTC)


def _page(page_id: str = "p", **sides: str) -> Page:
    return Page(
        page_id=page_id,
        seq=1,
        conversation_id="c",
        session_id="s",
        assistant_id="a",
        user_input=sides.get("user", ""),
        assistant_response=sides.get("assistant", ""),
        tool_text=sides.get("tool", ""),
        system_text=sides.get("system", ""),
        origin=sides.get("origin", "conversation"),
        event_time=AT,
        recorded_at=AT,
        content_hash="",
    )


def _quote(page: Page, side: Side, text: str) -> Quote:
    start = page.side(side).find(text)
    return Quote(page.page_id, side, max(start, 0), max(start, 0) + len(text), text)


def _claim(kind: FactKind, *quotes: Quote, predicate: str = "likes", object: str = "tea") -> Claim:
    first, *more = quotes
    return Claim(
        page_id=first.page_id,
        side=first.side,
        quote=first.text,
        start=first.start,
        end=first.end,
        kind=kind,
        subject="user",
        predicate=predicate,
        object=object,
        text="The user likes tea.",
        more=tuple(more),
    )


WORDS = "I like tea"
PAGE = _page(user=WORDS, assistant=WORDS, tool=WORDS, system=WORDS)
CLAIMS, ECHOES, REFUSED = "claims", "echoes", "wrong_speaker"


@pytest.mark.parametrize(
    ("kind", "user", "assistant", "tool", "system"),
    [
        (FactKind.PROFILE, CLAIMS, ECHOES, ECHOES, ECHOES),
        (FactKind.KNOWLEDGE, CLAIMS, ECHOES, ECHOES, ECHOES),
        (FactKind.ASSISTANT_KNOWLEDGE, CLAIMS, CLAIMS, REFUSED, CLAIMS),
        (FactKind.ASSISTANT_TRAIT, CLAIMS, CLAIMS, REFUSED, CLAIMS),
        (FactKind.ENVIRONMENT, REFUSED, REFUSED, CLAIMS, REFUSED),
    ],
)
def test_cases_p7_p10_who_can_say_what(kind: FactKind, user: str, assistant: str, tool: str, system: str) -> None:
    wanted = {Side.USER: user, Side.ASSISTANT: assistant, Side.TOOL: tool, Side.SYSTEM: system}
    for side, where in wanted.items():
        found = admit([_claim(kind, _quote(PAGE, side, WORDS))], {"p": PAGE})
        assert (len(found.claims), len(found.echoes), found.rejected["wrong_speaker"]) == (
            where == CLAIMS,
            where == ECHOES,
            where == REFUSED,
        ), side


def test_cases_p2_l15_words_that_stand_nowhere_prove_nothing() -> None:
    invented = Quote("p", Side.USER, 0, 0, "I am a pilot")
    elsewhere = Quote("q", Side.USER, 0, len(WORDS), WORDS)
    found = admit([_claim(FactKind.PROFILE, invented), _claim(FactKind.PROFILE, elsewhere)], {"p": PAGE})
    assert (found.claims, found.echoes) == ([], [])
    assert found.rejected == {"quote_not_in_page": 1, "page_not_shown": 1}


def test_only_the_quotes_that_prove_a_claim_stay_with_it() -> None:
    claim = _claim(
        FactKind.KNOWLEDGE,
        Quote("p", Side.USER, 0, 4, "nope"),
        _quote(PAGE, Side.ASSISTANT, WORDS),
        _quote(PAGE, Side.USER, WORDS),
    )
    (kept,) = admit([claim], {"p": PAGE}).claims
    assert kept.quotes == (_quote(PAGE, Side.USER, WORDS),)


def test_what_a_tool_wrote_on_the_users_side_is_not_the_users_word() -> None:
    page = _page(user=WORDS, origin="tool")
    found = admit([_claim(FactKind.KNOWLEDGE, _quote(page, Side.USER, WORDS))], {"p": page})
    assert (found.claims, len(found.echoes)) == ([], 1)


@pytest.mark.parametrize(
    ("predicate", "object", "fault"),
    [
        ("openness", "high", None),
        ("charisma", "high", "unknown_dimension"),
        ("religion", "high", "closed_dimension"),
        ("openness", "very", "no_level"),
    ],
)
def test_traits_are_of_known_open_dimensions(predicate: str, object: str, fault: str | None) -> None:
    claim = _claim(FactKind.TRAIT, _quote(PAGE, Side.USER, WORDS), predicate=predicate, object=object)
    assert dict(admit([claim], {"p": PAGE}).rejected) == ({fault: 1} if fault else {})


@pytest.mark.parametrize(
    ("text", "quote", "replaces", "proposes"),
    [
        ("That's wrong, I live in Bergen.", "I live in Bergen", None, True),
        ("That’s not right. I live in Bergen.", "I live in Bergen", None, True),
        ("No, that is wrong, I live in Bergen.", "that is wrong, I live in Bergen", "Oslo", True),
        ("You've got that wrong, actually, I live in Bergen.", "I live in Bergen", None, True),
        ("不对，我住在上海。", "我住在上海", None, True),
        ("你记错了，我住在上海。", "我住在上海", None, True),
        ("That's wrong, I live in Bergen, not Oslo.", "I live in Bergen, not Oslo", "Oslo", False),
        ("No, I live in Bergen.", "I live in Bergen", None, False),
        ("说错了，我叫王芳。", "我叫王芳", None, False),
        ("不对，我住在上海，不是北京。", "我住在上海，不是北京", "北京", False),
        ("Nothing is wrong here. I live in Bergen.", "I live in Bergen", None, False),
    ],
)
def test_where_a_proposal_ends_and_a_correction_begins(
    text: str, quote: str, replaces: str | None, proposes: bool
) -> None:
    start = text.index(quote)
    page = _page(user=text)
    place = {"quote": quote, "start": start, "end": start + len(quote), "stance": Stance.CORRECTS}
    claim = make_claim("lives_in", "Bergen", page.page_id, replaces=replaces, **place)
    (admitted,) = admit([claim], {page.page_id: page}).claims
    assert (admitted.disputes, admitted.stance is Stance.STATES) == (proposes, proposes)
