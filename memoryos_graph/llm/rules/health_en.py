"""English: allergies, conditions, medication, diet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .english import I_AM, corrected, dated, opens_clause
from .lexicon import CONDITION, DIET, MEDICATION, NO_ALLERGEN, NOT_EATEN
from .phrases import phrases
from .sentence import Found, Sentence

_SEVERELY = (
    "(?: (?:really|very|severely|deathly|highly|mildly|slightly|also|extremely|quite|still|actually|now|both"
    "|terribly))*"
)
_ALLERGIC = re.compile(rf"(?i){I_AM}{_SEVERELY} allergic to |\bI have an? (?:\w+ ){{0,2}}allergy to ")
_HAS_ALLERGY = re.compile(
    r"(?i)\bI have (?:an? )?(?:(?:severe|serious|mild|bad|strong|life-threatening|terrible) )?(?P<what>(?!food|an\b"
    r"|no\b|any\b)[a-z]+(?: [a-z]+)?)"
    r" allerg(?:y|ies)\b"
)
_PLURAL = {
    word: f"{word}s"
    for word in ("peanut", "nut", "tree nut", "cat", "dog", "egg", "walnut", "almond", "hazelnut", "cashew", "bee")
}
_MILDLY = re.compile(
    r"(?i)^(?:severe|serious|mild|bad|strong|terrible|seasonal|many|some|several|lots of|a lot of|multiple|different"
    r"|various|weird)\b ?"
)
_HAS_CONDITION = re.compile(
    rf"(?i)(?:\bI(?: also| still)? (?:have|suffer from|struggle with|live with)|\bI(?:'ve| have) (?:had|got)"
    rf"|{I_AM} living with"
    r"|\bI(?: was|'ve been| have been| got|'m| am)(?: just| recently)? diagnosed with) (?:a |an |my )?(?:(?:mild"
    r"|severe|chronic|bad|early-onset) )?"
)
_DIABETIC = re.compile(
    rf"(?i){I_AM}(?: an?)? (?P<word>(?:type [12] )?diabetic|asthmatic|epileptic|autistic|dyslexic|celiac|coeliac"
    rf"|lactose intolerant|gluten intolerant|bipolar|hiv[- ]positive)\b(?! (?:food|when|about))"
)
_OF_WORD = {
    "diabetic": "diabetes",
    "asthmatic": "asthma",
    "epileptic": "epilepsy",
    "autistic": "autism",
    "dyslexic": "dyslexia",
    "celiac": "celiac disease",
    "coeliac": "coeliac disease",
    "lactose intolerant": "lactose intolerance",
    "gluten intolerant": "gluten intolerance",
    "bipolar": "bipolar disorder",
}
_TAKES = re.compile(
    rf"(?i)(?:\bI(?: currently| still| also| now| have to)? (?:take|use)|{I_AM}(?: currently| now| still)? (?:taking"
    rf"|on)|\bI(?:'ve| have) been (?:taking|prescribed|on)"
    r"|\bI(?:'m| am| was) prescribed) (?:(?:my|daily|some|a|an|low-dose|\d+(?:\.\d+)? ?(?:mg|mcg|ml|g"
    r"|units)(?: of)?) )*"
)
_ONE_OFF = re.compile(
    r"(?i)\b(?:took|just took|for (?:a|my|the|this) (?:headache|hangover|cold|fever)|when i have|sometimes|as needed)\b"
)
_DIET = re.compile(
    rf"(?i)(?:{I_AM}(?: (?:now|a|an|also|still|actually|currently|both|strictly|mostly))*|\bI(?:'ve"
    rf"| have)? (?P<change>became|become|went|gone|turned)(?: fully| completely)?"
    rf"(?: a| an)?|\bI(?:'ve| have) been(?: a| an)?) (?=\S)"
)
_PARTLY = re.compile(
    r"(?i)-?(?:ish|curious)\b| (?:on|at|for|during|before|until|when|today|tonight|this|most of|half|but|except"
    r"|\w*days?)\b"
)
_NOT_DIET = re.compile(
    r"(?i)(?P<start>\bI (?P<never>don't|do not|never|no longer|can't|cannot|stopped|quit|gave up) (?P<eat>eat"
    r"|eating)) |\b(?P<quit>I(?:'ve)? (?:gave up|given up|stopped eating|quit eating)) "
)
_NO_MORE = re.compile(r"(?i)[\w ]{0,12}\b(?:any ?more|any longer)\b")
_EX_DIET = re.compile(
    rf"(?i){I_AM} (?:no longer|not) (?:a |an )?(?P<diet>{DIET.pattern.removeprefix('(?i)')})(?P<more> any ?more)?"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """What an English sentence says of the speaker's body and diet."""
    for rule in (_allergies, _named_allergies, _conditions, _adjectives, _medication, _diets, _not_eaten, _left_diets):
        yield from rule(sentence)


