"""Reading English clauses: where a statement begins, names, places, and what is denied at its end."""

from __future__ import annotations

import re
from dataclasses import replace

from ...domain.claim import Stance
from .dates import start_after, start_before
from .lexicon import NO_NAMES, REGION, TOOL
from .sentence import MASK, Found, Sentence

# Words after which "I …" is a clause of its own and true as it stands.
_OPENERS = """
and but so because since cause cuz also well yes yeah yep yup no nope plus actually honestly btw fyi hi hello hey
though although oh ok okay personally currently now today nowadays recently lately hmm um haha wow sure as luckily
fortunately sadly unfortunately oddly anyway besides still then indeed course way know see here's funny true fact
thing thanks right
"""
_OPENER_WORDS = frozenset(_OPENERS.split())
I_AM = r"\b(?:I'm|I am|Im|I[`´]m)"
_LAST_WORD = re.compile(r"[\w']+$")

_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f]|['-](?=[^\W\d_]{2}))*")
_SPACE = re.compile(r"[ \t]+")
_PLACE_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f]|['.-](?=[^\W\d_]))*")
_PLACE_LINK = re.compile(r"(?:de|del|la|le|les|upon|on|am|an der|of|the|and)[ \t]+(?=\w)", re.IGNORECASE)
_NO_PLACE_WORDS = """
fear hope denial chaos poverty sin peace harmony town heaven hell mars earth paradise jeans pajamas sweatpants
building plan room apartment apt unit block floor dorm step chapter level phase section page version accounting
marketing sales hr it work school god bed home reality constant student
"""
_NO_PLACES = frozenset(_NO_PLACE_WORDS.split())
_AFTER_NAME = re.compile(r"\s*(?:$|[,.!?;)(:…-]|and\b|but\b|from\b|here\b|by the way\b|nice\b|by\b|[^\w\s])")
_DENIED = re.compile(
    r"(?P<now>\s+now)?\s*,\s*(?:and )?not (?:in |at |to |from |a |an |the |is )?(?P<object>[^\W_][\w' -]{0,38}?[\w])"
    r"(?P<any_more>,? (?:any ?more|any longer))?\s*(?=$|[.,!;)])",
    re.IGNORECASE,
)
_NOT_DENIED = re.compile(
    r"(?i)(?:far|too|that|really|very|bad|sure|only|just|yet|so|because|much|always|by|even|all|everyone|everything"
    r"|for|with"
    r"|it|you|your|my|like|necessarily|as|what|how|when|any\b)"
)


def opens_clause(sentence: Sentence, position: int) -> bool:
    """Whether a clause begins at a position: nothing before it makes it what somebody thinks, knows or wants."""
    before = sentence.before(position).rstrip()
    if not before or before[-1] in ",;.!?()-…":
        return True
    if before[-1] == ":" or before[-1] in MASK + "\"'":
        return False
    word = _LAST_WORD.search(before)
    return word is None or word[0].lower() in _OPENER_WORDS


def name_at(sentence: Sentence, position: int, *, words: int = 3, lower: bool = False) -> tuple[int, int] | None:
    """The span of a person's name at a position: up to `words` capitalised words, or one uncased (李雷).

    `lower`: also one word in small letters, where the whole side is written so.
    """
    spans: list[tuple[int, int]] = []
    at = position
    while len(spans) < words and (match := _NAME.match(sentence.folded, at, sentence.end)):
        if not _is_name(sentence, match[0], lower=lower and not spans):
            break
        spans.append(match.span())
        space = _SPACE.match(sentence.folded, match.end(), sentence.end)
        if space is None:
            break
        at = space.end()
    return (spans[0][0], spans[-1][1]) if spans else None


def _is_name(sentence: Sentence, word: str, *, lower: bool) -> bool:
    if word.lower() in NO_NAMES:
        return False
    if word[0].islower():
        return lower and sentence.text.lower() == sentence.text and len(word) > 1
    return len(word) == 1 or not word.isupper() or len(word) == 2


def ends_name(sentence: Sentence, position: int) -> bool:
    """Whether a name can end there: what follows is no other word that it belongs to."""
    return _AFTER_NAME.match(sentence.after(position)) is not None


def dated(sentence: Sentence, found: Found) -> Found:
    """The statement with the time it began, where the sentence says so right after or before it; quoted too."""
    if after := start_after(sentence.after(found.end), sentence.said_at):
        began, length = after
        return replace(found, valid_from=began, end=found.end + length)
    if before := start_before(sentence.before(found.start), sentence.said_at):
        began, offset = before
        return replace(found, valid_from=began, start=sentence.start + offset)
    return found


def place_at(sentence: Sentence, position: int, *, tools: bool = False) -> tuple[int, int] | None:
    """The span of a place at a position: capitalised words, with a country or state after a comma.

    `tools`: also names that are better known as products (Spotify as an employer).
    """
    at = position
    if article := re.compile(r"the[ \t]+(?=[A-Z])").match(sentence.folded, at, sentence.end):
        at = article.end()
    end = None
    while match := _PLACE_WORD.match(sentence.folded, at, sentence.end):
        if not _is_place_word(sentence, match[0], first=end is None):
            break
        end = match.end()
        space = _SPACE.match(sentence.folded, end, sentence.end)
        if space is None or match[0][0].islower():
            break
        link = _PLACE_LINK.match(sentence.folded, space.end(), sentence.end)
        at = link.end() if link and link[0].strip().lower() != "and" else space.end()
    if end is None or (not tools and TOOL.fullmatch(sentence.folded, position, end)):
        return None
    comma = re.compile(r",[ \t]+").match(sentence.folded, end, sentence.end)
    region = REGION.match(sentence.folded, comma.end(), sentence.end) if comma else None
    return position, region.end() if region else end


def _is_place_word(sentence: Sentence, word: str, *, first: bool) -> bool:
    if word.lower() in _NO_PLACES or word.lower() in ("i", "i'm", "a", "an"):
        return False
    if word[0].islower():
        lower_case = sentence.text.lower() == sentence.text
        return first and lower_case and word not in NO_NAMES and len(word) > 2
    return True


def denied_at(sentence: Sentence, position: int) -> tuple[int, str, Stance] | None:
    """What is denied right after an object: the end of ", not X", X, and whether it was never so or is no more."""
    match = _DENIED.match(sentence.folded, position, sentence.end)
    if match is None or _NOT_DENIED.match(match["object"]) or len(match["object"].split()) > 4:
        return None
    changed = match["now"] or match["any_more"]
    replaced = sentence.words(*match.span("object"))
    return match.end(), replaced, Stance.CHANGES if changed else Stance.CORRECTS


def corrected(sentence: Sentence, found: Found) -> Found:
    """The statement with what its sentence denies right after it: "Mia, not Maya"."""
    denied = denied_at(sentence, found.end)
    if denied is None:
        return found
    end, replaced, stance = denied
    return replace(found, end=end, replaces=replaced, stance=stance)
