"""Words that read like orders to a language model: sides of pages that hold them are quarantined, the rest is flagged.

A quarantined side is kept and found on request; nothing is made of it, and no prompt shows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Clear cases only: an ordinary wish ("from now on, call me Al") must not look suspicious (case S16).
_BIDDEN = r"(?:^|[.!?:;,\"“”(*#>-]\s*|\b(?:please|must|should|now|and|then|to)\s+)"
_ENGLISH = (
    _BIDDEN + r"(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}"
    r"\b(?:previous|prior|above|earlier|preceding|all|any|your|these|those)\b[^.!?\n]{0,30}"
    r"\b(?:instructions?|prompts?|rules|guidelines|directives|orders)\b",
    _BIDDEN + r"(?:reveal|print|repeat|show|leak|output)\b[^.!?\n]{0,30}"
    r"\b(?:system|hidden|initial)\s+(?:prompt|message|instructions?)\b",
    r"\byou are (?:now|no longer)\b[^.!?\n]{0,60}"
    r"\b(?:ai|language model|dan|jailbroken|unrestricted|unfiltered|developer mode)\b",
)
_CHINESE = (
    r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要管)[^。！？\n]{0,12}(?:之前|以上|前面|先前|上面|所有|全部|你的)"
    r"[^。！？\n]{0,8}(?:指令|指示|提示|规则|規則|设定|命令)",
    r"(?:输出|显示|泄露|告诉我|重复)[^。！？\n]{0,8}(?:系统提示|系统指令|系统消息)",
)
_CONTROL = (r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>|^\s*#{1,6}\s*(?:system|instructions?)\b",)
_ORDERS = re.compile("|".join((*_ENGLISH, *_CHINESE, *_CONTROL)), re.IGNORECASE | re.MULTILINE)


def reads_like_orders(text: str) -> bool:
    """Whether a text tells a language model what to do with its instructions. Source: case S15."""
    return _ORDERS.search(text) is not None


def quarantined(sides: Mapping[str, str]) -> list[str]:
    """The sides, by name, that nothing may be made of."""
    return [name for name, text in sides.items() if reads_like_orders(text)]
