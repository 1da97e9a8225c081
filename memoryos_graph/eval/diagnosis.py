"""Looks at the memory for the first thing that went wrong with a question's evidence."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract import TurnIn
from ..errors import NotFound
from ..user_memory import UserMemory
from .cases import Asked, Case, Mode
from .failures import Failure, unfound

DEEP = 200  # places a search gives at most


async def diagnose(
    user: UserMemory, case: Case, question: Asked, page_ids: Sequence[str], ranked: Sequence[str], mode: Mode
) -> Failure | None:
    """Why some of the evidence is not in `ranked`; None when all is there. One deep search, one read for each page."""
    missing = [n for n in sorted(question.evidence) if page_ids[n] not in ranked]
    if not missing:
        return None
    deep: list[str] = []
    if mode not in ("full", "none"):
        found = await user.search(question.text, top_k=DEEP, kinds=["page"], mode=mode)
        deep = [hit.id for hit in found.hits]
    reasons = {await _reason(user, case.pages[n], page_ids[n], deep) for n in missing}
    return next(failure for failure in Failure if failure in reasons)


async def _reason(user: UserMemory, told: TurnIn, page_id: str, deep: Sequence[str]) -> Failure:
    try:
        kept = await user.turn(page_id)
    except NotFound:
        return Failure.NOT_WRITTEN
    texts = {"user": kept.user_input, "assistant": kept.assistant_response}
    quotes = [
        s.quote in texts.get(s.side, s.quote) for fact in kept.facts for s in fact.sources if s.page_id == page_id
    ]
    return unfound(
        written=True,
        indexed=kept.state == "indexed",
        as_told=(kept.user_input, kept.assistant_response) == told.sides()[:2] and all(quotes),
        rank=deep.index(page_id) + 1 if page_id in deep else None,
    )
