"""Secrets: keys and tokens by the patterns of detect-secrets, and passwords that are told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

Span = tuple[int, int]

# What the library looks for and prose is full of: public addresses, and words that begin with AP and a capital.
_TOO_WIDE = {"IPPublicDetector", "ArtifactoryDetector"}
# Keys with a prefix of their own that the library does not know yet.
_PREFIXED = re.compile(
    r"\b(?:sk-ant-|sk-proj-|sk-svcacct-|sk-or-v1-|github_pat_|hf_|npm_|dop_v1_|shpat_|xapp-|ya29\.|AIza|gsk_|pk_live_|rk_test_|sk_test_"
    r"|whsec_|lin_api_|figd_|dapi|ATATT3x|pat-na1-|EAACEdEose0cBA|AGE-SECRET-KEY-1)[A-Za-z0-9_\-=/+.]{16,}"
)
_TOKEN_REST = re.compile(r"[A-Za-z0-9_\-+/=.~]*")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]+-----")
_PEM_START = re.compile(r"-----\Z")

_NAMES = (
    r"passwords?|pass ?codes?|pass ?phrases?|passwd|pwd|pins?(?: codes?| numbers?)?|cvv2?|cvc|security codes?"
    r"|access (?:codes?|keys?|tokens?)|(?:auth|bearer|refresh|session|login) tokens?"
    r"|api[ _-]?(?:keys?|tokens?|secrets?)"
    r"|secret (?:access )?keys?|private keys?|client[ _-]secrets?|recovery (?:codes?|keys?)|backup codes?|login codes?"
    r"|door codes?|gate codes?|alarm codes?|unlock codes?|safe (?:code|combination)s?|otp"
    r"|one[- ]time (?:codes?|passwords?)"
    r"|verification codes?|2fa codes?"
)
_TOLD = re.compile(
    rf"(?i)\b(?P<name>{_NAMES})\b(?: (?:for|of|to|on|at|in)(?: (?!is\b|was\b)[\w'’-]+(?:\.[\w'’-]+)*){{1,5}})?"
    r"(?P<by>\s*[:=：]\s*|\s+(?:is|was|are|will be|equals|to)(?: (?:now|still|just|simply|currently|set to))*:?\s+)"
    r"(?P<quoted>[\"'“”‘’`]?)(?P<value>[^\s\"“”`]+)"
)
_PHRASE = re.compile(
    r"(?i)\b(?:seed|recovery|mnemonic|secret|backup) (?:phrase|words?)\b[^.:=\n]{0,40}?(?:[:=]|\bis\b|\bare\b)\s*"
    r"(?P<value>[a-z]+(?:[ ,]+[a-z]+){7,23})"
)
_CHINESE = re.compile(
    r"(?:密码|口令|密碼|验证码|驗證碼|PIN码|pin码|安全码|密钥|令牌|CVV)(?:就?是|为|為|[:：=]|设成了?|设为|改成了?|改为|叫)*"
    r"\s*[\"'“‘「]?(?P<value>[A-Za-z0-9!@#$%^&*_\-+.?]{3,})"
)
_CHINESE_PHRASE = re.compile(r"助记词[^。\n：:是]{0,10}(?:是|为|[:：])\s*(?P<value>[a-z]+(?:[ ,，、]+[a-z]+){7,23})")
# What stands where a password would, and tells of it instead.
_TELLING = """
    a an the too very so not no weak strong wrong right correct incorrect expired invalid valid required needed the
    same different stored saved kept written hidden shared easy hard long short secure safe important mine yours in on
    at with by for from to of and or but if when where what who how that this it my your his her our their being been
    case-sensitive sensitive up out gone lost forgotten changed reset changing due old new good bad bank-level unknown
    secret private never always still only just usually something someone everything nothing anything there here be
    protected encrypted working ready about one more than like really quite pretty almost essential
"""
_ORNAMENTS = ("pin", "pins")  # worn as often as typed
_NOT_A_VALUE = frozenset(_TELLING.split())


def find(text: str) -> Iterator[Span]:
    """Where secrets stand in a text: whole tokens, and only the value of a password that is told."""
    for pattern, group in _library():
        for match in pattern.finditer(text):
            yield _whole(text, match.span(group))
    for match in _PREFIXED.finditer(text):
        yield match.span()
    for match in _TOLD.finditer(text):
        if _is_value(match):
            yield _trimmed(text, match.span("value"))
    for pattern in (_PHRASE, _CHINESE, _CHINESE_PHRASE):
        for match in pattern.finditer(text):
            yield match.span("value")


def _is_value(match: re.Match[str]) -> bool:
    value = match["value"].strip(".,;:!?)'’")
    if not value or (match["name"].casefold() in _ORNAMENTS and not value[0].isdigit()):
        return False
    apostrophe = "'" in value or "’" in value
    marked = any(char.isdigit() for char in value) or (not value.isalpha() and not apostrophe)
    return marked or bool(match["quoted"]) or value.casefold() not in _NOT_A_VALUE


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while end > start + 1 and text[end - 1] in ".,;:!?)'’":
        end -= 1
    return start, end


def _whole(text: str, span: Span) -> Span:
    """The whole token that a pattern met, or the whole block of a private key."""
    start, end = span
    if "PRIVATE KEY" in text[start:end]:
        closing = _PEM_END.search(text, end)
        opened = _PEM_START.search(text[max(0, start - 5) : start])
        return start - 5 if opened else start, closing.end() if closing else len(text)
    rest = _TOKEN_REST.match(text, end)
    end = rest.end() if rest else end
    return _trimmed(text, (start, end))


@cache
def _library() -> tuple[tuple[re.Pattern[str], int], ...]:
    """The patterns of the library's detectors, each with the group that holds the secret. Loaded once: 0.3 s."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    found: list[re.Pattern[str]] = []
    by_kind: dict[str, Any] = dict(get_mapping_from_secret_type_to_class())
    for detector in sorted(by_kind.values(), key=lambda one: str(one.__name__)):
        if issubclass(detector, RegexBasedDetector) and detector.__name__ not in _TOO_WIDE:
            found += detector().denylist
    return tuple((pattern, _group(pattern)) for pattern in found)


def _group(pattern: re.Pattern[str]) -> int:
    """Of a password inside an address its own group; else all that was met."""
    return 1 if pattern.pattern.endswith(")@") else 0
