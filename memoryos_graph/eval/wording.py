"""How near the words of an answer are to those of the answer that was wanted. Pure; every figure is 0 to 1.

Chinese, Japanese and Korean are compared by characters. Markers of citations, such as [2], are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from typing import Any

import snowballstemmer

_MARKER = re.compile(r"\[\d+(?:\s*,\s*\d+)*\]")
_ARTICLE = re.compile(r"\b(a|an|the|and)\b")
_SIGN = re.compile(r"[^\w\s]|_")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")


def official_f1(said: str, wanted: str, category: str) -> float:
    """F1 as LoCoMo's own evaluation counts: stemmed words, without articles, as often as they stand there.

    Multi-hop answers are lists: each part wanted counts with the best part said. Open-domain ones end at a semicolon.
    Source: snap-research/locomo, task_eval/evaluation.py.
    """
    if category == "open-domain":
        wanted = wanted.split(";")[0]
    if category == "multi-hop":
        parts = [_stems(part) for part in _MARKER.sub(" ", said).split(",")]
        each = [max(_f1(part, _stems(one)) for part in parts) for one in wanted.split(",")]
        return sum(each) / len(each)
    return _f1(_stems(said), _stems(wanted))


def set_f1(said: str, wanted: str) -> float:
    """F1 over the sets of words as they are, the published figure of MemoryOS and A-Mem."""
    return _f1(Counter(set(_words(said))), Counter(set(_words(wanted))))


def bleu_1(said: str, wanted: str) -> float:
    """Share of the words said that were wanted, each as often as wanted, less where too little is said."""
    spoken, asked = _words(said), _words(wanted)
    if not spoken or not asked:
        return 0.0
    precision = (Counter(spoken) & Counter(asked)).total() / len(spoken)
    return precision * min(1.0, math.exp(1 - len(asked) / len(spoken)))


def covered(said: str, wanted: str) -> float:
    """Share of the wanted words that were said: whole sentences of the memory can reach it, unlike F1."""
    asked = _stems(wanted)
    return (asked & _stems(said)).total() / asked.total() if asked else 0.0


def _words(text: str) -> list[str]:
    return _CJK.sub(r" \1 ", _SIGN.sub(" ", _MARKER.sub(" ", text).lower())).split()


def _stems(text: str) -> Counter[str]:
    words = _ARTICLE.sub(" ", " ".join(_words(text))).split()
    return Counter(_stemmer().stemWords(words))


@cache
def _stemmer() -> Any:
    return snowballstemmer.stemmer("porter")


def _f1(said: Counter[str], wanted: Counter[str]) -> float:
    common = (said & wanted).total()
    if not common:
        return 0.0
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)
