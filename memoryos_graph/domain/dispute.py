"""Words that only say that something is wrong propose a correction; those that say what is wrong are one."""

from __future__ import annotations

import re

from .claim import Claim, Stance
from .page import Page, Side

_WRONG = (
    r"(?:\b(?:that|this|it)(?:['’]s| is| was)|\byou(?:['’]re| are| were)"
    r"|\byou(?:['’]ve| have)? (?:got|have|had) (?:that|this|it|me))"
    r" (?:all |just |simply |completely |totally )?"
    r"(?:wrong|incorrect|mistaken|false|not (?:right|true|correct))(?![a-z])"
    r"|[你您](?:说|记|搞|弄)错了|[这那]是错的|不对"
)
_PAUSE = r"[-\s,.;:!，。；：！]*"
_BEFORE = re.compile(
    rf"(?i)(?:{_WRONG}){_PAUSE}(?:(?:actually|in fact|because|since|and|but)[, ]+|其实|实际上|因为)*[,，:： ]*$"
)
_AT_START = re.compile(rf"(?i)\s*(?:(?:no|wait|sorry)[,.! ]+)?(?:{_WRONG}){_PAUSE}\S")
_LOOK_BACK = 60


def disputes(claim: Claim, page: Page) -> bool:
    """Whether the user's words say that something said or remembered is wrong, then what is so, and not what is wrong.

    Such as "that's wrong, I live in Bergen" or “不对，我住在上海”; not "I live in Bergen, not Oslo", nor what takes
    back one's own words, as “说错了，我叫王芳”.
    """
    if claim.side is not Side.USER or claim.stance not in (Stance.STATES, Stance.CORRECTS):
        return False
    if claim.replaces and claim.replaces.casefold() in claim.quote.casefold():
        return False
    before = page.user_input[max(0, claim.start - _LOOK_BACK) : claim.start]
    return _BEFORE.search(before) is not None or _AT_START.match(claim.quote) is not None
