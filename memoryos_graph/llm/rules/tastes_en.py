"""English: likes and dislikes, preferences, what somebody drinks and uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .english import I_AM, opens_clause
from .lexicon import DRINK, TOOL
from .phrases import STOPS, Span, phrases
from .sentence import Found, Sentence

_VERY = (
    r"(?: (?:really|absolutely|also|just|mainly|mostly|especially|particularly|genuinely|still|do|totally|truly"
    r"|always|usually"
    r"|generally|personally|honestly|quite|both|actually|definitely|simply|now|very much))*"
)
_LIKES = re.compile(
    rf"(?i)(?:\bI{_VERY} (?:love|like|enjoy|adore)|\bI(?:'ve| have) always (?:loved|liked|enjoyed)"
    rf"|{I_AM}{_VERY} (?:into|fond of|keen on|passionate about)"
    rf"|{I_AM}{_VERY} an? (?:(?:big|huge|massive|avid|real|lifelong|total|great) )*(?:fan of"
    rf"|lover of))(?P<to> to)? (?=\S)"
)
_DISLIKES = re.compile(
    rf"(?i)(?:\bI{_VERY} (?:hate|dislike|despise|detest|can't stand|cannot stand|can't bear|(?:don't"
    rf"|do not)(?: really| particularly)? (?:like|enjoy))"
    rf"|{I_AM} not (?:a (?:big |huge )?fan of|into|fond of|keen on)) (?=\S)"
)
_NO_MORE_LIKES = re.compile(
    r"(?i)\bI(?: no longer (?:like|love|enjoy)|(?:'ve| have)? stopped (?:liking|loving|enjoying)|(?: don't"
    r"| do not)(?: really)? (?:like|love|enjoy)) (?=\S)"
)
_ANY_MORE = re.compile(r"(?i)\s*,?\s*(?:any ?more|any longer)\b")
_PREFERS = re.compile(rf"(?i)\bI{_VERY} (?:much )?prefer (?=\S)")
_OVER = re.compile(r"(?i) (?:to|over|rather than|instead of) (?=\S)")
_FAVORITE = re.compile(
    r"(?i)\bmy (?:all-time |absolute )?favou?rite (?P<what>colou?r|foods?|dish(?:es)?|cuisine|drink|sports?|band"
    r"|singer|artist|author|writer|genre"
    r"|books?|movie|film|tv show|show|series|video game|game|season|animals?|flowers?|fruit|vegetable|dessert|hobby"
    r"|hobbies|subject|city|country"
    r"|team|holiday|poet|musician|composer|painter|instrument|ice cream(?: flavor| flavour)?|pizza|snack|breakfast"
    r"|activity|pastime) (?:is|are|has to be) "
)
_DRINKS = re.compile(r"(?i)\bI (?:only |always |mostly |usually |just |mainly )?drink (?=\S)")
_DAILY = re.compile(r"(?i)\s*(?:$|[.!,;]|(?:every ?day|daily|every morning|a lot)\b)")
_SWITCHED = re.compile(
    r"(?i)\b(?:I|we)(?:'ve| have)?(?: just| recently| finally)? (?P<verb>switched|changed|migrated|moved)(?: (?:our"
    r"|my|the) [\w ]{2,20}?| over)?"
    r"(?: from (?P<from>[\w+#. -]{2,25}?))? to (?=\S)"
)
_USES = re.compile(r"(?i)\b(?:I|we)(?: mostly| mainly| always| usually| only| currently| now)? use (?=\S)")

# What may follow an object that the statement is wholly about; a condition, a comparison or a relative clause may not.
_WHOLE = re.compile(
    r"(?i)\s*(?:$|[.!,;)(…-]|[^\w\s'\"]|(?:and|but|so|because|cause|since|too|also|as well|a lot|very much|so much"
    r"|especially|particularly"
    r"|including|such as|in general|in my (?:free|spare)|at all|though|tho|although|lol|haha|more than anything|truly"
    r"|dearly|like)\b)"
)
_AROUND = re.compile(
    r"(?i)\s*(?:with|in|at|on|during|after|before|around|every|now|these|outside|alone|together|all|while)\b"
)
# Gerunds that say what somebody likes without their complement.
_ACTIVITIES = """
hiking swimming painting dancing cooking baking reading running jogging camping gardening fishing climbing traveling
travelling skiing snowboarding surfing singing writing drawing cycling biking sewing knitting crocheting shopping
gaming birdwatching sailing kayaking diving sketching skating meditating exercising volunteering bowling boxing
rowing walking driving photography acting coding programming pottery yoga crafting fencing
"""
ACTIVITIES = frozenset(_ACTIVITIES.split())
# Verbs that after "I like to" only introduce what is meant.
_NO_ACTIVITY_WORDS = """
think say believe be have get know make keep do use stay take see hear ask point imagine consider call start end
mention add share talk chat give help try put look pretend joke feel go live come thank show introduce tell remind
let explore
"""
_NO_ACTIVITY = frozenset(_NO_ACTIVITY_WORDS.split())
# Last words that wait for what comes after: "spending time with …", "curling up with …".
_OPEN_WORDS = """
time up out off away back down new people things money it hours days evenings weekends
"""
_OPEN = frozenset(_OPEN_WORDS.split())
_TO_STOPS = STOPS - {"to"}
# What "I love …" is said of out of politeness or delight at what was just said.
_AT_HAND = re.compile(
    r"(?i)\b(?:idea|ideas|suggestions?|way|ways|part|sound|thought|point|question|answer|advice|chatting|meeting|stuff"
    r"|things?"
    r"|people|guys?|folks|life|mondays?|him|her|options?|seeing \w+|hearing \w+|being \w+)$"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """What an English sentence says of the speaker's tastes and tools."""
    for rule in (_likes, _dislikes, _no_more_likes, _favorites, _preferences, _drinks, _switches, _uses):
        yield from rule(sentence)


