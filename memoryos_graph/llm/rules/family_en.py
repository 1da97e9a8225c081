"""English: partners, children, siblings, parents, pets, wedding days."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .dates import day_at
from .english import I_AM, corrected, dated, name_at, opens_clause
from .lexicon import PETS
from .sentence import Found, Sentence

_ROLES = {
    "has_partner": "wife husband girlfriend boyfriend fiancé fiancée fiance fiancee spouse partner",
    "has_child": "son daughter child kid baby stepson stepdaughter toddler sons daughters children kids babies twins",
    "has_sibling": "brother sister stepbrother stepsister half-brother half-sister brothers sisters siblings",
    "has_parent": "mother father mom mum dad mommy daddy mama papa",
}
PREDICATE_OF = {word: predicate for predicate, words in _ROLES.items() for word in words.split()}
PREDICATE_OF |= dict.fromkeys(PETS, "has_pet") | {f"{pet}s": "has_pet" for pet in PETS}
_ROLE = r"(?P<role>" + "|".join(re.escape(word) for word in sorted(PREDICATE_OF, key=len, reverse=True)) + r")\b"

_ADJECTIVE_WORDS = """
younger older little big elder eldest youngest oldest twin newborn new beautiful lovely cute adorable sweet wonderful
amazing dear pet rescue black white orange grey gray brown tabby small large old young baby teenage adult two three four
five
"""
_ADJECTIVES = "(?:(?:" + "|".join(_ADJECTIVE_WORDS.split()) + r"|\d{1,2}[ -]year[ -]old|\w+-year-old) )*"
_COUNT = r"(?P<count>an?|one|two|three|four|five|six|[1-9])"
_HAVE = re.compile(
    rf"(?i)(?P<start>\b(?:I|we)(?:'ve| have)?(?: (?:now|also|currently|only|just|recently|finally))*"
    rf" (?P<verb>have|own|adopted|got|have got|welcomed)) (?={_COUNT} {_ADJECTIVES}{_ROLE})"
)
_MEMBER = re.compile(rf"(?i)(?:,? and |, )?{_COUNT} {_ADJECTIVES}{_ROLE}(?!['-])")
_CALLED = re.compile(
    r"(?i),? (?:(?:who is |who's |that is |that's |which is )?(?:named|called)|(?:whose|(?:his|her|their"
    r"|its)) names? (?:is|are)) "
)
_FOLLOWS = re.compile(
    r"(?i)\s*(?:$|[^\w\s'-]|(?:named|called|and|who|whose|at home|now|but|too|as well|together|aged|with|last|yesterday"
    r"|recently|from|ago|two|three|today)\b)"
)
_ANYBODY = frozenset(PREDICATE_OF.values())
_HAD_BY = {
    "have": _ANYBODY,
    "got": frozenset(["has_pet", "has_child"]),
    "adopted": frozenset(["has_pet", "has_child"]),
    "welcomed": frozenset(["has_pet", "has_child"]),
    "own": frozenset(["has_pet"]),
}
_NOT_HAVE = re.compile(
    r"(?i) (?:in law|in this|in the fight|in crime|nap|walker|sitter|shower|food|show|house|bed|person|lover"
    r"|on the way|allergy|problem|of a)\b"
)
_NAME_IS = re.compile(
    rf"(?i)\b(?:my|our) {_ADJECTIVES}{_ROLE}(?:(?:'s|s'?)? names? (?:is|are)| is (?:called|named)) (?:actually )?"
)
_APPOSED = re.compile(rf"(?i)\b(?:my|our) {_ADJECTIVES}{_ROLE}(?P<comma>,)? (?=[A-Z])")
_GIVING = re.compile(
    r"(?i)\b(?:bought|buy|buying|got|get|getting|gave|give|giving|sent|send|told|tell|showed|show|showing|taught"
    r"|teach|teaching"
    r"|made|make|making|called|call|calling|named|offered|read|reading|owe|wish|wished|fed|feed|bring|brought"
    r"|cook(?:ed)?) $"
)
_ALSO_NAMED = re.compile(r"(?i)(?:,? and |, | & )(?=[A-Z])")
_GONE = re.compile(
    r"(?i)\b(?:passed away|died|dead|death|late|ex|broke up|break up|breakup|split up|divorc\w+|separated|left me"
    r"|lost|losing|buried"
    r"|funeral|grave|estranged|in memory|put (?:him|her|it) down|no longer|anymore|any more|used to|had to give)\b"
)
_MARRIED = re.compile(
    rf"(?i)(?:{I_AM}(?: (?:now|happily|finally|already))* (?P<state>married|engaged)|\b(?:I"
    rf"|we)(?:'ve)? (?:just )?got (?P<change>married|engaged))\b"
    r"(?P<to> to (?=(?-i:[A-Z])))?(?! ?to\b| (?:with|in|by)\b)"
)
_WEDDING = re.compile(
    r"(?i)(?P<married>\b(?:I|we) (?:got|were|was) married(?: on| in)?|\bour wedding (?:day |date )?(?:was|is)(?: on)?)"
    r" (?=\S)|\b(?P<anniversary>(?:my|our) (?:wedding )?anniversary (?:is|falls)(?: on)?) (?=\S)"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """Who belongs to the speaker, by an English sentence. Nothing when it speaks of loss or parting."""
    if sentence.has(_GONE):
        return
    for rule in (_members, _named_members, _apposed_members, _marriage, _wedding_days):
        yield from rule(sentence)


def _members(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_HAVE):
        if not opens_clause(sentence, match.start()):
            continue
        member = _MEMBER.match(sentence.folded, match.end(), sentence.end)
        while member:
            position = member.end()
            for found in _member(sentence, match, member):
                yield found
                position = max(position, found.end)
            member = _MEMBER.match(sentence.folded, position, sentence.end)
            member = member if member and re.match(r"(?i), |,? and ", member[0]) else None


def _member(sentence: Sentence, have: re.Match[str], member: re.Match[str]) -> Iterator[Found]:
    """One member of "I have a dog and two cats", or those of one kind whose names follow."""
    rest = sentence.after(member.end())
    predicate = PREDICATE_OF[member["role"].lower()]
    if _NOT_HAVE.match(rest) or not _FOLLOWS.match(rest) or predicate not in _HAD_BY[have["verb"].lower().split()[-1]]:
        return
    called = _CALLED.match(sentence.folded, member.end(), sentence.end)
    names = _names(sentence, called.end()) if called else _listed_names(sentence, member)
    if names:
        yield from (_called(sentence, have.start(), span, predicate, member["role"]) for span in names)
        return
    said = sentence.words(member.start("count"), member.end())
    thing = re.sub(r"(?i)^(?:an?|one) (?:new |pet )?", "", said)
    text = f"The user has {said}."
    yield Found(predicate=predicate, object=thing, text=text, start=have.start(), end=member.end())


def _listed_names(sentence: Sentence, member: re.Match[str]) -> list[tuple[int, int]]:
    """The names after "two kids, ": nothing but names up to the end of the clause."""
    comma = re.compile(r"(?:,|:| -) (?=[A-Z])").match(sentence.folded, member.end(), sentence.end)
    names = _names(sentence, comma.end()) if comma else []
    closed = names and re.match(r"\s*(?:$|[.!;)])", sentence.after(names[-1][1]))
    return names if closed and len(names) > 1 else []


def _named_members(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_NAME_IS):
        if not opens_clause(sentence, match.start()):
            continue
        for span in _names(sentence, match.end()):
            predicate = PREDICATE_OF[match["role"].lower()]
            yield corrected(sentence, _called(sentence, match.start(), span, predicate, match["role"]))


def _apposed_members(sentence: Sentence) -> Iterator[Found]:
    """ "my wife Anna", "my dog, Rex, …": not after a verb that gives, where the name may be a thing given."""
    for match in sentence.matches(_APPOSED):
        name = name_at(sentence, match.end(), words=1)
        if name is None or _GIVING.search(sentence.before(match.start())):
            continue
        rest = sentence.after(name[1])
        closed = re.match(r",|\s*$" if not match["comma"] else r", ", rest) or not match["comma"]
        if not closed or re.match(r" ?[A-Z]| (?:food|toys?|stuff|day|party|recipe|dish)\b|[-/]", rest):
            continue
        predicate = PREDICATE_OF[match["role"].lower()]
        yield _called(sentence, match.start(), name, predicate, match["role"])


def _names(sentence: Sentence, position: int) -> list[tuple[int, int]]:
    """The names listed at a position: "Mia", "Mia and Leo", "Mia, Leo and Bo"."""
    spans = []
    while name := name_at(sentence, position, words=2, lower=True):
        spans.append(name)
        more = _ALSO_NAMED.match(sentence.folded, name[1], sentence.end)
        if more is None:
            break
        position = more.end()
    return spans


def _called(sentence: Sentence, start: int, span: tuple[int, int], predicate: str, role: str) -> Found:
    name = sentence.words(*span)
    one = _singular(role.lower())
    return Found(
        predicate=predicate,
        object=name,
        text=f"The user has a {one} called {name}.",
        start=start,
        end=span[1],
        confidence=0.85,
    )


def _singular(role: str) -> str:
    irregular = {"children": "child", "babies": "baby", "puppies": "puppy", "siblings": "sibling", "twins": "twin"}
    if role in irregular:
        return irregular[role]
    return role[:-1] if role.endswith("s") and role[:-1] in PREDICATE_OF else role


def _marriage(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_MARRIED):
        if not opens_clause(sentence, match.start()) or sentence.has(
            re.compile(r"(?i)\b(?:not|never|almost|getting)\b")
        ):
            continue
        state = (match["state"] or match["change"]).lower()
        name = name_at(sentence, match.end(), words=2) if match["to"] else None
        who = sentence.words(*name) if name else ("spouse" if state == "married" else "fiancé(e)")
        found = Found(
            predicate="has_partner",
            object=who,
            text=f"The user is {state} to {who}." if name else f"The user is {state}.",
            start=match.start(),
            end=name[1] if name else match.end(),
            stance=Stance.CHANGES if match["change"] else Stance.STATES,
        )
        yield dated(sentence, found) if match["change"] else found


def _wedding_days(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WEDDING):
        found = day_at(sentence.after(match.end()))
        if found is None or not opens_clause(sentence, match.start()):
            continue
        day, length = found
        predicate = "married_on" if match["married"] else "anniversary"
        text = (
            f"The user married on {day.english}."
            if match["married"]
            else f"The user's wedding anniversary is {day.english}."
        )
        yield Found(predicate=predicate, object=day.text, text=text, start=match.start(), end=match.end() + length)
