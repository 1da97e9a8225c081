"""What is so no longer, with nothing in its place: only where it is said in so many words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .english import opens_clause, place_at
from .sentence import Found, Sentence

_NO_LONGER = r"\bI (?P<no>no longer|don't|do not)"
_MORE = re.compile(r"(?i)\s*,? (?:any ?more|any longer)\b")
_LIVES = re.compile(rf"(?i){_NO_LONGER} live in ")
_WORKS = re.compile(rf"(?i){_NO_LONGER} work (?:at|for) ")
_QUIT = re.compile(
    r"(?i)\bI(?:'ve| have)?(?: just| recently| finally)? (?:quit|resigned from|lost|left) my (?:old )?job"
    r"(?=\s*(?:$|[.,;!)]|last\b|this\b|today\b|yesterday\b|and\b))"
)
_CALLED_OFF = re.compile(
    r"(?i)(?:\bI(?:'ve| have)?(?: just)? cancell?ed (?:my|the|our) (?:trip|journey|flight|visit) to "
    r"|\b(?:I'm|I am) not (?:going|travell?ing) to )"
)
_AFTER_ALL = re.compile(r"(?i)\s*,? (?:after all|any ?more)\b")
_ZH_HOME = re.compile(
    r"我(?:已经|现在)?(?:不再住在?(?P<left>\w{2,8}?)了?|不住在?(?P<place>\w{2,8}?)了)(?=\s*(?:$|[,;.。!]))"
)
_ZH_QUIT = re.compile(r"我(?:已经|刚刚?|昨天|今天|上周|上个月)?(?:辞职|离职|辞掉工作)了(?=\s*(?:$|[,;.。!]))")
_ZH_PLAN = re.compile(
    r"我(?:已经)?(?:不(?:再)?打算(?P<plan>\w{2,12}?)了|取消了(?P<trip>去\w{2,8}?)的(?:旅行|行程|计划))"
)
_CONFIDENCE = 0.8


def english(sentence: Sentence) -> Iterator[Found]:
    """What an English sentence ends: a home, a job, a journey."""
    for pattern, predicate, verb in ((_LIVES, "lives_in", "lives in"), (_WORKS, "works_at", "works at")):
        for match in sentence.matches(pattern):
            place = place_at(sentence, match.end(), tools=predicate == "works_at")
            if place is None or not opens_clause(sentence, match.start()):
                continue
            more = _MORE.match(sentence.folded, place[1], sentence.end)
            if more is None and match["no"].lower() != "no longer":
                continue
            said = sentence.words(*place)
            end = more.end() if more else place[1]
            yield _end(predicate, said, f"The user no longer {verb} {said}.", match.start(), end)
    for match in sentence.matches(_QUIT):
        if opens_clause(sentence, match.start()):
            yield _end("works_at", "", "The user has left their job.", match.start(), match.end())
    for match in sentence.matches(_CALLED_OFF):
        yield from _called_off(sentence, match)


def _called_off(sentence: Sentence, match: re.Match[str]) -> Iterator[Found]:
    place = place_at(sentence, match.end())
    if place is None or not opens_clause(sentence, match.start()):
        return
    after = _AFTER_ALL.match(sentence.folded, place[1], sentence.end)
    if after is None and "cancel" not in match[0].lower():
        return
    said = sentence.words(*place)
    for plan in (f"travel to {said}", f"go to {said}"):
        end = after.end() if after else place[1]
        yield _end("plans_to", plan, f"The user no longer plans to {plan}.", match.start(), end)


def chinese(sentence: Sentence) -> Iterator[Found]:
    """What a Chinese sentence ends: a home, a job, a plan."""
    for match in sentence.matches(_ZH_HOME):
        place = sentence.words(*match.span("left" if match["left"] else "place"))
        if not place.startswith(("这", "那", "得", "下")):
            yield _end("lives_in", place, f"用户不再住在{place}。", match.start(), match.end())
    for match in sentence.matches(_ZH_QUIT):
        yield _end("works_at", "", "用户已经离职。", match.start(), match.end())
    for match in sentence.matches(_ZH_PLAN):
        plan = sentence.words(*match.span("plan" if match["plan"] else "trip"))
        yield _end("plans_to", plan, f"用户不再打算{plan}。", match.start(), match.end())


def _end(predicate: str, object: str, text: str, start: int, end: int) -> Found:
    return Found(
        predicate=predicate,
        object=object,
        text=text,
        start=start,
        end=end,
        stance=Stance.ENDS,
        confidence=_CONFIDENCE,
    )
