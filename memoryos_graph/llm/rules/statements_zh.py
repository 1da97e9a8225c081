"""Chinese: who somebody is, where they live, what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...domain.claim import Stance
from .chinese import (
    CLAUSE_END,
    HAN,
    ME,
    PARTICLES,
    Span,
    corrected,
    dated,
    ends_clause,
    listed,
    nickname_at,
    number,
    person_at,
    place_at,
)
from .dates import day_at
from .lexicon_zh import COMPANY, LANGUAGES, OCCUPATION, SUBJECT_END, WORKPLACE
from .sentence import Found, Sentence

NOW = "(?P<now>(?:现在|目前|也|一直|就|还|都|如今|正|已经|今年|刚刚|刚|最近|从小|其实)*)"
END = rf"(?=[{PARTICLES}]*\s*(?:[,;.。!?…~)\s]|$))"

_NAME = re.compile(rf"{ME}(?:的?(?:全名|真名|本名|名字|姓名)(?:叫做?|是)|名叫|叫做?)")
_NICKNAMES = (
    re.compile(rf"{ME}的?(?:小名|昵称|绰号|外号)(?:叫|是)"),
    re.compile(
        r"(?<![^,;.。!?~\s])(?P<me>(?:你们?)?(?:可以|就)叫我|(?:大家|朋友们?|同学们?|家人|他们|同事们?)都?叫我|请叫我)"
    ),
)
_AGE = re.compile(
    rf"{ME}(?P<now>(?:今年|现在|已经|刚满|刚过|满|是)*)(?P<age>\d{{1,3}}"
    rf"|[一二三四五六七八九十百零]{{1,4}}) ?(?P<years>周?岁)?"
)
_BIRTHDAY = re.compile(rf"{ME}(?P<is>的?生日是?在?|的?出生日期是|出生于|生于|是)(?=\d)")
_LIVES = re.compile(rf"{ME}(?:们|[和跟][{HAN}]{{1,4}}?(?:一起)?)?{NOW}(?:居住在|定居在|生活在|家住在?|家在|住在|住)")
_MOVED = re.compile(
    rf"{ME}(?:们|们?家)?(?P<when>[^,。!?]{{0,10}}?)(?:从(?P<from>[{HAN}\w]{{2,8}}?))?"
    r"(?:搬到|搬来|搬去|搬家到|移居到?|迁居到?|定居到)了?"
)
_MOVE_WORDS = re.compile(
    r"(?:已经|刚刚|刚|最近|终于|又|就|(?:和|跟)[^,。从]{1,4}|一起|(?:19|20)\d\d年(?:\d{1,2}月)?|(?:去年|今年"
    r"|前年)(?:\d{1,2}月)?"
    r"|上个?月|\d{1,2}月|昨天|今天|上周|前几天|在)*"
)
_TEMPORARY = re.compile(r"这几天|这周|这段时间|暂时|出差|旅[游行]|度假|放假|酒店|临时|假期|宿舍")
_FROM = re.compile(rf"{ME}{NOW}(?:来自于?|是从|的?老家[是在]|的?家乡[是在]|的?籍贯是?|祖籍是?|出生[在于])")
_NATIVE = re.compile(rf"{ME}{NOW}是(?:土生土长的|地道的|个)?(?P<place>[{HAN}]{{2,8}}?)人{END}")
_SPEAKS = re.compile(rf"{ME}(?:也|还|只)*(?:会|能|可以)(?:说|讲)|{ME.replace('P<', 'P<native_')}的?母语是")
_WORKS_AS = re.compile(
    rf"{ME}{NOW}(?P<verb>当上了|成为了?|转行做了?|升职为|的?(?:职业|工作|本职工作)是|是|当|做|从事"
    rf"|担任)了?(?:一?[名个位])?"
    rf"(?P<job>(?:(?![你我他她它好坏最的想像])[{HAN}A-Za-z]){{0,6}}?{OCCUPATION}){END}"
)
_CHANGE = re.compile("当上|成为|转行|升职")
_WORKS_AT = re.compile(
    rf"{ME}{NOW}在(?:一[家所间个])?(?P<where>(?:(?![我你他她家的])[{HAN}\w]){{0,14}}?(?:{WORKPLACE}|{COMPANY}"
    rf"|[A-Z]\w+))"
    rf"(?:里|这边|那边)?(?:工作|上班|任职|就职|(?:当|做)(?:一?[名个位])?(?P<job>[{HAN}]{{0,4}}?{OCCUPATION})){END}"
)
_JOINED = re.compile(
    rf"{ME}(?P<when>[^,。!?]{{0,8}}?)(?:跳槽到|跳槽去|入职)了?(?P<where>(?!一家|新|别的|另"
    rf"|其他)[{HAN}\w]{{2,12}}?){END}"
)
_STUDIES = re.compile(
    rf"{ME}{NOW}(?:在[{HAN}]{{2,10}}?(?:大学|学院))?(?:的?专业是|学的?是|主修|攻读|大学学的?是|读的?是|读|学)"
    rf"(?P<what>(?:(?!的)[{HAN}]){{0,8}}?{SUBJECT_END})(?:专业|系)?的?{CLAUSE_END}"
)
_STUDIES_AT = re.compile(
    rf"{ME}{NOW}(?:就读于|在)(?P<school>[{HAN}]{{2,10}}?(?:大学|学院))(?:读书|上学|念书|学习|读研|读博|读|就读|上大学"
    rf"|学|{CLAUSE_END})"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """What a Chinese sentence says of the speaker's identity, home and work."""
    for rule in (_names, _ages, _birthdays, _homes, _moves, _origins, _languages, _jobs, _employers, _studies):
        yield from rule(sentence)


