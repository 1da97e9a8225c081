"""What a data set is to the measuring: users with pages and questions whose evidence is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..contract import TurnIn

Mode = Literal["hybrid", "memoryos", "flat", "full", "none"]


@dataclass(frozen=True)
class Asked:
    """One question. `evidence` are places in the case's pages, empty where nobody labelled it."""

    id: str
    text: str
    category: str
    evidence: frozenset[int]
    answer: str | None = None
    unanswerable: bool = False


@dataclass(frozen=True)
class Case:
    """One user: pages in order, the session of each, and the questions. `traps` of the file, by what and where."""

    name: str
    user_id: str
    pages: Sequence[TurnIn]
    sessions: Sequence[str]
    questions: Sequence[Asked]
    traps: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """The cases of one file, and what of its reading belongs into the report."""

    name: str
    cases: Sequence[Case]
    page_turns: int
    config: Mapping[str, Any] = field(default_factory=dict)
