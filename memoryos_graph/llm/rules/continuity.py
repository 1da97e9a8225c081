"""Whether a page goes on with what was said before it."""

from __future__ import annotations

import re

from ...domain.page import Page
from ...domain.text import cosine, is_cjk, jaccard
from ..keywords import keywords, stem
from ..provider import Continuity

# Calibrated on consecutive pages of one session against pages of other speakers put after them (LoCoMo and MemoryBank,
# MiniLM): a page's vector carries the side before it, so that cosines stay high even over a change of subject, and only
# "no word in common and vectors apart" is clear. It breaks 2 to 4 % of true continuations.
APART_BELOW = 0.70
APART_BELOW_CJK = 0.75
# After a pause: cosine + Jaccard, and words in common. What MiniLM says of Chinese is hardly more than "Chinese"
# (retrieval.md 4), so that there only words count.
SAME_SUBJECT_FROM = 0.80
SAME_SUBJECT_WORDS = 2
SAME_SUBJECT_JACCARD_CJK = 0.15
SHORT_WORDS = 1

_FOLLOWS = re.compile(
    r"(?:yes|yeah|yep|no|nope|ok|okay|sure|right|exactly|thanks|thank you|and|but|or|so|also|then|because|why"
    r"|how come"
    r"|what about|how about|what else|anything else|tell me more|go on|continue|it|that|this|these|those|they|them|he"
    r"|she"
    r"|hmm+|haha|oh|wow|great|good|nice|cool|really)\b"
    r"|(?:嗯|那|对|是的|好|不是|没有|为什么|然后|还有|可是|但是|不过|所以|因为|它|他|她|这|继续|谢谢|哈哈|哦|真的"
    r"|当然|没问题)",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"(?:by the way|btw|anyway|on another note|new topic|different (?:topic|question|subject)"
    r"|changing (?:the )?subject"
    r"|something else)\b|(?:对了|顺便|换个话题|另外问)",
    re.IGNORECASE,
)


def continuity(page: Page, before: Page | None) -> Continuity:
    """The verdict on one page, with cosine + Jaccard of keywords as its score. A first page continues nothing, score 0.

    In one session a page goes on unless it is clearly about something else; after a pause only if it clearly is not.
    """
    if before is None:
        return Continuity(continues=False, score=0.0)
    mine, theirs = stems(page), stems(before)
    alike, shared = _cosine(page, before), len(mine & theirs)
    score = alike + jaccard(mine, theirs)
    if page.session_id == before.session_id:
        continues = _goes_on(page, alike, shared)
    elif is_cjk(page.text) or not page.embedding:
        continues = shared >= SAME_SUBJECT_WORDS and jaccard(mine, theirs) >= SAME_SUBJECT_JACCARD_CJK
    else:
        continues = shared >= SAME_SUBJECT_WORDS and score >= SAME_SUBJECT_FROM
    return Continuity(continues=continues, score=round(score, 4))


def follows_up(page: Page) -> bool:
    """Whether a page makes sense only after what was said before: it opens with "yes", "and", "why", "那", or says so
    little that it has one word of content at most.
    """
    opening = page.user_input or page.assistant_response
    return _FOLLOWS.match(_opening(page)) is not None or len(keywords(opening)) <= SHORT_WORDS


def _opening(page: Page) -> str:
    return (page.user_input or page.assistant_response).lstrip()[:80]


def stems(page: Page) -> set[str]:
    """The stems of the twenty most repeated content words of a page."""
    return {stem(word) for word in keywords(page.text, 20)}


def _goes_on(page: Page, alike: float, shared: int) -> bool:
    if _LEAVES.match(_opening(page)):
        return shared >= SAME_SUBJECT_WORDS
    if shared or not page.embedding or follows_up(page):
        return True
    return alike >= (APART_BELOW_CJK if is_cjk(page.text) else APART_BELOW)


def _cosine(page: Page, before: Page) -> float:
    if len(page.embedding) != len(before.embedding):
        return 0.0
    return max(0.0, cosine(page.embedding, before.embedding))
