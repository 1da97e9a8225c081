"""Why a question was missed, and the module to look at. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel

EXAMPLES = 10


class Failure(StrEnum):
    """What went wrong first, on the way from the turn to the answer."""

    NOT_WRITTEN = "not written"
    NOT_INDEXED = "not indexed"
    WRITTEN_WRONG = "written wrong"
    NOT_FOUND = "not retrieved: no arm found it"
    RANKED_LOW = "not retrieved: ranked too low"
    UNUSED = "retrieved but unused"
    MISLED = "misled by persona"


MODULES = {
    Failure.NOT_WRITTEN: "pipeline.intake",
    Failure.NOT_INDEXED: "pipeline.indexing",
    Failure.WRITTEN_WRONG: "pipeline.promotion",
    Failure.NOT_FOUND: "recall.search",
    Failure.RANKED_LOW: "recall.fusion",
    Failure.UNUSED: "recall.answer",
    Failure.MISLED: "recall.context",
}


class FailureCount(BaseModel):
    """How many questions were missed for one reason, and some of their ids."""

    type: Failure
    module: str
    questions: int
    examples: list[str]


def unfound(*, written: bool, indexed: bool, as_told: bool, rank: int | None) -> Failure:
    """Why evidence was not among the first pages. `rank` is its place among the first 200, None beyond them."""
    if not written:
        return Failure.NOT_WRITTEN
    if not as_told:
        return Failure.WRITTEN_WRONG
    if not indexed:
        return Failure.NOT_INDEXED
    return Failure.NOT_FOUND if rank is None else Failure.RANKED_LOW


def unanswered(*, cites_facts: bool, cites_evidence: bool) -> Failure:
    """Why an answer is wrong though its evidence was shown."""
    return Failure.MISLED if cites_facts and not cites_evidence else Failure.UNUSED


def counted(failures: Iterable[tuple[str, Failure]]) -> list[FailureCount]:
    """The failures of questions by type, in the order of the way."""
    by_type: dict[Failure, list[str]] = {}
    for question_id, failure in failures:
        by_type.setdefault(failure, []).append(question_id)
    return [
        FailureCount(type=kind, module=MODULES[kind], questions=len(ids), examples=ids[:EXAMPLES])
        for kind in Failure
        if (ids := by_type.get(kind))
    ]
