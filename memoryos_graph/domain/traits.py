"""The table of trait dimensions: 51 names in three groups, and how careful one has to be with each.

Names are part of stored data: they are added to, never renamed. A trait is a claim of kind `trait` whose predicate is
the name and whose object is a Level. Source: the published MemoryOS prompt, after ALIGNX.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Literal

Group = Literal["personality", "assistant", "interests"]


@dataclass(frozen=True)
class Trait:
    """One dimension: `closed` ones (protected attributes) are never inferred, `careful` ones need three pages."""

    name: str
    group: Group
    closed: bool = False
    careful: bool = False

    def proven_by(self, pages: Mapping[str, datetime]) -> bool:
        """Whether these pages (id: time) are evidence enough: two on different days; careful ones need three pages."""
        days = {at.date() for at in pages.values()}
        return len(pages) >= (3 if self.careful else 2) and len(days) >= 2


_CLOSED = frozenset({"politics", "religion", "health"})
_CAREFUL = frozenset({"neuroticism", "power", "self_esteem", "financial_management", "family", "emotional_expression"})
_GROUPS: Mapping[Group, str] = {
    "personality": """
        extraversion openness agreeableness conscientiousness neuroticism physiological_needs security belonging
        self_esteem cognitive_needs aesthetic_appreciation self_actualization order autonomy power achievement
    """,
    "assistant": "helpfulness honesty safety instruction_compliance truthfulness coherence complexity conciseness",
    "interests": """
        science education psychology family fashion art health financial_management sports food travel music
        literature film social_media technology environment history politics religion gaming animals
        emotional_expression humour information_density language_style practicality
    """,
}

TRAITS: Mapping[str, Trait] = MappingProxyType(
    {
        name: Trait(name, group, closed=name in _CLOSED, careful=name in _CAREFUL)
        for group, names in _GROUPS.items()
        for name in names.split()
    }
)


def offered(group: Group) -> list[str]:
    """The names of a group that a model may propose."""
    return [trait.name for trait in TRAITS.values() if trait.group == group and not trait.closed]
