"""What on a user's side is plain speech about themselves, and what is not.

Not plain: quotes, code, pasted text, requests to work on a text, role play, jokes, questions, hypotheses, words of
others, fiction and songs. All of it is left alone: a fact missed can be said again, a wrong one sticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from ...domain.text import sentences
from .sentence import MASK, Sentence, fold

LABEL_LENGTH = 80
# Nobody states a fact in a longer sentence; what is that long is pasted. It also bounds what the rules cost.
SENTENCE_LENGTH = 600

# ---- the whole side -------------------------------------------------------------------------------------------------

_WORK_ON_TEXT = re.compile(
    r"""(?ix)
    \b(?:translat(?:e|ion|ing)\b|proofread\w*|rewrite|rephrase|paraphrase|summari[sz]e|transcribe|transcript|subtitles?)\b
    | \b(?:correct|fix|check|improve|edit|polish|review|format|parse|analy[sz]e|explain|complete|continue|repeat)
      \s(?:(?:the|this|that|my|these|following|below|grammar|spelling|in|of)\s)+
      (?:\w+\s)?(?:sentences?|text|texts|paragraph|essay|grammar|e-?mail|letter|message|code|story|lyrics|line|lines|words)\b
    | \b(?:write|draft|compose|generate|create|make\sup|invent|give\sme|prepare|need|want)\b (?:\s\w+){0,5}?
      \s(?:poem|story|stories|song|lyrics|e-?mail|letter|bio|biography|essay|script|dialogue|monologue|speech|caption
         |tweet|post|advert|ad|joke|jokes|slogan|cv|resume|r\xe9sum\xe9|sentence|sentences|example|examples|test\sdata|persona)\b
    | \A\s*dear\s\w+[\s\S]*\b(?:regards|sincerely|yours|best\swishes)\b
    | \bhow\s(?:do|would|can)\s(?:you|i|we)\s(?:say|spell|pronounce|write)\b
    | \b(?:what|how)\s(?:does|do)\b[^?\n]*\bmean\b
    | \bin\s(?:french|german|spanish|italian|chinese|english|japanese|norwegian|latin|russian|korean)\s*[?:]
    | \b(?:here\s(?:is|are)|below\s(?:is|are)|the\sfollowing|as\sfollows|this\sis)\b[^.\n]{0,40}:
    | \b(?:ignore|disregard|forget)\s(?:all\s|any\s|your\s|the\s)*(?:previous|prior|above|earlier)\b
    | 翻译(?:成|一?下|以?下|这|[::])|(?:帮我?|请)翻译|润色|改写|校对|续写|仿写|造句|扩写|缩写
    | 总结(?:一下)?(?:下面|以下|这)|(?:以下|下面|如下)(?:是|的|内容|文字|句子|这)?[^。\n]{0,8}[::]
    | 修改(?:一下)?(?:我的|这|下面|以下)|(?:写|编|讲|创作|生成)(?:一|个|首|篇|封|段|份|几)[^。,\n]{0,10}
      (?:诗|故事|歌|歌词|小说|信|邮件|作文|文章|简历|剧本|台词|对话|自我介绍|文案|例句|例子|段子|笑话)
    | 用(?:英语|英文|法语|日语|德语|中文)(?:怎么)?(?:说|讲|写|翻)|忽略(?:之前|以上|上面|前面)
    """
)
_ROLE_PLAY = re.compile(
    r"""(?ix)
    \b(?:role[\s-]?play\w*|let'?s\s(?:play|pretend|imagine|say)|pretend|imagine|make[\s-]believe|act\sas|play\sthe\srole
      |you(?:'re|\sare)\s(?:now\s)?(?:a|an|my|the)\s(?:\w+\s)?(?:pirate|king|queen|knight|wizard|detective|doctor|patient
        |shopkeeper|interviewer|customer|dungeon\smaster|game\smaster|character|captain|teacher|terminal|translator)
      |in\scharacter|dungeon\smaster|d&d|text\sadventure|simulat\w+|improv)\b
    | 角色扮演|扮演|假装|你来(?:当|演|做)|我来(?:当|演|扮)|我们来玩|我们玩个|过家家|剧本杀|跑团
    | 想象一下|假设你是|假如你是
    """
)
# What opens a game that the next turns go on with; "I can't imagine" does not.
_GAME = re.compile(
    r"(?i)\brole[\s-]?play\w*|\blet'?s (?:play|pretend)\b|\bpretend (?:you|to be|that|i)\b|\bact as\b|\bplay the role\b"
    r"|\byou(?:'re| are) now\b|\bin character\b|\b(?:dungeon|game) master\b|\btext adventure\b|\bmake[\s-]believe\b"
    r"|角色扮演|扮演|假装你|我们来玩|我们玩个|过家家|剧本杀|跑团"
)
_ROLE_PLAY_OVER = re.compile(
    r"(?i)\b(?:stop|end|quit|finish|enough)\w*\b[^.!?\n]{0,20}\b(?:role[\s-]?play\w*|game|play\w*|pretend\w*)\b"
    r"|\bout of character\b|\bback to reality\b|\bin real life\b|不玩了|不演了|(?:游戏|扮演)结束|回到现实"
)
_JOKE = re.compile(
    r"(?i)\b(?:just |only |i'?m |was )?(?:kidding|joking)\b|\bjk\b|(?<!\S)/s\b|\bsarcas\w+|\bapril fools?\b|\bpsych!"
    r"|开(?:个)?玩笑|逗你|骗你|瞎说|胡说|才怪|哈哈骗|愚人节|\bdoge\b|\(狗头\)|\[狗头\]"
)
_LABELLED_LINE = re.compile(r"(?m)^[ \t]*[^\W\d][^\d:\n,;!?]{0,29}:(?!\d|//)[ \t]*\S")
_FOREIGN_LABEL = re.compile(
    r"(?i)\s*[\[<(*#]*\s*(?:assistant|system|ai|bot|chatgpt|model|developer|tool)\b[^\n:]{0,10}[:\]>]"
)
_LABEL = re.compile(r"\s*(?:[A-Z][\w.'-]*)(?: [A-Z][\w.'-]*){0,2}:\s+")

# ---- spans to mask --------------------------------------------------------------------------------------------------

_MASKED = re.compile(
    r"""(?xms)
    ```.*?(?:```|\Z) | ~~~.*?(?:~~~|\Z) | `[^`\n]*`                # code
    | "[^"\n]{1,600}"                                              # quotes
    | (?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,300}'(?!\w)
    | 「[^」\n]{0,600}」 | 『[^』\n]{0,600}』
    | ^[ \t]*(?:>|\#|//|--\s|\*/|/\*|\|)[^\n]*                     # quoted lines, comments, headings, tables
    | ^On\s[^\n]{5,80}\swrote:.*\Z | ^-{3,}\s*(?:Original|Forwarded)\b.*\Z | ^From:\s.*\Z
    | ^[^\n]*(?:[;{}]|=>|\)\s*:)[ \t]*$
    | ^[ \t]*(?:def|class|import|from|return|print|const|let|var|SELECT)\b[^\n]*[(=;][^\n]*$
    | </?[A-Za-z!][^>\n]{0,200}> | \bhttps?://\S+ | \*[^*\n]{2,200}\* | ♪[^\n]*
    """
)

# ---- one sentence ---------------------------------------------------------------------------------------------------

_UNREAL_EN = re.compile(
    r"""(?ix)
    \b(?:if|unless|suppose|supposing|wish|wishes|wished|would|could|might|maybe|perhaps|probably|possibly|hypothetically
      |assuming|assume|whether|dreamed|dreamt|dreaming|i\sguess|guess\swhat\sif|let'?s\ssay|in\sanother\slife|someday
      |technically|basically\sa|practically|literally|as\sthough|almost|nearly|supposedly|apparently|feels?\slike|felt\slike
      |used\sto|back\sthen|back\sin\sthe\sday|when\si\swas|when\swe\swere|as\sa\s(?:kid|child|teen\w*|boy|girl|student)
      |growing\sup|my\s(?:younger|former|past|old)\sself|in\smy\s(?:youth|twenties|thirties|teens|head|mind)
      |yeah\sright|as\sif|totally\snot)\b
    | (?-i:\bmay\s(?!\d))
    """
)
_OTHERS_EN = re.compile(
    r"""(?ix)
    \b(?:said|says|saying|told|tells|telling|asked|asks|asking|claims?|claimed|wrote|writes|yell\w*|shout\w*|scream\w*
      |whisper\w*|repl(?:ied|ies)|answer(?:ed|s)|mutter\w*|joked?|jokes|lied|lie|quot\w+|according\sto|goes\slike|reads
      |(?:he|she|they|people|everyone|everybody|somebody|someone|who)\s(?:\w+\s)?(?:thinks?|thought|believes?|assumes?|heard)
      |sang|sings?|lyrics?|chorus|verse|song\scalled|titled|entitled|catchphrase|slogan|motto|meme)\b
    | \b(?:in|for|from|of|on)\s(?:my|the|this|a|our|that)\s(?:\w+\s)?(?:novel|story|game|book|play|dream|movie|film|song
      |poem|campaign|script|show|series|episode|rpg|sims?|manuscript|fanfic)\b
    | \b(?:my|the|main|this)\scharacter\b | \bprotagonist\b | \bnarrator\b | \bfictional\b
    """
)
_UNREAL_ZH = re.compile(
    r"如果|假如|要是|假设|假使|倘若|假若|若是|万一|的话|想象|但愿|梦见|梦到|做梦|梦里|好像|仿佛|似乎|可能|也许|或许"
    r"|大概|恐怕"
    r"|差点|本来|曾经|以前|从前|过去|小时候|那时|当年|年轻的?时候|原先|早年|上辈子|下辈子|才怪|要不是|就好了"
)
_OTHERS_ZH = re.compile(
    r"(?<!再)(?<!来)说(?!错|实|真|来|起|中文|英|法|日|德|韩|俄|西|普|粤|汉|葡|阿|意)|告诉|听说|据说|写道|问(?!题)|喊"
    r"|唱道|唱的|歌词"
    r"|歌里|小说|电影里|游戏里|故事里|剧里|书里|剧中|片中|台词|主角|角色|[他她它](?:们)?(?:觉得|认为|以为)"
    r"|有人(?:觉得|认为)|名言|这句"
)
_QUESTION_EN = re.compile(
    r"(?i)\s*(?:(?:and|but|so|well|hey|ok|okay|hi|oh)[, ]+)*(?:am i|do i|did i|should i|can i|could i|will i|was i"
    r"|have i"
    r"|is it|are you|do you|did you|can you|could you|would you|will you|have you|what|why|how|who|whom|whose|where"
    r"|when"
    r"|which|guess (?:who|where|how|which|why))\b(?! about me)"
)
_GUESS_ZH = re.compile(r"[,;][^,;]*(?<![对是好行])吧[\s。!~…]*$")
_QUESTION_ZH = re.compile(
    r"(?:吗|呢|么|吧|嘛)[\s。!~…]*$|谁|什么|怎么|为何|哪(?!怕)|是不是|有没有|能不能|要不要|会不会|对不对|[多几](?:少"
    r"|大|久)"
)
# "I love hiking, what about you?": what stands before the question is a statement.
_QUESTION_TAIL = re.compile(
    r"(?i)[,;.!-]\s*(?:and |but |so )?(?:(?:what|how) about (?:you|yours)|and you|do you|did you|can you|could you"
    r"|would you"
    r"|have you|are you|will you|any (?:ideas|advice|suggestions|recommendations|tips)|what (?:do|are|is|would|should)"
    r"|how (?:do|can|should)|where (?:do|can|should)|which|is there|are there)\b|[,;]\s*(?:你|那你|您|那么你|有什么"
    r"|有没有|能不能|可以)"
)


def plain_text(text: str, *, in_role_play: bool = False) -> str | None:
    """The side folded, with what is not the user's plain speech masked; None when nothing on it is."""
    folded = fold(text)
    if in_role_play or _ROLE_PLAY.search(folded) or _JOKE.search(folded) or _WORK_ON_TEXT.search(folded):
        return None
    if _FOREIGN_LABEL.match(folded[:LABEL_LENGTH]) or len(_LABELLED_LINE.findall(folded)) > 1:
        return None
    masked = _MASKED.sub(lambda match: MASK * len(match[0]), folded)
    unclosed = masked.find('"')
    return masked if unclosed < 0 else masked[:unclosed] + MASK * (len(masked) - unclosed)


def role_play_goes_on(text: str, before: bool) -> bool:
    """Whether role play is under way after a side, given whether it was before."""
    folded = fold(text)
    if _ROLE_PLAY_OVER.search(folded):
        return False
    return before or _GAME.search(folded) is not None


def plain_sentences(text: str, folded: str, said_at: datetime) -> Iterator[Sentence]:
    """The sentences of a side that state something, each cut before a question that hangs on to it."""
    label = _LABEL.match(folded[:LABEL_LENGTH])
    first = label.end() if label else 0
    for start, end in sentences(text):
        start = max(start, first)
        if end - start > SENTENCE_LENGTH:
            continue
        end = _without_question(folded, start, end)
        if start < end and not _unreal(folded[start:end]):
            yield Sentence(text, folded, start, end, said_at)


def _without_question(folded: str, start: int, end: int) -> int:
    """The end of what is stated in a sentence; `start` when all of it is asked."""
    sentence = folded[start:end]
    if guess := _GUESS_ZH.search(sentence):  # "我喜欢攀岩,五花八门吧": only the last clause is a guess
        end = start + guess.start()
        sentence = folded[start:end]
    asked = sentence.rstrip("\"')》」』").endswith("?") or _QUESTION_ZH.search(sentence) is not None
    if tail := _QUESTION_TAIL.search(sentence):
        stated = sentence[: tail.start()]
        if asked and _QUESTION_ZH.search(stated) is None and not _QUESTION_EN.match(stated):
            return start + tail.start()
    return start if asked or _QUESTION_EN.match(sentence) else end


def _unreal(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in (_UNREAL_EN, _OTHERS_EN, _UNREAL_ZH, _OTHERS_ZH))
