"""From pages to claims: plain sentences of the user's side through all rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ...domain.claim import Claim
from ...domain.page import Page, Side
from ...domain.predicates import PREDICATES
from . import ends, family_en, health_en, life_zh, plans_en, statements_en, statements_zh, tastes_en, tastes_zh
from .corrections import corrections
from .sentence import Found, Sentence
from .speech import plain_sentences, plain_text, role_play_goes_on
from .tool_results import tool_results

SUBJECT = "user"
Rule = Callable[[Sentence], Iterator[Found]]
# The rules of a language, and what a sentence must hold for any of them to apply.
_LANGUAGES: tuple[tuple[re.Pattern[str], tuple[Rule, ...]], ...] = (
    (
        re.compile(r"(?i)\b(?:I|Im|my|we|our|me)\b"),
        (
            statements_en.statements,
            family_en.statements,
            health_en.statements,
            tastes_en.statements,
            plans_en.statements,
            ends.english,
        ),
    ),
    (re.compile("我|本人"), (statements_zh.statements, life_zh.statements, tastes_zh.statements, ends.chinese)),
)


def claims(pages: Sequence[Page]) -> tuple[Claim, ...]:
    """What users say of themselves on these pages, each statement once a page, in the order it was said.

    Role play that began on a page silences the pages after it in that session, until it is said to be over. The results
    of tools are not the user's words: they are facts about the environment.
    """
    proposed: list[Claim] = []
    playing: dict[str, bool] = {}
    for page in pages:
        before = playing.get(page.session_id, False)
        playing[page.session_id] = role_play_goes_on(page.user_input, before)
        if page.origin != "tool":
            proposed.extend(_of_page(page, proposed, in_role_play=before and playing[page.session_id]))
        proposed.extend(tool_results(page))
    return tuple(proposed)


def _of_page(page: Page, said: Sequence[Claim], *, in_role_play: bool) -> list[Claim]:
    text = page.user_input
    folded = plain_text(text, in_role_play=in_role_play)
    if folded is None:
        return []
    claimed: list[Claim] = []
    for sentence in plain_sentences(text, folded, page.event_time):
        found = list(_found(sentence)) or list(corrections(sentence, [*said, *claimed]))
        claimed.extend(_claim(page, one) for one in found)
    return _once(claimed)


def _found(sentence: Sentence) -> Iterator[Found]:
    for first_person, rules in _LANGUAGES:
        if sentence.has(first_person):
            for rule in rules:
                yield from rule(sentence)


def _once(claimed: Sequence[Claim]) -> list[Claim]:
    """The first of each statement, in the order of the text."""
    firsts: dict[tuple[str, str], Claim] = {}
    for one in claimed:
        firsts.setdefault((one.predicate, one.object.casefold()), one)
    return sorted(firsts.values(), key=lambda one: (one.start, one.end))


def _claim(page: Page, found: Found) -> Claim:
    predicate = PREDICATES[found.predicate]
    quote = page.user_input[found.start : found.end].rstrip()
    return Claim(
        page_id=page.page_id,
        side=Side.USER,
        quote=quote,
        start=found.start,
        end=found.start + len(quote),
        kind=predicate.kind,
        subject=SUBJECT,
        predicate=predicate.name,
        object=found.object,
        text=found.text,
        confidence=found.confidence,
        valid_from=found.valid_from,
        sensitivity=predicate.sensitivity,
        stance=found.stance,
        replaces=found.replaces,
    )
