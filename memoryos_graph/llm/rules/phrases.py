"""Reading the short noun phrase that an English statement is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .sentence import MASK, Sentence

Span = tuple[int, int]
Item = list[re.Match[str]]

_TOKEN = re.compile(r"[^\W_](?:[\w\u0300-\u036f]|['.&+#/-](?=[\w\u0300-\u036f]))*\+*|[^\w\s]|_")
MAX_WORDS = 4
MAX_ITEMS = 8

# Words that end a phrase: what comes after says when, where, why or how, or is another clause.
_STOPS = """
but because cause cuz so since as when while whenever with without for at on by after before during who whom which
that though although if or than from into until till especially particularly including such even too also now lately
recently anymore either really very more most much best every everyday all in to then again because alone together
sometimes often usually always both about around over through plus yet not except instead rather just only right
here there today tonight tomorrow yesterday lol haha tbh honestly though where why how once regularly occasionally
dearly deeply immensely truly absolutely greatly passionately recently tho btw thanks whether between among against
within near along across above behind below under beside next any
"""
STOPS = frozenset(_STOPS.split())

# Words that no phrase of the wanted kind holds: with one of them it is about something at hand, or a clause.
_POINTING = """
the this that these those it its it's you your yours u ur you're him her his hers he he's she she's they they're
them their theirs we we're us our ours me my mine myself i i'm i've i'd i'll someone somebody everyone everybody
something anything everything nothing nobody anyone one ones what whatever being how is are was were am be been
isn't don't doesn't didn't can can't will won't do does did have has had having get got getting seeing hearing
knowing talking thinking going some any a an another other each no such there let let's please yes yeah thanks thank
"""
POINTING = frozenset(_POINTING.split())

# Verbs that begin another clause after "and": "I love pizza and hate olives".
_VERBS = """
am are is was want hate love like enjoy think feel know hope need plan try work live play go make take see find use
eat drink read watch listen think believe miss prefer keep look start wish usually always never often sometimes
still also would could should might may must decided went made took saw found tried started loved liked enjoyed got
think hope then
"""
VERBS = frozenset(_VERBS.split())

_GENERIC = frozenset(
    f"the {word}"
    for word in ("outdoors", "ocean", "sea", "beach", "mountains", "rain", "snow", "theater", "theatre", "arts")
)

_ADJECTIVES_IN_Y = frozenset(
    ("sunny", "spicy", "healthy", "scary", "funny", "cozy", "salty", "country", "comedy", "fantasy")
)

# Pairs that are one thing.
_PAIRS = re.compile(
    r"(?i)\b(?:mac(?:aroni)? and cheese|rock and roll|rock ?'?n'? ?roll|arts and crafts|fish and chips|drum and bass"
    r"|peanut butter and jelly|salt and vinegar|dungeons and dragons|gin and tonic|ham and cheese|bread and butter"
    r"|rhythm and blues|country and western|black and white|biscuits and gravy|tom and jerry|rick and morty"
    r"|track and field"
    r"|pride and prejudice|war and peace|cookies and cream|bed and breakfasts?|research and development|trial and error"
    r"|martial arts and crafts|sweet and sour \w+|sweet and spicy \w+|health and safety|science and technology)\b"
)


def phrases(sentence: Sentence, position: int, *, stops: frozenset[str] = STOPS) -> list[Span]:
    """The things listed from a position on: one phrase, or the members of a list; empty when it is no plain phrase.

    At most 4 words each. A phrase that runs into masked words (a quoted title) is none.
    """
    items = _items(sentence, position, stops)
    good = [item for item in items if _is_thing(item)]
    if not good or items[0] is not good[0]:
        return []
    whole = (items[0][0].start(), items[-1][-1].end())
    if len(good) == len(items) and _is_one(sentence, items, whole):
        return [whole]
    return [(item[0].start(), item[-1].end()) for item in good]


def one_phrase(sentence: Sentence, position: int, *, stops: frozenset[str] = STOPS) -> Span | None:
    """The first thing from a position on."""
    found = phrases(sentence, position, stops=stops)
    return found[0] if found else None


def _items(sentence: Sentence, position: int, stops: frozenset[str]) -> list[Item]:
    """The runs of words between "and" and commas, up to a word or mark that ends them."""
    items: list[Item] = [[]]
    listing = _is_list(sentence.after(position))
    for token in _TOKEN.finditer(sentence.folded, position, sentence.end):
        word = token[0].lower()
        if word in ("and", "&") or (word == "," and listing):
            items.append([])
        elif word in stops or not word[0].isalnum():
            if word == MASK:
                items.pop()
            break
        else:
            items[-1].append(token)
    return [item for item in items if item][:MAX_ITEMS]


def _is_list(rest: str) -> bool:
    """Whether commas separate members of a list: short pieces, the last after "and" or "or"."""
    return (
        re.match(r"[^,.!?;:]{2,40}(?:,\s*(?!and |or |but )[^,.!?;:]{2,40}){1,8},?\s+(?:and|&)\s+\w", rest) is not None
    )


def _is_thing(item: Iterable[re.Match[str]]) -> bool:
    words = [token[0].lower() for token in item]
    if " ".join(words) in _GENERIC:
        return True
    if words[:2] == ["playing", "the"]:
        del words[1]
    return (
        0 < len(words) <= MAX_WORDS
        and not POINTING.intersection(words)
        and words[0] not in VERBS
        and any(char.isalpha() for char in words[-1])
    )


def _is_one(sentence: Sentence, items: list[Item], whole: Span) -> bool:
    """Whether what is listed is one thing: a fixed pair, adjectives before a noun ("sunny and warm weather"), or nouns
    after one adjective or verb ("Spanish culture, music and food", "playing guitar and piano").
    """
    if _PAIRS.fullmatch(sentence.folded, *whole):
        return True
    if len(items) == 2 and len(items[0]) == 1 and len(items[1]) > 1:
        return _is_adjective(items[0][0][0].lower())
    lone = all(len(item) == 1 for item in items[1:])
    first = items[0][0][0]
    shared = first[0].isupper() or (first.endswith("ing") and not any(item[0][0].endswith("ing") for item in items[1:]))
    return len(items) > 1 and lone and len(items[0]) > 1 and shared


def _is_adjective(word: str) -> bool:
    return not word.endswith(("s", "ing", "y")) or word in _ADJECTIVES_IN_Y
