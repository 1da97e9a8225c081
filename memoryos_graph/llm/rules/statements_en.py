"""English: who somebody is, where they live, what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .dates import day_at
from .english import I_AM, corrected, dated, ends_name, name_at, opens_clause, place_at
from .lexicon import LANGUAGES, NOT_JOBS, OCCUPATIONS
from .phrases import STOPS, one_phrase, phrases
from .sentence import Found, Sentence

_NOW = r"(?: (?:now|currently|still|also|actually|both|presently|originally|really|just))*"

_NAME = re.compile(r"\bmy (?:full |real |first |given )?name(?:'s| is) (?:actually )?", re.IGNORECASE)
_HELLO_NAME = re.compile(rf"(?i)(?:\b(?:hi|hello|hey)\b[^.!?\n]{{0,24}}[,!. ]+|^|\s)(?P<start>{I_AM}) (?=\S)")
_HELLO = re.compile(r"(?i)\b(?:hi|hello|hey|greetings|good (?:morning|evening|afternoon))\b[^.?\n]{0,24}[,!. ]*$")
_NICKNAME = re.compile(
    r"(?i)\b(?:(?:you can |please |just )+call me|call me|I go by|my nickname is|(?:friends|everyone|everybody|people"
    r"|they)"
    r" (?:all )?calls? me) "
)
_AGE = re.compile(
    rf"(?i)(?P<start>{I_AM}{_NOW}|\bmy age is|\bI(?:'ve| have)?(?: just"
    rf"| recently)? (?P<turned>turned)) (?P<age>\d{{1,3}})"
    r"(?P<years>(?: |-)?(?:years?[ -]old|yrs? old|y/?o)\b)?(?P<after>.{0,12})"
)
_BIRTHDAY = re.compile(r"(?i)\b(?:my birthday(?: is|'s)(?: on)?|I was born(?: on)?) (?=\S)")
_LIVES = re.compile(
    rf"(?i)(?P<start>\b(?:I|we){_NOW} (?:live|reside)|(?:{I_AM}|\bwe're){_NOW} (?:living|based|located"
    rf"|residing))(?P<now> now)? in "
)
_HAS_LIVED = re.compile(r"(?i)\bI(?:'ve| have) (?:lived|been living)(?: here)? in (?=\S+(?: \S+){0,2} (?:for|since)\b)")
_MOVED = re.compile(
    r"(?i)\b(?:I|we)(?:'ve| have)?(?: just| recently| finally| since)* (?:moved|relocated)(?: back| over| house)?"
    r"(?: from (?P<from>[^,.!?;]{2,30}?))? to "
)
# What may follow a home: "Oslo with my wife", not "Vegetarian food".
_AFTER_HOME = re.compile(
    r"(?i)\s*(?:$|[^\w\s]|(?:and|but|with|for|now|in|since|because|cause|where|at|on|last|this|these|when|from|as|so|by|after"
    r"|before|about|near|right|too|again|alone|recently|permanently|though|just|while|to|also|currently|together|over|back"
    r"|actually|btw|via|which|yesterday|today|a|an|one|two|three|four|five|six|ten|several|many|some|years?|\d+)\b)"
)
_FROM = re.compile(rf"(?i)(?:{I_AM}{_NOW} from|\bI{_NOW} come from|\bI was born(?: and (?:raised|bred))? in) ")
_SPEAKS = re.compile(
    rf"(?i)(?:\bI(?: can| only| also| mainly| mostly)? speak|{I_AM}{_NOW} (?:completely |totally )?(?:fluent"
    rf"|bilingual) in"
    r"|\bmy (?:native|first|mother) (?:language|tongue) is|\bmy mother tongue is) (?:both |fluent |native )?"
)
_NATIVE = re.compile(rf"(?i){I_AM} a native (?P<language>\w+) speaker")
_WORKS_AS = re.compile(
    rf"(?i)(?P<start>\bI{_NOW} work as|{I_AM}{_NOW} working as|{I_AM}{_NOW}|\bmy (?:job|profession"
    rf"|occupation) is(?: being)?"
    r"|\bI(?:'ve| have)? (?P<change>became|become|started (?:working )?as|started a new job as|got a (?:new )?job as"
    rf"|switched to being|was promoted to|got promoted to|was hired as)) (?P<article>an?|the) (?=\w)"
)
_WORKS_AT = re.compile(
    rf"(?i)(?P<start>\bI{_NOW} work|{I_AM}{_NOW} (?:working|employed)|\bI(?:'ve| have)?(?: just| recently)?"
    r" (?P<change>started working|started(?: a (?:new )?job)?|got a (?:new )?job|switched jobs)) (?P<at>at|for|by"
    r"|to)? ?"
)
_NOT_REALLY = re.compile(
    r"(?i),? (?:at heart|sort of|kind of|of sorts|in training|wannabe|in spirit|in a (?:past|former))\b"
)
_EMPLOYER = re.compile(r" (?:at|for|with) (?=[A-Z])")
_INSTITUTION = re.compile(
    r"(?i)(?:an?|the) (?:[\w-]+ ){0,2}(?:hospital|clinic|bank|school|university|college|restaurant|bakery|library"
    r"|museum"
    r"|law firm|pharmacy|startup|start-up|hotel|factory|bookstore|bookshop|cafe|coffee shop|supermarket|nursing home"
    r"|zoo"
    r"|kindergarten|daycare|animal shelter|post office|airport|newspaper|warehouse|gym|brewery"
    r"|consultancy)\b(?! (?:near|next))"
)
_STUDIES = re.compile(
    rf"(?i)(?P<start>\bI{_NOW} (?:study|major in)|{I_AM}{_NOW} (?:studying|majoring in)|\bmy major is"
    rf"|{I_AM}{_NOW} (?:doing|pursuing|getting) (?:a|my) (?:bachelor'?s?|master'?s?|ph\.?d|degree|mba"
    rf"|doctorate)(?: degree)? in) "
)
_NO_SUBJECT = re.compile(
    r"(?i)(?:hard|harder|every|abroad|late|together|alone|all|tonight|today|tomorrow|right|full|part|best|better"
    r"|better|more|less"
    r"|well|up|these|how|what|why|way|like|online|at|for|with|in|on|by|so|too|and|tips|maps?|people|options|your|new)\b"
)
_STUDIES_AT = re.compile(
    rf"(?i)(?P<start>\bI{_NOW} (?:study|go to school)|{I_AM}{_NOW} (?:studying|enrolled"
    rf"|a (?:\w+ )?student)) at (?=[A-Z])|\bI go to (?=[A-Z])"
)
_SCHOOL = re.compile(
    r"(?:\b(?:University|College|School|Institute|Academy|Polytechnic)\b|^(?:MIT|NYU|UCLA|ETH|NTNU|LSE|UCL|CMU)$)"
)
_ENDED = re.compile(
    r"(?i)\b(?:temporarily|for now|for the (?:week|weekend|summer|day)|next (?:week|month|year)|until|on vacation"
    r"|on holiday)\b"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """What an English sentence says of the speaker's identity, home and work."""
    for rule in (_names, _ages, _birthdays, _homes, _origins, _languages, _jobs, _employers, _studies, _schools):
        yield from rule(sentence)


