"""Whether what was found bears on the question at all."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.query import understand
from ..llm.nearness import Nearness
from ..llm.parts import Item
from .search import ENGLISH_MODELS, FOREIGN_SHARE

# Measured with questions asked of the wrong memory (docs/decisions.md): of those that can be answered .88 pass, of the
# others .38.
BY_MEANING, BY_WORDS = 0.75, 0.25
ENOUGH = 0.45
ENOUGH_WORDS = 0.75  # words alone, whatever the meaning
ENOUGH_FOREIGN = 0.2  # words alone, where the embedding model does not read the script: .89 and .51


def is_weak(model_id: str, question: str, near: Nearness, items: Sequence[Item]) -> bool:
    """True when the nearest item by meaning and the nearest sentence by words are both far from the question."""
    items = [item for item in items if not item.unanswered]
    meaning = max((item.similarity for item in items if item.similarity is not None), default=0.0)
    words = max((near.best_cover(item.words) for item in items), default=0.0)
    if _foreign(model_id, question):
        return words < ENOUGH_FOREIGN
    if not near.words:
        return meaning < ENOUGH / BY_MEANING
    return words < ENOUGH_WORDS and BY_MEANING * meaning + BY_WORDS * words < ENOUGH


def _foreign(model_id: str, question: str) -> bool:
    english_only = any(name in model_id.lower() for name in ENGLISH_MODELS)
    return english_only and understand(question).latin < FOREIGN_SHARE