def _likes(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_LIKES):
        if not opens_clause(sentence, match.start()):
            continue
        if match["to"]:
            yield from _likes_to(sentence, match)
            continue
        spans = _wholes(sentence, match.end(), strict=False)
        for span in spans:
            said = sentence.words(*span)
            text = f"The user likes {said}."
            yield Found(predicate="likes", object=said, text=text, start=match.start(), end=spans[-1][1])


def _likes_to(sentence: Sentence, match: re.Match[str]) -> Iterator[Found]:
    found = phrases(sentence, match.end(), stops=_TO_STOPS)
    if not found or not _ends_whole(sentence, found[0], strict=False):
        return
    said = sentence.words(*found[0])
    words = said.lower().split()
    if words[0] not in _NO_ACTIVITY and "," not in said:
        yield Found(
            predicate="likes", object=said, text=f"The user likes to {said}.", start=match.start(), end=found[0][1]
        )


def _dislikes(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DISLIKES):
        if not opens_clause(sentence, match.start()):
            continue
        spans = _wholes(sentence, match.end(), strict=True)
        if spans and _ANY_MORE.match(sentence.folded, spans[-1][1], sentence.end):
            continue
        for span in spans:
            yield _dislike(sentence, match.start(), span, spans[-1][1], Stance.STATES)


def _no_more_likes(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_NO_MORE_LIKES):
        spans = phrases(sentence, match.end())
        if not spans or not opens_clause(sentence, match.start()) or len(spans) > 1:
            continue
        more = _ANY_MORE.match(sentence.folded, spans[0][1], sentence.end)
        if more or re.search(r"(?i)no longer|stopped", match[0]):
            yield _dislike(sentence, match.start(), spans[0], more.end() if more else spans[0][1], Stance.CHANGES)


def _dislike(sentence: Sentence, start: int, span: Span, end: int, stance: Stance) -> Found:
    said = sentence.words(*span)
    text = f"The user does not like {said}{' any more' if stance is Stance.CHANGES else ''}."
    return Found(predicate="dislikes", object=said, text=text, start=start, end=end, stance=stance)