def _names(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_NAME):
        if opens_clause(sentence, match.start()):
            yield from _named(sentence, match.start(), match.end(), lower=True)
    for match in sentence.matches(_HELLO_NAME):
        start = match.start("start")
        if _HELLO.search(sentence.folded[max(0, start - 40) : start]):
            yield from _named(sentence, start, match.end(), lower=False)
    for match in sentence.matches(_NICKNAME):
        if (name := name_at(sentence, match.end(), words=2)) and ends_name(sentence, name[1]):
            said = sentence.words(*name)
            yield Found(
                predicate="nickname", object=said, text=f"The user goes by {said}.", start=match.start(), end=name[1]
            )


def _named(sentence: Sentence, start: int, position: int, *, lower: bool) -> Iterator[Found]:
    name = name_at(sentence, position, lower=lower)
    if name is None or not ends_name(sentence, name[1]):
        return
    said = sentence.words(*name)
    found = Found(
        predicate="name", object=said, text=f"The user's name is {said}.", start=start, end=name[1], confidence=0.9
    )
    yield corrected(sentence, found)


def _ages(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_AGE):
        years = int(match["age"])
        bare = not match["years"] and not match["turned"]
        ends = re.match(r"\s*(?:$|[.!)]|,(?! ?\d)| and\b|, not\b)", match["after"])
        if not opens_clause(sentence, match.start()) or not 4 < years < 111 or (bare and (not ends or years < 13)):
            continue
        if match["turned"] and re.match(r"[\d%:]| (?:pages|degrees|percent)", match["after"]):
            continue
        found = Found(
            predicate="age",
            object=str(years),
            text=f"The user is {years} years old.",
            start=match.start(),
            end=match.start("after"),
            stance=Stance.CHANGES if match["turned"] else Stance.STATES,
        )
        yield corrected(sentence, found)


def _birthdays(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_BIRTHDAY):
        position = match.end()
        if found := day_at(sentence.after(position)):
            day, length = found
            text = f"The user's birthday is {day.english}."
            yield Found(
                predicate="birthday",
                object=day.text,
                text=text,
                start=match.start(),
                end=position + length,
                confidence=0.9,
            )


def _homes(sentence: Sentence) -> Iterator[Found]:
    for pattern in (_LIVES, _HAS_LIVED, _MOVED):
        for match in sentence.matches(pattern):
            place = place_at(sentence, match.end())
            if place is None or not opens_clause(sentence, match.start()) or sentence.has(_ENDED):
                continue
            if not _AFTER_HOME.match(sentence.folded, place[1], sentence.end):
                continue
            moved = pattern is _MOVED
            origin = match["from"] if moved else None
            now = moved or re.search(r"(?i)\bnow\b", match[0]) or re.match(r" now\b", sentence.after(place[1]))
            said = sentence.words(*place).removeprefix("the ")
            found = Found(
                predicate="lives_in",
                object=said,
                text=f"The user lives in {sentence.words(*place)}.",
                start=match.start(),
                end=place[1],
                stance=Stance.CHANGES if now else Stance.STATES,
                replaces=sentence.words(*match.span("from")) if origin and origin[:1].isupper() else None,
                confidence=0.85,
            )
            yield dated(sentence, corrected(sentence, found))


