"""A sentence in its place, and what a rule finds in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ...domain.claim import Stance

MASK = "\x00"
"""Stands in a folded text for each character that is not plain speech of the user (quotes, code, pasted text)."""

_TYPOGRAPHY = {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‑": "-", "–": "-"}
# Traditional characters of the words that the Chinese rules look for; the stored text keeps its own.
_TRADITIONAL = (
    "對過嗎們個這那為什麼會說養隻條貓歡愛討厭還現來學習專業畢業師醫護員藥劑歲紀結婚後兒媽搬從於嗎沒點給喫飲劃準備場時間"
)
_SIMPLIFIED = (
    "对过吗们个这那为什么会说养只条猫欢爱讨厌还现来学习专业毕业师医护员药剂岁纪结婚后儿妈搬从于吗没点给吃饮划准备场时间"
)
_FOLD = str.maketrans(_TYPOGRAPHY) | dict(zip(map(ord, _TRADITIONAL), map(ord, _SIMPLIFIED), strict=True))
_FOLD |= {0xFF01 + i: 0x21 + i for i in range(94)}  # full-width ASCII
_FOLD |= dict.fromkeys([0x3000, 0xA0, 0x202F, 0x2007], 0x20)


def fold(text: str) -> str:
    """A text of the same length, with one form for each quote, width and script that rules would have to know."""
    return text.translate(_FOLD)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a rule read in a sentence: a claim without its page. `start` and `end` are offsets into the stored side."""

    predicate: str
    object: str
    text: str
    start: int
    end: int
    stance: Stance = Stance.STATES
    replaces: str | None = None
    valid_from: datetime | None = None
    confidence: float = 0.8


@dataclass(frozen=True)
class Sentence:
    """One sentence of a stored side. `folded` is the whole side, folded and masked, as long as `text`."""

    text: str
    folded: str
    start: int
    end: int
    said_at: datetime

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches inside this sentence; positions are those of the side."""
        return pattern.finditer(self.folded, self.start, self.end)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern occurs in this sentence."""
        return pattern.search(self.folded, self.start, self.end) is not None

    def before(self, position: int) -> str:
        """What stands in this sentence before a position."""
        return self.folded[self.start : position]

    def after(self, position: int) -> str:
        """What stands in this sentence from a position on."""
        return self.folded[position : self.end]

    def words(self, start: int, end: int) -> str:
        """The stored words of a span as an object: composed, with single spaces."""
        return " ".join(unicodedata.normalize("NFC", self.text[start:end]).split())