def _allergies(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_ALLERGIC):
        if not opens_clause(sentence, match.start()):
            continue
        spans = phrases(sentence, match.end())
        for span in spans:
            if not NO_ALLERGEN.search(sentence.folded, *span):
                yield corrected(sentence, _allergic(sentence.words(*span), match.start(), spans[-1][1]))


def _named_allergies(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_HAS_ALLERGY):
        what = _MILDLY.sub("", match["what"])
        if what and opens_clause(sentence, match.start()) and not NO_ALLERGEN.search(what):
            yield _allergic(_PLURAL.get(what.lower(), what), match.start(), match.end())


def _allergic(what: str, start: int, end: int) -> Found:
    text = f"The user is allergic to {what}."
    return Found(predicate="allergic_to", object=what, text=text, start=start, end=end, confidence=0.9)


def _conditions(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_HAS_CONDITION):
        condition = CONDITION.match(sentence.folded, match.end(), sentence.end)
        if condition is None or not opens_clause(sentence, match.start()):
            continue
        if re.match(
            r"(?i) (?:about|over|when|today|from|because|in|of|on|patients|runs|medication|treatment|research"
            r"|awareness)\b",
            sentence.after(condition.end()),
        ):
            continue
        yield _has(sentence.words(*condition.span()), match.start(), condition.end())


def _adjectives(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DIABETIC):
        if opens_clause(sentence, match.start()):
            word = match["word"].lower()
            condition = _OF_WORD.get(word, word.replace("diabetic", "diabetes"))
            yield _has(condition, match.start(), match.end())


def _has(condition: str, start: int, end: int) -> Found:
    return Found(predicate="has_condition", object=condition, text=f"The user has {condition}.", start=start, end=end)


def _medication(sentence: Sentence) -> Iterator[Found]:
    if sentence.has(_ONE_OFF):
        return
    for match in sentence.matches(_TAKES):
        medicine = MEDICATION.match(sentence.folded, match.end(), sentence.end)
        if medicine and opens_clause(sentence, match.start()):
            what = sentence.words(*medicine.span())
            yield Found(
                predicate="takes_medication",
                object=what,
                text=f"The user takes {what}.",
                start=match.start(),
                end=medicine.end(),
            )


def _diets(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DIET):
        diet = DIET.match(sentence.folded, match.end(), sentence.end)
        if diet is None or not opens_clause(sentence, match.start()):
            continue
        if _PARTLY.match(sentence.folded, diet.end(), sentence.end):
            continue
        what = sentence.words(*diet.span()).lower()
        changed = bool(match["change"]) or " now" in match[0].lower()
        found = Found(
            predicate="diet",
            object=what,
            text=f"The user is {what}.",
            start=match.start(),
            end=diet.end(),
            stance=Stance.CHANGES if changed else Stance.STATES,
            confidence=0.85,
        )
        yield dated(sentence, found)


def _not_eaten(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_NOT_DIET):
        food = NOT_EATEN.match(sentence.folded, match.end(), sentence.end)
        if food is None or not opens_clause(sentence, match.start()):
            continue
        what = f"no {sentence.words(*food.span()).lower()}"
        more = _NO_MORE.match(sentence.folded, food.end(), sentence.end)
        stopped = match["quit"] or (match["never"] or "").lower() in ("no longer", "stopped", "quit", "gave up")
        yield Found(
            predicate="diet",
            object=what,
            text=f"The user does not eat {what.removeprefix('no ')}.",
            start=match.start(),
            end=more.end() if more else food.end(),
            stance=Stance.CHANGES if more or stopped else Stance.STATES,
        )


def _left_diets(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_EX_DIET):
        if opens_clause(sentence, match.start()) and (match["more"] or "no longer" in match[0].lower()):
            diet = match["diet"].lower()
            yield Found(
                predicate="diet",
                object=f"not {diet}",
                text=f"The user is no longer {diet}.",
                start=match.start(),
                end=match.end(),
                stance=Stance.CHANGES,
                replaces=diet,
            )
