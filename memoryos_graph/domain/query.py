"""A question as the full-text index can be asked: its content words, and the Lucene text made of them. No I/O.

Only lower-case word characters reach the Lucene text, or such words inside quotation marks: no operator survives.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

MAX_TERMS = 64  # the server refuses a query somewhere between 400 and 600 clauses; ours has at most three for a term
MAX_TERM = 255  # the longest token of the analyzer
NEAR = 4  # how many other words may stand between two neighbours of the question
NEAR_BOOST = 0.5

# What the analyzer `english` drops: a query of nothing else would match every page of the user.
_ANALYZER_STOP = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with"""
_QUESTION = "when what where who whom whose which how why did does do is are was were has have had"
_FILLER = """
from its about her his she he them him my your you i me we our us would could should can may many much long often kind
type"""
ANALYZER_STOP = frozenset(_ANALYZER_STOP.split())
STOP = ANALYZER_STOP | frozenset(_QUESTION.split()) | frozenset(_FILLER.split())

# What people wrap a Chinese question in; and characters that carry nothing on their own.
_CJK_PHRASES = """
你还记得 还记得 记得吗 我曾经 你曾经 曾经 给我 和你 跟你 向你 对我 告诉过 告诉我 告诉 提到过 提到 推荐过 分享过 分享了
请问 是什么 叫什么 什么样 什么时候 什么 哪一部 哪一个 哪一 哪些 哪个 哪里 哪儿 哪天 哪年 哪位 哪 怎么样 怎么 怎样 如何
为什么 为何 多少 多久 几点 几号 几个 谁 有没有 是不是 对吗 对吧 可以 我们 你们 他们 她们 这天 那天 当时 关于
一个 一部 一些 一本 时候"""
_CJK_STOP_PHRASES = re.compile("|".join(sorted(_CJK_PHRASES.split(), key=len, reverse=True)))
_CJK_STOP = frozenset("的了吗呢吧啊呀是在有和与也都就我你他她它们这那个过着到于及被把让很最呐嘛之其")

# Scripts that the analyzer cuts into single characters: Han and Hiragana.
_IDEOGRAPH = "\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_JOINTS = ".,:'’"  # between letters these do not end a word for the analyzer
_TOKEN = re.compile(rf"[{_IDEOGRAPH}]+|[^\s{_JOINTS}{_IDEOGRAPH}]+(?:[{_JOINTS}][^\s{_JOINTS}{_IDEOGRAPH}]+)*")
_RUN = re.compile(f"[{_IDEOGRAPH}]")
_NEGATION = re.compile(r"n['’]t$")
_ENDING = re.compile(r"['’](?:s|re|ve|ll|d|m)$")
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(rf"[^_{_JOINTS}]+")
_NAME = re.compile(r"(?<=\S )([A-Z][^\W_]+)")  # a capital that does not begin the text
_LABEL = re.compile(r"\s*([^\W\d_][^\n:：]{0,38}?)\s*[:：](?=\s)")
_WHEN = re.compile(
    r"\s*(when|how long|(in |on |during )?(what|which) (year|month|date|day|time|week|season))\b"
    r"|.*(什么时候|何时|哪[一]?[天年月日]|几[月号点]|多久|多长时间)",
    re.IGNORECASE | re.DOTALL,
)

LABEL_SHARE = 0.1
LABEL_COUNT = 3


@dataclass(frozen=True)
class Term:
    """One word to look for. `exact` is the form the analyzer keeps whole (`example.com`), quoted in the query."""

    word: str
    exact: bool = False
    ideograph: bool = False

    @property
    def clause(self) -> str:
        """The term as Lucene text; no operator can be in it."""
        return f'"{self.word}"' if self.exact else self.word


@dataclass(frozen=True)
class Query:
    """What a question says, before anything is known of the user.

    `terms` are in the order of the question, at most 64 different ones; `wordless` is a question without any word;
    `asks_when` one that wants a time; `latin` is the share of its letters that are Latin; `subject` are its content
    words without names, so that a second vector can tell what is asked from whom it is asked about.
    """

    terms: tuple[Term, ...]
    subject: str
    wordless: bool
    asks_when: bool
    latin: float


