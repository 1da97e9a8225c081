"""Chinese: family, pets, wedding days, allergies, conditions, medication, diet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domain.claim import Stance
from .chinese import HAN, ME, corrected, dated, nickname_at, person_at
from .dates import day_at
from .lexicon_zh import ALLERGENS, CONDITION, MEDICATION, NO_ALLERGEN, NOT_EATEN, PET, ROLE, ROLES
from .sentence import Found, Sentence
from .statements_zh import END, NOW

_WHEN = r"(?:去年|前年|今年|上个?月|最近|刚刚|刚|\d{4}年(?:\d{1,2}月)?|\d{1,2}月)*"
_COUNT = "(?P<count>[一两二三四五六\\d](?:个|位|只|条|名)?)"
_LOOKS = rf"(?:(?:很|非常|特别)?[{HAN}]{{1,4}}?的)?"
_ROLE_NAMED = re.compile(rf"{ME}(?:们)?的?(?:大|小)?(?P<role>{ROLE})(?:的名字)?(?:叫做?|名叫|名字是|是)")
_HAS_ROLE = re.compile(rf"{ME}们?(?:家)?{NOW}有了?{_COUNT}?{_LOOKS}(?P<role>{ROLE}){END}")
_HAS_PET = re.compile(
    rf"{ME}们?家?{NOW}(?:里)?(?:养了|养着|养|有|收养了|领养了)(?:{_COUNT})?{_LOOKS}(?P<role>{PET}){END}"
)
_PET_NAMED = re.compile(rf"{ME}们?家?(?:养)?的?(?:那?只)?(?P<role>{PET})(?:的名字)?(?:叫做?|名叫|名字是)")
_THEN_NAMED = re.compile(r"\s*,?\s*(?:[它他她]的?)?(?:名字)?(?:叫做?|名叫|是)")
_GONE = re.compile(r"去世|过世|走了|死了|离婚|分手|前妻|前夫|前任|前女友|前男友|离开了|丢了|走丢|已故|没了")
_MARRIED = re.compile(rf"{ME}们?{NOW}{_WHEN}(?P<what>结婚了|已婚|结了婚|订婚了|领证了){END}")
_WEDDING = re.compile(rf"{ME}们?(?:是)?(?:在|于)?(?P<anniversary>的?结婚纪念日是)?(?=\d)")

_ALLERGIC = re.compile(
    rf"{ME}(?:从小|一直|也|还|就|都|好像)*对(?P<what>[^,;.。!?\n\x00]{{1,20}}?)(?:严重|轻微|轻度|重度|特别|非常|很"
    rf"|有点|都"
    rf"|也|会)*过敏{END}"
)
_HAS_ALLERGY = re.compile(rf"{ME}{NOW}(?:有|有严重的)?(?P<what>{ALLERGENS})过敏(?:症|史)?{END}")
_CONDITION = re.compile(
    rf"{ME}{NOW}{_WHEN}(?:有|得了|患有|患了|患|确诊了?|被诊断(?:出|为)?(?:患有|患|了)?|被确诊(?:为|患有)?了?)(?:轻度"
    rf"|重度|严重的?|慢性|先天性)?(?P<what>{CONDITION}){END}"
)
_MEDICATION = re.compile(
    rf"{ME}(?:现在|目前)?(?:每天|一直|长期|需要|正在|在|都|要|得)+(?:吃|服用|服|注射|打)着?(?P<what>{MEDICATION}){END}"
)
_VEGETARIAN = re.compile(
    rf"{ME}{NOW}(?P<verb>是(?:一?[个名])?素食(?:主义)?者|吃素(?P<new>了)?|开始吃素(?:了)?|是吃素的){END}"
)
_NOT_EATEN = re.compile(
    rf"{ME}(?:从来|一直|从|已经|现在|都)*(?P<no>不再吃|不吃|戒了?)(?P<what>{NOT_EATEN})(?P<more>了)?{END}"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """Who belongs to the speaker and how their body fares, by a Chinese sentence."""
    if not sentence.has(_GONE):
        for rule in (_named_members, _members, _pets, _named_pets, _marriage, _weddings):
            yield from rule(sentence)
    for rule in (_allergies, _conditions, _medication, _diets):
        yield from rule(sentence)


def _named_members(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_ROLE_NAMED):
        if name := person_at(sentence, match.end()):
            yield corrected(sentence, _called(sentence, match.start("me"), name, match["role"], ROLES[match["role"]]))


def _called(sentence: Sentence, start: int, span: tuple[int, int], role: str, predicate: str) -> Found:
    name = sentence.words(*span)
    text = f"用户的{role}叫{name}。"
    return Found(predicate=predicate, object=name, text=text, start=start, end=span[1], confidence=0.85)


def _members(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_HAS_ROLE):
        predicate = ROLES[match["role"]]
        then = _THEN_NAMED.match(sentence.folded, match.end(), sentence.end)
        if then and (name := person_at(sentence, then.end())):
            yield _called(sentence, match.start("me"), name, match["role"], predicate)
        elif predicate != "has_parent":
            yield _has(match, predicate)


def _has(match: re.Match[str], predicate: str) -> Found:
    count = match["count"] or ""
    thing = match["role"] if count[:1] in ("", "一", "1") else f"{count}{match['role']}"
    text = f"用户有{count}{match['role']}。"
    return Found(predicate=predicate, object=thing, text=text, start=match.start("me"), end=match.end())


def _pets(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_HAS_PET):
        then = _THEN_NAMED.match(sentence.folded, match.end(), sentence.end)
        if then and (name := nickname_at(sentence, then.end())):
            yield _called(sentence, match.start("me"), name, match["role"], "has_pet")
        else:
            yield _has(match, "has_pet")


def _named_pets(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_PET_NAMED):
        if name := nickname_at(sentence, match.end()):
            yield corrected(sentence, _called(sentence, match.start("me"), name, match["role"], "has_pet"))


def _marriage(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_MARRIED):
        who, text = ("未婚妻/未婚夫", "用户订婚了。") if "订" in match["what"] else ("配偶", "用户已婚。")
        found = Found(predicate="has_partner", object=who, text=text, start=match.start("me"), end=match.end())
        yield dated(sentence, found)


def _weddings(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_WEDDING):
        found = day_at(sentence.after(match.end()))
        if found is None:
            continue
        day, length = found
        end = match.end() + length
        if match["anniversary"]:
            text = f"用户的结婚纪念日是{day.chinese}。"
            yield Found(predicate="anniversary", object=day.text, text=text, start=match.start("me"), end=end)
        elif married := re.compile(r"(?:结婚|领证)的?").match(sentence.folded, end, sentence.end):
            text = f"用户于{day.chinese}结婚。"
            yield Found(predicate="married_on", object=day.text, text=text, start=match.start("me"), end=married.end())


def _allergies(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_ALLERGIC):
        if re.search(NO_ALLERGEN, match["what"]) or "好像" in match[0]:
            continue
        for piece in re.split(r"、|以及|还有|和|与|,", match["what"]):
            if 0 < len(piece) <= 8:
                yield corrected(sentence, _allergic(sentence, piece, match))
    for match in sentence.matches(_HAS_ALLERGY):
        yield _allergic(sentence, match["what"], match)


def _allergic(sentence: Sentence, piece: str, match: re.Match[str]) -> Found:
    offset = match.start("what") + match["what"].index(piece)
    what = sentence.words(offset, offset + len(piece))
    return Found(
        predicate="allergic_to",
        object=what,
        text=f"用户对{what}过敏。",
        start=match.start("me"),
        end=match.end(),
        confidence=0.9,
    )


def _conditions(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_CONDITION):
        what = sentence.words(*match.span("what"))
        text = f"用户患有{what}。"
        yield Found(predicate="has_condition", object=what, text=text, start=match.start("me"), end=match.end())


def _medication(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_MEDICATION):
        what = sentence.words(*match.span("what"))
        text = f"用户服用{what}。"
        yield Found(predicate="takes_medication", object=what, text=text, start=match.start("me"), end=match.end())


def _diets(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_VEGETARIAN):
        changed = bool(match["new"]) or "开始" in match["verb"]
        yield _diet(match, "素食", "用户吃素。", match.end(), changed=changed)
    for match in sentence.matches(_NOT_EATEN):
        what = match["what"]
        changed = match["no"] != "不吃" or bool(match["more"])
        yield _diet(match, f"不吃{what}", f"用户不吃{what}。", match.end(), changed=changed)


def _diet(match: re.Match[str], what: str, text: str, end: int, *, changed: bool) -> Found:
    stance = Stance.CHANGES if changed else Stance.STATES
    return Found(predicate="diet", object=what, text=text, start=match.start("me"), end=end, stance=stance)
