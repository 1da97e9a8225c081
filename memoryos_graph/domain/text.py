"""Words, sentences and likeness of texts, by the standard library alone.

What needs a library (stems, a Chinese segmenter, long stop lists) is in llm/keywords.py; that is what indexing and
topics use. These here are exact about positions and never change between versions of a library.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002fa1f"
CJK_CHAR = re.compile(f"[{_CJK}]")
_TOKEN = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+(?:['’][^\\W\\d_{_CJK}]+)?")
_CJK_RUN = re.compile(f"[{_CJK}]+")

_STOP_WORDS = """
a about after again all also always am an and any are aren't as at be because been before being but by can can't
cannot could couldn't did didn't do does doesn't doing don't done for from get got had has hasn't have haven't
having he he's her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let let's like
maybe me more most much my myself no nor not now of off oh ok okay on once one only or other our ours out over
please really same she she's should shouldn't so some still such sure than thank thanks that that's the their theirs
them then there there's these they they're thing things this those through to too under until up us very was wasn't
we we're we've were what what's when where which while who whom why will with won't would wouldn't yeah yes you
you'd you'll you're you've your yours yourself
"""
_STOP = frozenset(_STOP_WORDS.split())
# Characters that carry no subject in Chinese and seldom stand inside a word that does: runs are cut there.
_CJK_STOP = re.compile("[的了吗嗎呢吧啊呀嘛哦嗯我你您他她它们們]+")

_CLOSERS = "\"'”’」』）)】》*_"
_SENTENCE_END = re.compile(
    rf"[\r\n\u0085\u2028\u2029]+|[。！？；…｡]+[{_CLOSERS}]*|[!?]+[{_CLOSERS}]*(?=\s|$|[{_CJK}])|\.+[{_CLOSERS}]*(?=\s|$)"
    rf"|(?<=[{_CJK}])\.+(?=[{_CJK}])"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“‘])(?:(?:[A-Za-z]\.)*[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|approx|dept|no|inc|ltd)$",
    re.IGNORECASE,
)


def is_cjk(text: str) -> bool:
    """Whether a quarter or more of the letters of a text are Chinese, Japanese or Korean."""
    letters = sum(char.isalpha() for char in text)
    return letters > 0 and 4 * sum(1 for _ in CJK_CHAR.finditer(text)) >= letters


def content_words(text: str) -> list[str]:
    """The words of a text in order, lower case, no stop words; CJK runs as bigrams (a lone character as itself)."""
    return [word for token in tokens(text) for word in content(token)]


def tokens(text: str) -> Iterator[str]:
    """Words and unbroken CJK runs, lower case, compatibility forms (full width) folded."""
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        yield match[0].lower().replace("’", "'")


def content(token: str) -> Iterator[str]:
    """The content words of one token: itself unless it is a stop word, the bigrams of a CJK run."""
    if not _CJK_RUN.fullmatch(token):
        if token not in _STOP and (len(token) > 1 or token.isdigit()):
            yield token.removesuffix("'s")
        return
    for run in _CJK_STOP.split(token):
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)) if run)


def singular(word: str) -> str:
    """A word without the commonest plural endings: enough to see that "cat" and "cats" are one."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def keywords(
    text: str,
    limit: int = 10,
    *,
    words: Callable[[str], Iterable[str]] = content_words,
    stem: Callable[[str], str] = singular,
) -> tuple[str, ...]:
    """The most repeated content words, earlier ones first among equals, one form per stem. Deterministic."""
    keys: dict[str, str] = {}
    counts: dict[str, int] = {}
    forms: dict[str, str] = {}
    for word in words(text):
        key = keys.get(word) or keys.setdefault(word, stem(word))
        counts[key] = counts.get(key, 0) + 1
        forms.setdefault(key, word)
    ranked = sorted(counts, key=lambda key: -counts[key])  # stable: first seen first
    return tuple(forms[key] for key in ranked[:limit])


def sentences(text: str) -> list[tuple[int, int]]:
    """Code point spans of the sentences of a text, in order, without the white space around them.

    They end at sentence punctuation with its closing quotes, and at line ends; never inside "3.5", "e.g." or "Dr. Ho".
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if not _goes_on(text, start, match):
            _add_trimmed(spans, text, start, match.end())
            start = match.end()
    _add_trimmed(spans, text, start, len(text))
    return spans


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether what looks like an end is none: an abbreviation, or a quoted question inside a sentence."""
    mark = end[0]
    if mark[0] in ".":
        return len(mark) == 1 and _ABBREVIATION.search(text, max(start, end.start() - 12), end.start()) is not None
    following = text[end.end() : end.end() + 2].lstrip()
    return mark[0] in "!?！？" and mark[-1] in _CLOSERS and following[:1].islower()


def _add_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    if start < end:
        spans.append((start, end))


def jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    """The share of words that two sets have in common; 0 when both are empty."""
    mine, theirs = set(a), set(b)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """The cosine of two vectors of one length; 0 when either is empty or zero."""
    if not a or not b:
        return 0.0
    product = sum(x * y for x, y in zip(a, b, strict=True))
    norms = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return product / norms if norms else 0.0
