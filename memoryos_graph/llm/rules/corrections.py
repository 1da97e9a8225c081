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