def _origins(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_FROM):
        place = place_at(sentence, match.end())
        if (
            place
            and opens_clause(sentence, match.start())
            and re.match(r"\s*(?:$|[^\w\s]|and|but|originally|so)", sentence.after(place[1]))
        ):
            said = sentence.words(*place)
            found = Found(
                predicate="from",
                object=said.removeprefix("the "),
                text=f"The user is from {said}.",
                start=match.start(),
                end=place[1],
            )
            yield corrected(sentence, found)


def _languages(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_SPEAKS):
        if not opens_clause(sentence, match.start()):
            continue
        spoken = phrases(sentence, match.end())
        for span in spoken:
            said = sentence.words(*span)
            if said.lower() in LANGUAGES:
                yield _speaks(said.title() if said.islower() else said, match.start(), spoken[-1][1])
    for match in sentence.matches(_NATIVE):
        if match["language"].lower() in LANGUAGES:
            yield _speaks(sentence.words(*match.span("language")), match.start(), match.end())


def _speaks(language: str, start: int, end: int) -> Found:
    return Found(predicate="speaks", object=language, text=f"The user speaks {language}.", start=start, end=end)


def _jobs(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WORKS_AS):
        span = one_phrase(sentence, match.end(), stops=STOPS)
        if span is None or not opens_clause(sentence, match.start()):
            continue
        said = sentence.words(*span)
        named = re.search(r"(?i)work|job|profession|occupation|hired", match["start"]) is not None
        if not _is_job(said, named=named) or _NOT_REALLY.match(sentence.folded, span[1], sentence.end):
            continue
        article = "an" if said[0].lower() in "aeiou" else "a"
        found = Found(
            predicate="works_as",
            object=said,
            text=f"The user is {article} {said}.",
            start=match.start(),
            end=span[1],
            stance=Stance.CHANGES if match["change"] or " now" in match["start"].lower() else Stance.STATES,
        )
        yield dated(sentence, corrected(sentence, found)) if match["change"] else corrected(sentence, found)
        if employer := _EMPLOYER.match(sentence.folded, span[1], sentence.end):
            if said.lower().endswith(("student", "undergraduate")):
                yield from _enrolled(sentence, match.start(), employer.end())
            else:
                yield from _employed(sentence, match.start(), employer.end(), changed=match["change"] is not None)


def _is_job(said: str, *, named: bool) -> bool:
    if NOT_JOBS.search(said):
        return False
    head = said.lower().split(" of ")[0].split()[-1]
    if head == "student" and " of " in said:
        return False
    return named or head in OCCUPATIONS


def _employers(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WORKS_AT):
        at, changed = match["at"], match["change"] is not None
        if not opens_clause(sentence, match.start()) or not at:
            continue
        yield from _employed(sentence, match.start(), match.end(), changed=changed)


def _employed(sentence: Sentence, start: int, position: int, *, changed: bool) -> Iterator[Found]:
    institution = _INSTITUTION.match(sentence.folded, position, sentence.end)
    span = institution.span() if institution else None
    if span is None and sentence.folded[position : position + 1].isupper():
        span = place_at(sentence, position, tools=True)
    if span is None or sentence.has(_ENDED):
        return
    said = re.sub(r"(?i)^(?:an?|the) (?=[a-z])", "", sentence.words(*span)) if institution else sentence.words(*span)
    text = f"The user works at {sentence.words(*span)}."
    found = Found(
        predicate="works_at",
        object=said,
        text=text,
        start=start,
        end=span[1],
        stance=Stance.CHANGES if changed else Stance.STATES,
    )
    yield dated(sentence, corrected(sentence, found))


def _studies(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_STUDIES):
        position = match.end()
        if not opens_clause(sentence, match.start()) or _NO_SUBJECT.match(sentence.folded, position, sentence.end):
            continue
        if listed := phrases(sentence, position):
            end = listed[-1][1]
            said = sentence.words(listed[0][0], end)
            yield Found(
                predicate="studies", object=said, text=f"The user studies {said}.", start=match.start(), end=end
            )
            if school := re.compile(r" at (?=[A-Z])").match(sentence.folded, end, sentence.end):
                yield from _enrolled(sentence, match.start(), school.end())


def _schools(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_STUDIES_AT):
        if opens_clause(sentence, match.start()):
            yield from _enrolled(sentence, match.start(), match.end())


def _enrolled(sentence: Sentence, start: int, position: int) -> Iterator[Found]:
    place = place_at(sentence, position)
    if place and _SCHOOL.search(sentence.words(*place)):
        said = sentence.words(*place)
        yield Found(predicate="studies_at", object=said, text=f"The user studies at {said}.", start=start, end=place[1])