def _wholes(sentence: Sentence, position: int, *, strict: bool) -> list[Span]:
    """The things listed at a position, unless the last goes on in a way that changes what is liked."""
    spans = phrases(sentence, position)
    if not spans or not _ends_whole(sentence, spans[-1], strict=strict):
        return []
    return [span for span in spans if not _AT_HAND.search(sentence.words(*span))]


def _ends_whole(sentence: Sentence, span: Span, *, strict: bool) -> bool:
    if _WHOLE.match(sentence.folded, span[1], sentence.end) or span[1] == sentence.end:
        return True
    if _ANY_MORE.match(sentence.folded, span[1], sentence.end):
        return True
    words = sentence.words(*span).lower().split()
    alone = not words[0].endswith("ing") or words[-1] in ACTIVITIES or (len(words) > 1 and words[-1] not in _OPEN)
    return not strict and alone and _AROUND.match(sentence.folded, span[1], sentence.end) is not None


def _favorites(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_FAVORITE):
        spans = phrases(sentence, match.end())
        if spans and opens_clause(sentence, match.start()) and _ends_whole(sentence, spans[-1], strict=True):
            end = spans[-1][1]
            said = sentence.words(spans[0][0], end)
            what = match["what"].lower()
            text = f"The user's favorite {what} {'are' if what.endswith('s') and ' and ' in said else 'is'} {said}."
            yield Found(predicate="likes", object=said, text=text, start=match.start(), end=end)


def _preferences(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_PREFERS):
        spans = phrases(sentence, match.end())
        if len(spans) != 1 or not opens_clause(sentence, match.start()):
            continue
        start, end = spans[0]
        said, text = sentence.words(start, end), f"The user prefers {sentence.words(start, end)}"
        over = _OVER.match(sentence.folded, end, sentence.end)
        other = phrases(sentence, over.end()) if over else []
        if over and len(other) == 1:
            end = other[0][1]
            text += f" to {sentence.words(*other[0])}"
        elif not _WHOLE.match(sentence.folded, end, sentence.end):
            continue
        yield Found(predicate="prefers", object=said, text=f"{text}.", start=match.start(), end=end)


def _drinks(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DRINKS):
        drink = DRINK.match(sentence.folded, match.end(), sentence.end)
        if drink and opens_clause(sentence, match.start()) and _DAILY.match(sentence.folded, drink.end(), sentence.end):
            said = sentence.words(*drink.span())
            yield Found(
                predicate="drinks", object=said, text=f"The user drinks {said}.", start=match.start(), end=drink.end()
            )


def _switches(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_SWITCHED):
        if not opens_clause(sentence, match.start()):
            continue
        old = sentence.words(*match.span("from")) if match["from"] else None
        drink = DRINK.match(sentence.folded, match.end(), sentence.end)
        tool = TOOL.match(sentence.folded, match.end(), sentence.end)
        if drink and match["verb"].lower() in ("switched", "changed"):
            said = sentence.words(*drink.span())
            yield _switched("drinks", said, f"The user drinks {said}.", match.start(), drink.end(), old)
        elif tool and tool[0][0].isupper():
            said = sentence.words(*tool.span())
            yield _switched("uses", said, f"The user uses {said}.", match.start(), tool.end(), old)


def _switched(predicate: str, said: str, text: str, start: int, end: int, old: str | None) -> Found:
    return Found(predicate=predicate, object=said, text=text, start=start, end=end, stance=Stance.CHANGES, replaces=old)


def _uses(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_USES):
        tool = TOOL.match(sentence.folded, match.end(), sentence.end)
        named = tool and tool[0][0].isupper() and not re.match(r" [A-Z]", sentence.after(tool.end()))
        if tool and named and opens_clause(sentence, match.start()):
            said = sentence.words(*tool.span())
            yield Found(
                predicate="uses", object=said, text=f"The user uses {said}.", start=match.start(), end=tool.end()
            )
