"""Chinese: likes and dislikes, preferences, what somebody drinks and uses, plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...domain.claim import Stance
from .chinese import HAN, ME, PARTICLES, Span, ends_clause, listed
from .lexicon import TOOL
from .lexicon_zh import DRINK
from .sentence import Found, Sentence
from .statements_zh import END

_VERY = "(?:最|很|非常|特别|也|还|比较|一直|主要|其实|都|就|真的|真|超级|超|十分|挺|蛮|平时|平常|从小|现在|向来|是)*"
_LIKES = re.compile(rf"{ME}{_VERY}(?:喜欢|喜爱|热爱|酷爱|爱好|爱)(?P<at>[上的着过得]|好)?")
_HOBBIES = re.compile(rf"{ME}的(?:兴趣|业余|最大的?)?爱好(?:就|主要)?(?:是|有|包括)")
_DISLIKES = re.compile(rf"{ME}{_VERY}(?P<verb>(?:不再|不)(?:太|是很|怎么|大)?(?:喜欢|爱)|讨厌|反感|受不了|厌恶)")
_FAVORITE = re.compile(rf"{ME}最(?:喜欢|爱|喜爱)(?:吃|看|听|玩|读|喝|去)?的(?P<what>[{HAN}]{{1,5}}?)(?:就|还|应该)?是")
_PREFERS = re.compile(rf"(?:比起(?P<over>[^,。!?]{{1,10}}),\s*)?{ME}(?:还是|会)?更(?:加)?(?:喜欢|爱|偏爱|倾向于)")
_RATHER = re.compile(r"(?:,?\s*(?:而不是|胜过|多过|多于))(?P<other>[^,。!?\x00]{1,10}?)(?=[,。!?~\s]|$)")
_DRINKS = re.compile(
    rf"{ME}(?P<how>(?:只|一般|平时|每天|早上|都|现在|已经|改|习惯|爱)*)喝(?P<what>{DRINK})(?P<new>了)?{END}"
)
_SWITCHED = re.compile(
    rf"{ME}(?:们)?(?P<when>[^,。!?从把]{{0,10}}?)(?:把[{HAN}\w]{{1,8}})?从\s?(?P<from>[{HAN}\w+#.]{{1,14}}?)\s?"
    rf"(?:迁移|迁|换|切换|转换|改用|转|搬)(?:到|成|为)?了?\s?"
)
_USES = re.compile(rf"{ME}(?:们)?(?:一直|平时|主要|现在|都|还|也|每天|工作中)*(?:用|使用)的?(?:是)?\s?")

# Things at hand, persons and clauses: no taste that lasts.
_AT_HAND = re.compile(
    r"[你您他她它我是不]|喜欢|讨厌|这|那|自己|什么|怎么|谁|哪|某|一个|一位|有人|大家|别人|此|刚才|今天|昨天|这样|这种"
    r"|因为|如果"
    r"|觉得|可以|会|要|想|没有|得很|了$|过$|上面|推荐|建议"
)
_NO_TASTE = re.compile(r"^(?:[的了着过得上]|人$|人家|就|也|但|不过|东西|事情|方面|死|慕)")

_PLANS = re.compile(
    rf"{ME}(?:们)?(?:正|也|还)?(?P<before>[^,。!?]{{0,8}}?)(?:正在)?(?:打算|计划|准备)(?:着|好)?(?:要)?(?=[^,。!?\x00])"
)
_WHEN = re.compile(
    r"(?:在)?(?P<when>(?P<relative>明年|后年|今年(?=年底|夏天|冬天|秋天|春天|暑假|寒假|\d)|下个?月|下周末?|下个?学期"
    r"|下半年|年底|月底|这个?周末|周末|(?:今年)?(?:暑假|寒假)|国庆|五一|春节|过年|元旦)?"
    r"(?P<season>年初|年底|夏天|冬天|秋天|春天|暑假|寒假|国庆|春节)?(?:(?P<year>20\d\d)年)?(?P<month>\d{1,2}月"
    r"(?:\d{1,2}[日号])?)?)(?:的时候)?"
)
_SMALL = re.compile(
    r"吃饭|睡觉|休息|洗澡|看看|试试|晚饭|午饭|早饭|早餐|起床|回家|今晚|晚上|今天|明天|一会|待会|等会|马上|你|他|她|它"
    r"|这|那"
)


def statements(sentence: Sentence) -> Iterator[Found]:
    """What a Chinese sentence says of the speaker's tastes, tools and plans."""
    for rule in (_likes, _favorites, _dislikes, _preferences, _drinks, _tools, _plans):
        yield from rule(sentence)


def _likes(sentence: Sentence) -> Iterator[Found]:
    for pattern in (_LIKES, _HOBBIES):
        for match in sentence.matches(pattern):
            if pattern is _LIKES and match["at"]:
                continue
            yield from _tastes(sentence, match, "likes", "用户喜欢{}。", Stance.STATES)


