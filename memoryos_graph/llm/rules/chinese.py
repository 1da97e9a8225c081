"""Reading Chinese clauses: where a statement about oneself begins, names, places, lists, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import rjieba

from ...domain.claim import Stance
from .dates import start_after, start_before
from .sentence import MASK, Found, Sentence

Span = tuple[int, int]

_LEAD = (
    r"(?:(?:你好|您好|大家好|嗨|嗯+|恩|哈哈+|其实|对了|是的|是啊|没错|而且|并且|但是|但|不过|因为|由于|所以|另外|还有"
    r"|现在|目前|平时|最近"
    r"|那|哦|啊|哎|唉|好的|谢谢|说实话|说真的|说起来|老实说|顺便说一下|同时|此外|除此之外|当然|总之|不是|不对|抱歉"
    r"|更正(?:一下)?|首先)[啊呀哦了呢]?"
    r"[ ,]*)*"
)
ME = rf"(?:(?<=^)|(?<=[,;.。!?…~\s)]))(?P<lead>{_LEAD})(?P<me>我|本人)"
"""The speaker as the subject of a clause; `me` is where the quote begins."""

CLAUSE_END = r"(?=\s*(?:[,;.。!?…~)\s]|$))"
HAN = "\u4e00-\u9fff"
# Particles at the end of a clause that say nothing.
PARTICLES = "啊呀哦呢啦吧嘛哈噢喔哟的了"

_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳鲍史唐"
    "费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜"
    "阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉龚程邢裴陆荣翁"
    "荀羊惠甄曲家封芮储靳段焦巴弓牧隗山谷车侯宓蓬全班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印宿白怀蒲从鄂索咸赖卓蔺屠蒙池乔阴"
    "张趙錢孫吳鄭馮陳衛蔣韓楊許呂張嚴陶謝鄒蘇魯韋馬鳳俞鮑費賀湯羅畢鄔樂時傅齊餘顧黃蕭湯邵談龐紀項閔賈婁顏鍾邱駱盧應單諸陸榮龔車侯寧劉龍葉喬闫肖涂聂覃游岳"
)
_COMPOUND = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|夏侯|端木|歐陽|諸葛|東方"
_PERSON = re.compile(
    rf"(?:(?:{_COMPOUND})[{HAN}]{{1,2}}|[{_SURNAMES}][{HAN}]{{1,2}}|[小阿老][{HAN}]"
    rf"|(?:[A-Z][\w'-]{{1,14}})(?: [A-Z][\w'-]{{1,14}}){{0,2}})"
)
_NO_PERSON = re.compile(
    r"(?:[小阿老](?:时|心|学|孩|说|朋|姐|哥|弟|妹|子|板|师|家|狗|猫|鸟|人|公|婆|实|是|爸|妈|爷|奶|姨|了|的)"
    r"|和[他她你我它]|时[候间]|单[身位]|花[了生]"
    r"|高[兴中]|安[全静]|平[时常]|明[天年白]|成[功为]|方[便法]|水[果平]|于是|经[常过]|全[部家]|房[子间]|车[子站]"
    r"|白[天色]|应[该当]|从[来小]|强[大壮])"
)
_NUMERALS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}

_NS_SUFFIX_WORDS = """
市 区 县 省 镇 村 乡 州 新区 自治区 特别行政区 开发区
"""
_NS_SUFFIX = frozenset(_NS_SUFFIX_WORDS.split())
_TOWN = re.compile(r"(?:臺北|台北|香港|九龙|九龍|澳门|澳門|高雄|台中|臺中|台南|新北|纽约|紐約|东京|東京|伦敦|倫敦)")
_LATIN_PLACE = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,3}")
_DENIED = re.compile(
    rf"\s*[,]?\s*(?:而)?(?:并)?不是(?:住在|在|叫|对)?(?P<object>[{HAN}\w]{{1,10}}?)(?:过敏|人)?{CLAUSE_END}"
)
_WRONG = re.compile(
    r"(?:不对|说错了|我说错了|更正(?:一下)?|纠正(?:一下)?|搞错了|记错了|打错了)[,。!: ]*(?:应该)?(?:是)?[,: ]*$"
)


def subject_start(match: re.Match[str]) -> int:
    """Where the quote of a match of `ME` begins."""
    return match.start("me")


def person_at(sentence: Sentence, position: int) -> Span | None:
    """The span of a person's name that fills the rest of its clause."""
    match = re.compile(rf"(?:{_PERSON.pattern}){CLAUSE_END}").match(sentence.folded, position, sentence.end)
    if match is None or _NO_PERSON.match(match[0]):
        return None
    return match.span()


