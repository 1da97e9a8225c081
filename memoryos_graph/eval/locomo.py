"""LoCoMo: one user per conversation, evidence by utterances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import InvalidInput
from ..service import MemoryService
from ..transfer.importers import locomo
from .cases import Asked, Case, Dataset, Mode
from .run import Progress, Report, evaluate


def dataset(path: Path, page_turns: locomo.PageTurns = 2, conversations: Sequence[str] | None = None) -> Dataset:
    """The conversations of a file as cases, or the given ones. Raises InvalidInput for a file that is not LoCoMo."""
    cases = [_case(conversation, page_turns) for conversation in locomo.conversations(path, conversations)]
    if not any(case.questions for case in cases):
        raise InvalidInput("path", "there is no question with evidence in the conversations chosen")
    return Dataset("locomo", cases, page_turns, {"conversations": [case.name for case in cases]})


async def evaluate_locomo(
    service: MemoryService,
    path: Path,
    *,
    mode: Mode = "hybrid",
    page_turns: locomo.PageTurns = 2,
    conversations: Sequence[str] | None = None,
    on_progress: Progress | None = None,
) -> Report:
    """Load the conversations as users `eval-locomo-…`, ask every question: see `run.evaluate`."""
    return await evaluate(service, dataset(path, page_turns, conversations), mode=mode, on_progress=on_progress)


def _case(conversation: locomo.Conversation, page_turns: locomo.PageTurns) -> Case:
    pages = conversation.pages(page_turns)
    contents = [frozenset(locomo.dia_ids_of(page.id or "")) for page in pages]
    return Case(
        name=conversation.id,
        user_id=f"eval-locomo-{page_turns}-{conversation.id}",
        pages=pages,
        sessions=[str(page.metadata["session"]) for page in pages],
        questions=[
            Asked(
                id=f"{conversation.id}/{question.number}",
                text=question.text,
                category=question.category,
                evidence=frozenset(n for n, ids in enumerate(contents) if ids & question.evidence),
                answer=question.answer,
                unanswerable=question.category == "adversarial",
            )
            for question in conversation.questions
        ],
        traps=conversation.traps,
    )
