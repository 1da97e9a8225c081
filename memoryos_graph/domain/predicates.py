"""The one table of predicates: what the rules may propose, and how the fact policy treats two facts of one predicate.

Names are part of stored data: they are added to, never renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from .claim import FactKind, Sensitivity


class Policy(StrEnum):
    """What a second object of a predicate does to the first.

    `single`: a later one takes its place. `fixed`: it can't change in the world, so another one contradicts the first
    until a correction says which is right. `many`: objects live side by side; only a claim with `replaces`, the same
    object under `opposite`, or an end touches one. `interval`: as many, but each holds for a stretch, and another
    stretch for the same object revises it.
    """

    SINGLE = "single"
    FIXED = "fixed"
    MANY = "many"
    INTERVAL = "interval"


NOTED = "noted"  # what is kept as it was said, for want of a predicate
_PROFILE = FactKind.PROFILE
_KNOWLEDGE = FactKind.KNOWLEDGE
_SINGLE, _FIXED, _MANY, _INTERVAL = Policy


@dataclass(frozen=True)
class Predicate:
    """What can be said about the user, and how often at one time."""

    name: str
    policy: Policy
    kind: FactKind
    opposite: str | None = None
    sensitivity: Sensitivity = Sensitivity.NONE

    @property
    def stable(self) -> bool:
        """Whether one statement is enough for the profile; the rest becomes profile by repetition (design.md 4.5)."""
        return self.kind is FactKind.PROFILE


_TABLE = (
    # Who somebody is. Objects: a name; a number of years; a date as YYYY-MM-DD or MM-DD.
    Predicate("name", _SINGLE, _PROFILE),
    Predicate("nickname", _SINGLE, _PROFILE),
    Predicate("age", _SINGLE, _PROFILE),
    Predicate("birthday", _FIXED, _PROFILE),
    Predicate("lives_in", _SINGLE, _PROFILE),
    Predicate("from", _FIXED, _PROFILE),
    Predicate("speaks", _MANY, _PROFILE),
    # What somebody does. `studies` is a subject, `studies_at` a school.
    Predicate("works_as", _SINGLE, _PROFILE),
    Predicate("works_at", _SINGLE, _PROFILE),
    Predicate("studies", _SINGLE, _PROFILE),
    Predicate("studies_at", _SINGLE, _PROFILE),
    # Who belongs to somebody. Objects: the name when it is given, else the role ("daughter", "cat"). All `many`, so
    # that "a wife" and later "my wife Anna" do not contradict each other.
    Predicate("has_partner", _MANY, _PROFILE),
    Predicate("has_child", _MANY, _PROFILE),
    Predicate("has_sibling", _MANY, _PROFILE),
    Predicate("has_parent", _MANY, _PROFILE),
    Predicate("has_pet", _MANY, _PROFILE),
    Predicate("married_on", _FIXED, _PROFILE),
    Predicate("anniversary", _SINGLE, _PROFILE),
    # Body and health.
    Predicate("allergic_to", _MANY, _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("has_condition", _MANY, _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("takes_medication", _MANY, _PROFILE, sensitivity=Sensitivity.HEALTH),
    Predicate("diet", _SINGLE, _PROFILE),
    # Tastes, tools and plans change too easily for the profile at one mention.
    Predicate("likes", _MANY, _KNOWLEDGE, opposite="dislikes"),
    Predicate("dislikes", _MANY, _KNOWLEDGE, opposite="likes"),
    Predicate("prefers", _MANY, _KNOWLEDGE),
    Predicate("drinks", _SINGLE, _KNOWLEDGE),
    Predicate("uses", _MANY, _KNOWLEDGE),
    Predicate("plans_to", _INTERVAL, _KNOWLEDGE),
    # What tools returned: the subject is the call with its arguments, a newer result takes the place of an older one.
    Predicate("returned", _SINGLE, FactKind.ENVIRONMENT),
)

PREDICATES: Mapping[str, Predicate] = MappingProxyType({predicate.name: predicate for predicate in _TABLE})


def policy_of(predicate: str, kind: FactKind) -> Policy:
    """How facts of a predicate treat each other: a trait has one level, the unknown lives side by side."""
    if kind in (FactKind.TRAIT, FactKind.ASSISTANT_TRAIT):
        return Policy.SINGLE
    return PREDICATES[predicate].policy if predicate in PREDICATES else Policy.MANY


def touched_predicates(predicates: Iterable[str]) -> list[str]:
    """These predicates and their opposites: those whose facts a claim may repeat, end or displace."""
    names = set(predicates)
    opposites = {PREDICATES[name].opposite for name in names if name in PREDICATES}
    return sorted(names | {name for name in opposites if name})
