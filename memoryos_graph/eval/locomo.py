"""LoCoMo: one user per conversation, and how much of each question's evidence the first results hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from ..errors import InvalidInput
from ..service import MemoryService, UserMemory
from ..transfer.importers import locomo
from .scores import DEPTHS, Scored, mean, percentile, recall_at, reciprocal_rank

BATCH = 200  # turns in one request
Mode = Literal["hybrid", "flat"]
Progress = Callable[[str, int, int], None]


class Latency(BaseModel):
    """Milliseconds of one search, embedding included."""

    p50: float
    p95: float


class LocomoReport(BaseModel):
    """The figures of one run. `recall` is evidence recall by depth; `by_…` hold the same with a count of questions."""

    dataset: str = "locomo"
    mode: Mode
    page_turns: locomo.PageTurns
    questions: int
    recall: dict[str, float]
    mrr: float
    by_category: dict[str, dict[str, float]]
    by_conversation: dict[str, dict[str, float]]
    latency_ms: Latency
    config: dict[str, Any]


async def evaluate_locomo(
    service: MemoryService,
    path: Path,
    *,
    mode: Mode = "hybrid",
    page_turns: locomo.PageTurns = 2,
    conversations: Sequence[str] | None = None,
    on_progress: Progress | None = None,
) -> LocomoReport:
    """Load the conversations as users `eval-locomo-…` by the ordinary path, ask every question, score the pages found.

    A question's recall at k is the share of its evidence pages among the first k pages. Loading is idempotent, so a
    second run only asks. `on_progress` gets a phase ("load", "work" or "ask"), how many are done, and of how many.
    Cost: an embedding per page once, and one per question. Raises InvalidInput for a file that is not LoCoMo.
    """
    chosen = list(locomo.conversations(path, conversations))
    if not any(conversation.questions for conversation in chosen):
        raise InvalidInput("path", "there is no question with evidence in the conversations chosen")
    tell = on_progress or (lambda phase, done, total: None)
    scored: list[Scored] = []
    total = sum(len(conversation.questions) for conversation in chosen)
    for n, conversation in enumerate(chosen, 1):
        user = service.user(f"eval-locomo-{page_turns}-{conversation.id}")
        contents = await _load(user, conversation, page_turns, tell)
        tell("work", n, len(chosen))
        await user.maintain("all")
        for question in conversation.questions:
            scored.append(await _ask(user, conversation.id, question, contents, mode))
            tell("ask", len(scored), total)
    return _report(scored, mode, page_turns, _config(service, chosen))


async def _load(
    user: UserMemory, conversation: locomo.Conversation, page_turns: locomo.PageTurns, tell: Progress
) -> dict[str, frozenset[str]]:
    """Store the pages and give the utterances in each, by page id."""
    pages = conversation.pages(page_turns)
    contents: dict[str, frozenset[str]] = {}
    for start in range(0, len(pages), BATCH):
        for stored in await user.remember(pages[start : start + BATCH]):
            contents[stored.page_id] = frozenset(locomo.dia_ids_of(stored.id or ""))
        tell("load", len(contents), len(pages))
    return contents


async def _ask(
    user: UserMemory, conversation_id: str, question: locomo.Question, contents: dict[str, frozenset[str]], mode: Mode
) -> Scored:
    started = time.perf_counter()
    result = await user.search(question.text, top_k=max(DEPTHS), kinds=["page"], mode=mode)
    took_ms = (time.perf_counter() - started) * 1000
    evidence = frozenset(page_id for page_id, ids in contents.items() if ids & question.evidence)
    ranked = [frozenset((hit.id,)) for hit in result.hits]
    return Scored(
        category=question.category,
        conversation=conversation_id,
        recall={depth: recall_at(ranked, evidence, depth) for depth in DEPTHS},
        reciprocal_rank=reciprocal_rank(ranked, evidence),
        latency_ms=took_ms,
    )


def _report(scored: list[Scored], mode: Mode, page_turns: locomo.PageTurns, config: dict[str, Any]) -> LocomoReport:
    latencies = [s.latency_ms for s in scored]
    return LocomoReport(
        mode=mode,
        page_turns=page_turns,
        questions=len(scored),
        recall=_recall(scored),
        mrr=mean(s.reciprocal_rank for s in scored),
        by_category=dict(_grouped(scored, lambda s: s.category)),
        by_conversation=dict(_grouped(scored, lambda s: s.conversation)),
        latency_ms=Latency(p50=percentile(latencies, 0.5), p95=percentile(latencies, 0.95)),
        config=config,
    )


def _recall(scored: Sequence[Scored]) -> dict[str, float]:
    return {str(depth): mean(s.recall[depth] for s in scored) for depth in DEPTHS}


def _grouped(scored: Sequence[Scored], key: Callable[[Scored], str]) -> Iterator[tuple[str, dict[str, float]]]:
    for name in sorted({key(s) for s in scored}):
        group = [s for s in scored if key(s) == name]
        yield name, {"questions": len(group), **_recall(group)}


def _config(service: MemoryService, chosen: Sequence[locomo.Conversation]) -> dict[str, Any]:
    ctx = service.ctx
    return {
        "server": ctx.store.connection.version,
        "embedding_model": ctx.embedder.model_id,
        "llm": ctx.settings.llm,
        "conversations": [conversation.id for conversation in chosen],
        "mrr_depth": max(DEPTHS),
    }
