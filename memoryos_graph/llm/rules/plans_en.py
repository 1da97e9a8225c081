"""English: what somebody plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .dates import MONTHS
from .english import I_AM, opens_clause
from .sentence import MASK, Found, Sentence

_PLANS = re.compile(
    rf"(?i)(?:{I_AM}(?: also| still| currently)? planning(?P<trip> (?:a|my|our) (?:\w+ )?(?:trip|vacation|holiday"
    rf"|visit|journey))? to"
    r"|\bI(?: also| still)? plan to|\bI(?:'ve| have) been planning(?P<trip2> a (?:\w+ )?(?:trip|vacation|holiday"
    r"|visit|journey)) to) "
)
_MOVES = re.compile(
    rf"(?i){I_AM} (?P<verb>moving|travelling|traveling|flying|getting married|retiring|graduating|going)\b"
)
_MONTH = "(?:" + "|".join(name for name in MONTHS if len(name) > 3 or name == "may") + ")"
_WHEN = re.compile(
    rf"(?i)\s*,?\s*(?P<when>(?P<relative>(?:later )?(?:next|this(?: coming)?) (?:week|month|year|summer|winter|spring"
    rf"|fall|autumn|weekend|{_MONTH}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|tomorrow|in (?:a|two|three|four|five|six|\d+) (?:days?|weeks?"
    r"|months?|years?)|at the end of (?:the|this) (?:month|year))"
    rf"|(?:in|on|around) (?:early |late |mid-?)?(?:the )?(?:\d{{1,2}}(?:st|nd|rd"
    rf"|th)? (?:of )?)?{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? 20\d\d)?"
    r"|in 20\d\d)\b"
)
_END = re.compile(
    rf"(?i)[^\w\s'’-]|{MASK}|\b(?:because|but|and|so|since|if|when|before|after|which|that|who|where|as|while|though"
    rf"|especially|or"
    r"|hopefully|too|also|to see if|once|until|then)\b"
)
# What is over within hours, or says nothing of what is planned.
_TODAY = re.compile(r"(?i)\b(?:tonight|today|later|this (?:evening|afternoon|morning)|now|soon|right away|tomorrow)\b")
_TRIVIAL = re.compile(
    r"(?i)(?:sleep|eat|rest|relax|check|try|look|think"
    r"|ask|talk|continue|do|use|keep|be|have|it|that|this|get|give|see|call|tell|wait|stay|let|chill|hang|start by"
    r"|focus|incorporate|watch"
    r"|take (?:a|my) (?:nap|shower|walk|break)|go (?:there|back|home|to (?:bed|sleep)|again|out|shopping))\b"
)
_POINTS = re.compile(r"(?i)\b(?:it|this|that|these|those|you|your|him|her|them|there|one|some(?:thing)?|too|more)\b")
MAX_WORDS = 9


def statements(sentence: Sentence) -> Iterator[Found]:
    """What an English sentence says of the speaker's plans, with the date in the text."""
    for match in sentence.matches(_PLANS):
        if opens_clause(sentence, match.start()):
            trip = match["trip"] or match["trip2"]
            yield from _plan(sentence, match.start(), match.end(), "travel to " if trip else "")
    for match in sentence.matches(_MOVES):
        if opens_clause(sentence, match.start()):
            yield from _move(sentence, match)


def _plan(sentence: Sentence, start: int, position: int, verb: str) -> Iterator[Found]:
    stop = _END.search(sentence.folded, position, sentence.end)
    end = stop.start() if stop else sentence.end
    when = _WHEN.search(sentence.folded, position, sentence.end)
    if when and when.start() <= end + 2 and when.start() > position:
        end = when.start()
    else:
        when = None
    what = re.sub(r"(?i) (?:next|soon|anyway|again)$", "", sentence.words(position, end))
    if stop and stop[0] == MASK and not when:
        return
    if (
        not what
        or len(what.split()) > MAX_WORDS
        or _TRIVIAL.match(what)
        or _TODAY.search(sentence.after(position)[:80])
        or _POINTS.search(what)
    ):
        return
    if verb and not re.match(r"(?:the )?[A-Z]", what):
        return
    yield _planned(sentence, verb + _third_person(what), start, end if when is None else when.end(), when)


def _move(sentence: Sentence, match: re.Match[str]) -> Iterator[Found]:
    """ "I'm moving to Rome next month": a plan by its date."""
    stop = _END.search(sentence.folded, match.end(), sentence.end)
    when = _WHEN.search(sentence.folded, match.end(), stop.start() if stop else sentence.end)
    if when is None:
        return
    rest = sentence.words(match.end(), when.start())
    if rest and not re.fullmatch(r"(?:back )?(?:to|from) (?:the )?[A-Z][\w' -]{1,40}", rest):
        return
    verbs = {
        "going": "go",
        "moving": "move",
        "flying": "fly",
        "retiring": "retire",
        "graduating": "graduate",
        "getting married": "get married",
    }
    verb = verbs.get(match["verb"].lower(), "travel")
    if not rest and verb not in ("retire", "graduate", "get married"):
        return
    yield _planned(sentence, f"{verb} {rest}".strip(), match.start(), when.end(), when)


def _planned(sentence: Sentence, what: str, start: int, end: int, when: re.Match[str] | None) -> Found:
    text = f"The user plans to {what}"
    if when:
        text += f" {sentence.words(*when.span('when'))}"
    if when and when["relative"]:
        text += f" (said on {sentence.said_at:%Y-%m-%d})"
    return Found(predicate="plans_to", object=what, text=f"{text}.", start=start, end=end, confidence=0.75)


def _third_person(what: str) -> str:
    return re.sub(r"(?i)\b(?:my|our)\b", "their", re.sub(r"(?i)\bmyself\b", "themselves", what))
