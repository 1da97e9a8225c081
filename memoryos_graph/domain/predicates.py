"""The one table of predicates: what the rules may propose, and how the fact policy treats two facts of one predicate.

Names are part of stored data: they are added to, never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .claim import FactKind, Sensitivity

Cardinality = Literal["single", "many"]

_PROFILE = FactKind.PROFILE
_KNOWLEDGE = FactKind.KNOWLEDGE


@dataclass(frozen=True)
class Predicate:
    """What can be said about the user, and how often at one time.

    `single`: one object at a time, another object changes or contradicts it. `many`: objects live side by side, and
    only a claim with `replaces`, or the same object under `opposite`, touches an older one.
    """

    name: str
    cardinality: Cardinality
    kind: FactKind
    opposite: str | None = None
    sensitivity: Sensitivity = Sensitivity.NONE

    @property
    def stable(self) -> bool:
        """Whether one statement is enough for the profile; the rest becomes profile by repetition (design.md 4.5)."""
        return self.kind is FactKind.PROFILE


_TABLE = (
    # Who somebody is. Objects: a name; a number of years; a date as YYYY-MM-DD or MM-DD.
    Predicate("name", "single", _PROFILE),
    Predicate("nickname", "single", _PROFILE),
    Predicate("age", "single", _PROFILE),
    Predicate("birthday", "single", _PROFILE),
    Predicate("lives_in", "single", _PROFILE),
    Predicate("from", "single", _PROFILE),
    Predicate("speaks", "many", _PROFILE),
    # What somebody does. `studies` is a subject, `studies_at` a school.
    Predicate("works_as", "single", _PROFILE),
    Predicate("works_at", "single", _PROFILE),
    Predicate("studies", "single", _PROFILE),
    Predicate("studies_at", "single", _PROFILE),
    # Who belongs to somebody. Objects: the name when it is given, else the role ("daughter", "cat"). All `many`, so
    # that "a wife" and later "my wife Anna" do not contradict each other.
    Predicate("has_partner", "many", _PROFILE),
    Predicate("has_child", "many", _PROFILE),
    Predicate("has_sibling", "many", _PROFILE),
    Predicate("has_parent", "many", _PROFILE),
    Predicate("has_pet", "many", _PROFILE),
    Predicate("married_on", "single", _PROFILE),
    Predicate("anniversary", "single", _PROFILE),
    # Body and health.
    Predicate("allergic_to", "many", _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("has_condition", "many", _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("takes_medication", "many", _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("diet", "single", _PROFILE),
    # Tastes, tools and plans change too easily for the profile at one mention.
    Predicate("likes", "many", _KNOWLEDGE, opposite="dislikes"),
    Predicate("dislikes", "many", _KNOWLEDGE, opposite="likes"),
    Predicate("prefers", "many", _KNOWLEDGE),
    Predicate("drinks", "single", _KNOWLEDGE),
    Predicate("uses", "many", _KNOWLEDGE),
    Predicate("plans_to", "many", _KNOWLEDGE),
    # What tools returned: the subject is the call with its arguments, a newer result takes the place of an older one.
    Predicate("returned", "single", FactKind.ENVIRONMENT),
)

PREDICATES: Mapping[str, Predicate] = MappingProxyType({predicate.name: predicate for predicate in _TABLE})
