"""Sensitive words in a text, by class: secrets and numbers by libraries, the rest by rules in English and Chinese."""

from __future__ import annotations

from dataclasses import replace

from ..domain.claim import Claim, Sensitivity
from ..domain.policy import CLASSES, Finding
from . import numbers, secrets, words_en, words_zh
from .lexicon import Lexicon


def _lexicons(text: str) -> tuple[Lexicon, ...]:
    return (words_en.LEXICON,) if text.isascii() else (words_en.LEXICON, words_zh.LEXICON)


def find(text: str) -> list[Finding]:
    """Where a text holds words of a sensitive class, in order; they may overlap. Takes some microseconds a word."""
    found = [Finding(Sensitivity.CREDENTIALS, *span) for span in secrets.find(text)]
    found += [Finding(kind, *span) for kind, span in numbers.find(text)]
    for lexicon in _lexicons(text):
        found += [Finding(kind, *span) for kind, span in lexicon.find(text)]
    return sorted(set(found), key=lambda one: (one.start, one.end, one.kind))


def classes_of(claim: Claim) -> frozenset[Sensitivity]:
    """The classes of a claim: what its provider or predicate says, and what its words hold."""
    texts = {claim.text, claim.object, *(quote.text for quote in claim.quotes)}
    return frozenset({one.kind for text in texts for one in find(text)} | {claim.sensitivity} - {Sensitivity.NONE})


def classified(claim: Claim, classes: frozenset[Sensitivity]) -> Claim:
    """The claim with a class of its own, when its words alone tell that it has one."""
    if claim.sensitivity is not Sensitivity.NONE or not classes:
        return claim
    return replace(claim, sensitivity=min(classes, key=CLASSES.index))