def understand(question: str) -> Query:
    """Read a question of any length and script."""
    tokens = list(_tokens(question))
    terms = _content(tokens)
    names = {word.lower() for word in _NAME.findall(question)}
    return Query(
        terms=terms,
        subject=" ".join(term.word for term in terms if not (term.exact or term.ideograph or term.word in names)),
        wordless=not tokens,
        asks_when=_WHEN.match(question) is not None,
        latin=_latin_share(question),
    )


def without_names(terms: Sequence[Term], names: frozenset[str]) -> tuple[Term, ...]:
    """The terms that are not names of the speakers, or all of them when nothing else would be left.

    A speaker's name labels every page and so tells none apart. Source: retrieval.md 2, worth .03.
    """
    return tuple(term for term in terms if term.word not in names) or tuple(terms)


def speakers(openings: Iterable[str]) -> frozenset[str]:
    """Words of the names that label who speaks, learnt from how the user's sides begin ("Ana: I moved").

    A label counts when at least three sides and a tenth of them carry it; ordinary chat has none.
    """
    sides = [side for side in openings if side.strip()]
    labels = Counter(match[1].lower() for side in sides if (match := _LABEL.match(side)))
    least = max(LABEL_COUNT, LABEL_SHARE * len(sides))
    return frozenset(word for label, n in labels.items() if n >= least for word in _WORD.findall(label))


def lucene(user_key: str, terms: Sequence[Term]) -> str | None:
    """The query for an index on user_key and text; None without terms, since an empty clause matches everything.

    The key filters and adds nothing to the score (^0). Words that are neighbours in the question count more when they
    are near each other in the text. Neighbouring ideographs are terms of their own (`_ideographs`).
    """
    if not terms:
        return None
    pairs = pairwise(terms)
    clauses = [term.clause for term in terms] + [near for pair in pairs for near in _near(*pair)]
    return f"+user_key:{user_key}^0 +text:({' '.join(clauses)})"


def _near(first: Term, second: Term) -> Iterator[str]:
    if not (first.exact or first.ideograph or second.exact or second.ideograph):
        yield f'"{first.word} {second.word}"~{NEAR}^{NEAR_BOOST}'


def _content(tokens: Sequence[Term]) -> tuple[Term, ...]:
    """Words that carry meaning; a question of stop words keeps those that the analyzer keeps, such as "who" or "c"."""
    telling = [term for term in tokens if _tells(term)]
    kept = telling or [t for t in tokens if t.word not in ANALYZER_STOP]
    return tuple(dict.fromkeys(kept))[:MAX_TERMS]


def _tells(term: Term) -> bool:
    long_enough = len(term.word) > 1 or not term.word.isalpha() or term.ideograph
    return long_enough and term.word not in STOP and term.word not in _CJK_STOP


def _tokens(question: str) -> Iterator[Term]:
    """Words in order: ideographs one by one and as pairs, compounds such as `example.com` in parts and whole."""
    for match in _TOKEN.finditer(_words_only(question.lower())):
        token = match[0]
        if _RUN.match(token):
            yield from _ideographs(token)
        elif not _NEGATION.search(token):  # "don't" is one word for the analyzer, and a stop word in spirit
            yield from _compound(_ENDING.sub("", token))


def _words_only(text: str) -> str:
    """Letters, digits and marks, with what may join them; everything else becomes a blank."""
    return "".join(c if c in _JOINTS or c == "_" or unicodedata.category(c)[0] in "LNM" else " " for c in text)


def _compound(token: str) -> Iterator[Term]:
    parts = [part for part in _PART.findall(token) if any(map(str.isalnum, part))]
    yield from (Term(part[:MAX_TERM]) for part in parts)
    if len(parts) > 1:
        yield Term(token[:MAX_TERM], exact=True)


def _ideographs(run: str) -> Iterator[Term]:
    for stretch in _CJK_STOP_PHRASES.sub(" ", run).split():
        yield from (Term(char, ideograph=True) for char in stretch)
        yield from (Term(a + b, exact=True, ideograph=True) for a, b in pairwise(stretch))


def _latin_share(text: str) -> float:
    letters = [c for c in text if c.isalpha()]
    return sum(1 for c in letters if c < "\u0250" or "\u1e00" <= c <= "\u1eff") / len(letters) if letters else 1.0


def all_words(user_key: str, terms: Sequence[Term]) -> str | None:
    """The query for texts that hold every term; None without terms."""
    if not terms:
        return None
    return f"+user_key:{user_key}^0 +text:({' '.join('+' + term.clause for term in terms)})"
