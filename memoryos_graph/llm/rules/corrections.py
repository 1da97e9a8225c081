"""Corrections that only make sense after what was said before: "Actually it's Mia, not Maya"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...domain.claim import Claim, Stance
from .sentence import Found, Sentence

_EN = re.compile(
    r"(?i)(?:\b(?:actually|no|sorry|wait|correction|oops|well)\b[, ]+)*\b(?:it's|it is|that's|i mean|i meant"
    r"|it should be"
    r"|(?:his|her|its|their|the|my) (?:\w+ )?(?:name|age|birthday)?(?:'s)? ?is|(?:he|she)(?:'s| is) called|it was)"
    r" (?P<new>[^\W_][\w' -]{0,38}?),? not (?P<old>[^\W_][\w' -]{0,38}?)(?=\s*(?:$|[.,!;)]))"
)
_ZH = re.compile(r"(?:是|叫)(?P<new>[\w《》]{1,12}?),?\s*(?:而)?不是(?P<old>[\w《》]{1,12}?)(?=\s*(?:$|[,;.。!?了]))")
# What disputes the words of somebody else. Who names the wrong thing ("not Oslo"), or takes back words of their own
# ("I meant", "说错了"), corrects; who only says that it is wrong proposes.
_DISPUTED = re.compile(
    r"(?i)(?:\b(?:that|this|it)(?:'s| is| was)|\byou(?:'re| are| were)"
    r"|\byou(?:'ve| have)? (?:got|have|had) (?:that|this|it|me))"
    r" (?:all |just |simply |completely |totally )?(?:wrong|incorrect|mistaken|false|not (?:right|true|correct))"
    r"[-,.;:! ]+(?:(?:actually|in fact|because|since|and|but)[, ]+)*$"
    r"|(?:你(?:说|记|搞|弄)错了|[这那]是错的|不对)[,.。!:; ]*(?:其实|实际上|因为)?[,: ]*$"
)
_LOOK_BACK = 60


def disputes(found: Found, folded: str) -> bool:
    """Whether the words right before a statement say that something said or remembered is wrong, and not what."""
    before = folded[max(0, found.start - _LOOK_BACK) : found.start]
    if found.replaces is not None or found.stance not in (Stance.STATES, Stance.CORRECTS):
        return False
    return _DISPUTED.search(before) is not None


def corrections(sentence: Sentence, said: Sequence[Claim]) -> Iterator[Found]:
    """What a sentence puts right among the claims made before it; nothing when none of them has the denied object."""
    for pattern in (_EN, _ZH):
        for match in sentence.matches(pattern):
            old, new = sentence.words(*match.span("old")), sentence.words(*match.span("new"))
            denied = next((one for one in reversed(said) if one.object.casefold() == old.casefold()), None)
            if denied is not None and old.casefold() != new.casefold():
                yield _instead(denied, new, match)


def _instead(denied: Claim, new: str, match: re.Match[str]) -> Found:
    return Found(
        predicate=denied.predicate,
        object=new,
        text=denied.text.replace(denied.object, new),
        start=match.start(),
        end=match.end(),
        stance=Stance.CORRECTS,
        replaces=denied.object,
        confidence=0.85,
    )
