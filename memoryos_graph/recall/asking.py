"""What kind of thing a question asks for, and whom it is about: read off its words, in English and Chinese. No I/O.

Each kind comes with what a text that could answer has in it. It adds to a score and never filters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve dozen hundred once twice couple few several many"
)
_NUMBER = re.compile(
    rf"\d|\b(?:{'|'.join(_NUMBER_WORDS.split())})\b|[一二三四五六七八九十百千两半][\u4e00-\u9fff]", re.IGNORECASE
)
_NAMED = re.compile(r"(?<=[a-z,;] )(?!I\b|I['’])[A-Z][\w'’-]+")  # not where a sentence or what a label names begins
_QUOTED = re.compile(r"[\"“”「《]([^\"“”」》\n]{2,60})[\"“”」》]")
_PLACE = re.compile(r"\b(?:in|at|to|from|near|around|visited|visit)\s+(?:the\s+)?[A-Z]|[在去到从][\u4e00-\u9fff]")

_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|old|often|long|far|big)\b|多少|多大|多久|多远|几[\u4e00-\u9fff]", re.IGNORECASE
)
_ASKS_PLACE = re.compile(
    r"\bwhere\b|\b(?:which|what) (?:city|cities|country|countries|state|states|place|places|town|location|area)\b"
    r"|哪里|哪儿|什么地方|哪个(?:城市|国家|地方)",
    re.IGNORECASE,
)
_ASKS_PERSON = re.compile(r"^\s*(?:who|whose|whom)\b|\bwith whom\b|谁|哪位", re.IGNORECASE)
_ASKS_NAME = re.compile(
    r"\b(?:what|which)\b.*\b(?:name|named|called|books?|movies?|songs?|bands?|games?|shows?|series|company|teams?|brand|title"
    r"|artist|author)\b|叫什么|什么名字|哪[本部首款]",
    re.IGNORECASE,
)

_FIRST_PERSON = re.compile(r"\b(?:I|my|me|we|our|mine|us)\b|我")
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours)\b|[你您]", re.IGNORECASE)


Look = Callable[[str], float]


def answers(question: str, speakers: frozenset[str]) -> Look:
    """How well a text holds what the question asks for, 0 to 1: a number, a place, a name; 0 for other questions.

    People who talk call each other by name, so the names of speakers are no answer.
    """
    wanted = tuple(_wanted(question, speakers))
    return lambda text: max((look(text) for look in wanted), default=0.0)


def _wanted(question: str, speakers: frozenset[str]) -> Iterator[Look]:
    def names(text: str) -> float:
        return min(2, sum(name.lower() not in speakers for name in _NAMED.findall(text))) / 2

    if _ASKS_NUMBER.search(question):
        yield _has(_NUMBER)
    if _ASKS_PLACE.search(question):
        yield from (_has(_PLACE), names)
    if _ASKS_PERSON.search(question):
        yield names
    if _ASKS_NAME.search(question):
        yield from (_has(_QUOTED), names)


def _has(pattern: re.Pattern[str]) -> Look:
    return lambda text: float(pattern.search(text) is not None)


def says_i(text: str) -> bool:
    """Whether someone speaks of themselves in a text."""
    return _FIRST_PERSON.search(text) is not None


def about_user(question: str) -> bool:
    """Whether a question is about who asks: "Where do I live?"."""
    return says_i(question) and not _SECOND_PERSON.search(question)


def is_question(text: str) -> bool:
    """Whether a text ends by asking something."""
    return text.rstrip().endswith(("?", "？"))