def nickname_at(sentence: Sentence, position: int) -> Span | None:
    """The span of a short name that fills the rest of its clause: of a pet, or what friends say."""
    match = re.compile(rf"(?:[{HAN}]{{1,4}}|[A-Z][\w'-]{{1,14}}){CLAUSE_END}").match(
        sentence.folded, position, sentence.end
    )
    if match is None or re.search(r"[我你他她它了的吗这那]|什么|起来|出来|不停|声", match[0]):
        return None
    return match.span()


def place_at(sentence: Sentence, position: int, *, until: int | None = None) -> Span | None:
    """The span of a place at a position, as the segmenter's dictionary knows it, or in Latin letters.

    `until`: where the place has to end at the latest; the segmenter sees nothing of what follows ("四川" in "四川人").
    """
    if latin := _LATIN_PLACE.match(sentence.folded, position, sentence.end):
        return latin.span()
    if town := _TOWN.match(sentence.folded, position, sentence.end):
        return town.span()
    run = re.compile(rf"[{HAN}]{{2,14}}").match(sentence.folded, position, until or sentence.end)
    end = position
    for word, tag in rjieba.tag(run[0]) if run else ():
        foreign = tag in ("nr", "nrt") and len(word) > 2  # 西雅图
        if not (tag == "ns" or foreign or (end > position and word in _NS_SUFFIX)):
            break
        end += len(word)
    return (position, end) if end - position > 1 else None


def ends_clause(sentence: Sentence, position: int, *, allow: str = "") -> bool:
    """Whether a clause ends there, after words that `allow` (a pattern) matches and particles."""
    return (
        re.compile(rf"(?:{allow})?[{PARTICLES}]*{CLAUSE_END}").match(sentence.folded, position, sentence.end)
        is not None
    )


def listed(sentence: Sentence, position: int, *, longest: int = 10) -> list[Span]:
    """The members of a list ("绘画、弹钢琴和品茶") that fills the rest of its clause; empty when one is too long."""
    run = re.compile(rf"[^,;.。!?…~\n{MASK}]+").match(sentence.folded, position, sentence.end)
    if run is None or sentence.folded[run.end() : run.end() + 1] == MASK:
        return []
    spans = []
    if run[0][0] in "在和跟与":  # "在海滩、山脉和湖泊附近拍摄" and "和朋友聊天" are one thing
        return [(position, position + len(run[0].rstrip(PARTICLES + " ")))] if len(run[0]) <= 2 * longest else []
    for start, end in _pieces(run[0]):
        if not 0 < end - start <= longest:
            return []
        spans.append((position + start, position + end))
    return spans


def _pieces(run: str) -> Iterator[Span]:
    stop = re.search(r"因为|但是|不过|所以|尤其|特别是|比如|例如|而不是|胜过|的时候|[( ]", run)
    run = run[: stop.start()] if stop else run
    for match in re.finditer(r"(?:(?!、|以及|还有|和(?!谐|平|气|服|声|尚|弦)|与|跟(?!随)|及(?!格)).)+", run):
        text = match[0].rstrip(PARTICLES + " ")
        lead = len(text) - len(text.lstrip())
        yield match.start() + lead, match.start() + len(text)


def number(text: str) -> int | None:
    """A number below 200 in digits or Chinese numerals (二十五)."""
    if text.isascii() and text.isdigit():
        return int(text)
    match = re.fullmatch(r"(?:(一)百零?)?(?:([一二三四五六七八九])?(十))?([一二三四五六七八九])?", text)
    if not text or match is None:
        return None
    tens = (_NUMERALS[match[2]] if match[2] else 1) if match[3] else 0
    return (100 if match[1] else 0) + 10 * tens + (_NUMERALS[match[4]] if match[4] else 0)


def corrected(sentence: Sentence, found: Found) -> Found:
    """The statement with what its sentence denies: "我叫李雪,不是李学", "不对,我住在上海"."""
    if denied := _DENIED.match(sentence.folded, found.end, sentence.end):
        replaced = sentence.words(*denied.span("object"))
        return replace(found, end=denied.end("object"), replaces=replaced, stance=Stance.CORRECTS)
    if _WRONG.search(sentence.folded[max(0, found.start - 14) : found.start]):
        return replace(found, stance=Stance.CORRECTS)
    return found


def dated(sentence: Sentence, found: Found) -> Found:
    """The statement with the time it began, where words in its quote or right before it say so."""
    for offset in range(found.start, found.end):
        if began := start_after(sentence.folded[offset : found.end], sentence.said_at):
            return replace(found, valid_from=began[0])
    if before := start_before(sentence.before(found.start), sentence.said_at):
        return replace(found, valid_from=before[0], start=sentence.start + before[1])
    return found