def _names(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_NAME):
        if name := person_at(sentence, match.end()):
            text = f"用户名叫{sentence.words(*name)}。"
            yield corrected(sentence, _found(sentence, match, name, "name", text, confidence=0.9))
    for pattern in _NICKNAMES:
        for match in sentence.matches(pattern):
            if name := nickname_at(sentence, match.end()):
                yield _found(sentence, match, name, "nickname", f"用户希望被叫作{sentence.words(*name)}。")


def _found(
    sentence: Sentence, match: re.Match[str], span: Span, predicate: str, text: str, *, confidence: float = 0.8
) -> Found:
    """A statement from where its subject stands to the end of its object."""
    return Found(
        predicate=predicate,
        object=sentence.words(*span),
        text=text,
        start=match.start("me"),
        end=span[1],
        confidence=confidence,
    )


def _ages(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_AGE):
        years = number(match["age"])
        named = match["years"] or "今年" in match["now"]
        if years and named and 4 < years < 111 and ends_clause(sentence, match.end()):
            yield corrected(
                sentence,
                Found(
                    predicate="age",
                    object=str(years),
                    text=f"用户{years}岁。",
                    start=match.start("me"),
                    end=match.end(),
                    stance=Stance.CHANGES if "刚满" in match["now"] else Stance.STATES,
                ),
            )


def _birthdays(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_BIRTHDAY):
        found = day_at(sentence.after(match.end()))
        if found is None:
            continue
        day, length = found
        end = match.end() + length
        born = re.compile(r"(?:出生|生)的?").match(sentence.folded, end, sentence.end)
        if match["is"] == "是" and not born:
            continue
        yield Found(
            predicate="birthday",
            object=day.text,
            text=f"用户的生日是{day.chinese}。",
            start=match.start("me"),
            end=born.end() if born else end,
            confidence=0.9,
        )


def _homes(sentence: Sentence) -> Iterator[Found]:
    if sentence.has(_TEMPORARY):
        return
    for match in sentence.matches(_LIVES):
        place = place_at(sentence, match.end())
        if place and ends_clause(sentence, place[1], allow="这边|那边|市区|工作|上班|生活"):
            found = _lives(sentence, match.start("me"), place)
            if "如今" in match["now"]:
                found = _changed(found)
            yield corrected(sentence, found)


def _moves(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_MOVED):
        place = place_at(sentence, match.end())
        if (
            place
            and _MOVE_WORDS.fullmatch(match["when"])
            and ends_clause(sentence, place[1], allow="这边|生活|工作|居住|定居")
        ):
            found = _changed(_lives(sentence, match.start("me"), place))
            if match["from"]:
                found = replace(found, replaces=sentence.words(*match.span("from")))
            yield dated(sentence, corrected(sentence, found))


def _lives(sentence: Sentence, start: int, place: Span) -> Found:
    said = sentence.words(*place)
    text = f"用户住在{said}。"
    return Found(predicate="lives_in", object=said, text=text, start=start, end=place[1], confidence=0.85)


def _changed(found: Found) -> Found:
    return replace(found, stance=Stance.CHANGES)


def _origins(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_FROM):
        place = place_at(sentence, match.end())
        if place and ends_clause(sentence, place[1], allow="来的|长大的?"):
            yield corrected(sentence, _found(sentence, match, place, "from", _from(sentence, place)))
    for match in sentence.matches(_NATIVE):
        span = match.span("place")
        if place_at(sentence, span[0], until=span[1]) == span:
            found = _found(sentence, match, span, "from", _from(sentence, span))
            yield corrected(sentence, replace(found, end=match.end()))


def _from(sentence: Sentence, place: Span) -> str:
    return f"用户来自{sentence.words(*place)}。"


def _languages(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_SPEAKS):
        spans = listed(sentence, match.end())
        for span in spans:
            said = sentence.words(*span)
            if said in LANGUAGES:
                start = match.start("me") if match["me"] else match.start("native_me")
                yield Found(predicate="speaks", object=said, text=f"用户会说{said}。", start=start, end=spans[-1][1])


def _jobs(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WORKS_AS):
        job = match.span("job")
        found = _found(sentence, match, job, "works_as", f"用户是{sentence.words(*job)}。")
        if _CHANGE.match(match["verb"]):
            found = dated(sentence, _changed(found))
        yield corrected(sentence, found)


def _employers(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WORKS_AT):
        where = sentence.words(*match.span("where"))
        text = f"用户在{where}工作。"
        yield Found(predicate="works_at", object=where, text=text, start=match.start("me"), end=match.end())
        if match["job"]:
            yield _found(sentence, match, match.span("job"), "works_as", f"用户是{match['job']}。")
    for match in sentence.matches(_JOINED):
        if _MOVE_WORDS.fullmatch(match["when"]):
            where = sentence.words(*match.span("where"))
            found = _found(sentence, match, match.span("where"), "works_at", f"用户在{where}工作。")
            yield dated(sentence, _changed(found))


def _studies(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_STUDIES):
        what = match.span("what")
        yield _found(sentence, match, what, "studies", f"用户的专业是{sentence.words(*what)}。")
    for match in sentence.matches(_STUDIES_AT):
        school = match.span("school")
        yield _found(sentence, match, school, "studies_at", f"用户在{sentence.words(*school)}上学。")