def _tastes(sentence: Sentence, match: re.Match[str], predicate: str, text: str, stance: Stance) -> Iterator[Found]:
    spans = listed(sentence, match.end())
    if not spans or not all(_is_taste(sentence.words(*span)) for span in spans):
        return
    for span in spans:
        said = sentence.words(*span)
        yield Found(
            predicate=predicate,
            object=said,
            text=text.format(said),
            start=match.start("me"),
            end=spans[-1][1],
            stance=stance,
        )


def _is_taste(said: str) -> bool:
    return not _AT_HAND.search(said) and not _NO_TASTE.search(said)


def _favorites(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_FAVORITE):
        spans = listed(sentence, match.end(), longest=14)
        if len(spans) == 1 and _is_taste(match["what"]) and _is_taste(sentence.words(*spans[0])):
            said = sentence.words(*spans[0])
            text = f"用户最喜欢的{match['what']}是{said}。"
            yield Found(
                predicate="likes", object=said.strip("《》"), text=text, start=match.start("me"), end=spans[0][1]
            )


def _dislikes(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DISLIKES):
        for found in _tastes(sentence, match, "dislikes", "用户不喜欢{}。", Stance.STATES):
            more = re.compile(r"了").match(sentence.folded, found.end, sentence.end)
            if "不再" in match["verb"] or (more and match["verb"].startswith("不")):
                text = f"用户不再喜欢{found.object}。"
                found = replace(found, text=text, stance=Stance.CHANGES, end=more.end() if more else found.end)
            yield found


def _preferences(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_PREFERS):
        spans = listed(sentence, match.end())
        if len(spans) != 1 or not _is_taste(sentence.words(*spans[0])):
            continue
        said, end, start = sentence.words(*spans[0]), spans[0][1], match.start("me")
        rather = _RATHER.match(sentence.folded, end, sentence.end)
        other = rather["other"] if rather else match["over"]
        text = f"比起{other},用户更喜欢{said}。".replace(",", "，") if other else f"用户更喜欢{said}。"
        start = match.start() if match["over"] else start
        yield Found(predicate="prefers", object=said, text=text, start=start, end=rather.end() if rather else end)


def _drinks(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_DRINKS):
        changed = "改" in match["how"]
        if (match["new"] and not changed) or "早上" in match["how"] or "爱" in match["how"]:
            continue
        yield Found(
            predicate="drinks",
            object=match["what"],
            text=f"用户喝{match['what']}。",
            start=match.start("me"),
            end=match.end(),
            stance=Stance.CHANGES if changed else Stance.STATES,
        )


def _tools(sentence: Sentence) -> Iterator[Found]:
    for match in sentence.matches(_SWITCHED):
        tool = TOOL.match(sentence.folded, match.end(), sentence.end)
        drink = re.compile(DRINK).match(sentence.folded, match.end(), sentence.end)
        what = tool or drink
        if what and ends_clause(sentence, what.end()):
            said = sentence.words(*what.span())
            yield Found(
                predicate="uses" if tool else "drinks",
                object=said,
                text=f"用户{'使用' if tool else '喝'}{said}。",
                start=match.start("me"),
                end=what.end(),
                stance=Stance.CHANGES,
                replaces=sentence.words(*match.span("from")),
            )
    for match in sentence.matches(_USES):
        tool = TOOL.match(sentence.folded, match.end(), sentence.end)
        if tool and tool[0][0].isupper():
            said = sentence.words(*tool.span())
            text = f"用户使用{said}。"
            yield Found(predicate="uses", object=said, text=text, start=match.start("me"), end=tool.end())


def _plans(sentence: Sentence) -> Iterator[Found]:
    """Plans with a date: "我打算明年去日本", "我明年打算去日本"."""
    for match in sentence.matches(_PLANS):
        when = _when(sentence, match.end())
        start = when[1] if when else match.end()
        before = _when(sentence, match.start("before")) if match["before"] else None
        if when is None and before and before[1] == match.end("before"):
            when = before
        spans = _rest(sentence, start)
        if when is None or spans is None or (match["before"] and before is None):
            continue
        yield _plan(sentence, match.start("me"), spans, when)


def _when(sentence: Sentence, position: int) -> Span | None:
    match = _WHEN.match(sentence.folded, position, sentence.end)
    return match.span("when") if match and match["when"] else None


def _rest(sentence: Sentence, position: int) -> Span | None:
    run = re.compile(r"[^,;.。!?…~\n\x00]{2,16}").match(sentence.folded, position, sentence.end)
    if run is None or not ends_clause(sentence, run.end()) or _SMALL.search(run[0]):
        return None
    return position, position + len(run[0].rstrip(PARTICLES + " "))


def _plan(sentence: Sentence, start: int, span: Span, when: Span) -> Found:
    what, then = sentence.words(*span), sentence.words(*when)
    said = "" if re.match(r"20\d\d年", then) else f"（说于{sentence.said_at:%Y-%m-%d}）"
    text = f"用户计划{then}{what}{said}。"
    return Found(predicate="plans_to", object=what, text=text, start=start, end=max(span[1], when[1]), confidence=0.75)
