"""One run of the measuring: load through the ordinary service, ask by the ordinary search, score what comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

from ..service import MemoryService
from ..user_memory import UserMemory
from .answers import AnswerReport, Judged, ask, report
from .cases import Asked, Case, Dataset, Mode
from .diagnosis import diagnose
from .failures import Failure, FailureCount, counted
from .growth import Growth, growth
from .scores import DEPTHS, Scored, grouped, percentile, ranking, summary

BATCH = 200  # turns in one request
MISSED_AT = 10  # evidence that is not among so many first pages is looked into
Progress = Callable[[str, int, int], None]


class Latency(BaseModel):
    """Milliseconds of one search, embedding included; 0 where nothing is searched."""

    p50: float
    p95: float


class Report(BaseModel):
    """The figures of one run. `recall` is evidence recall by depth; `by_…` hold the same with a count of questions.

    `sessions` is recall of the evidence's sessions among those of the same first pages. `questions` counts those whose
    evidence is known, `asked` all. `missed` says why evidence was not among the first ten pages, or the answer wrong
    though it was, by the first thing that went wrong; `memory` what the turns became. `traps` lists what of the file
    was passed over or mended.
    """

    dataset: str
    mode: Mode
    page_turns: int
    questions: int
    asked: int
    recall: dict[str, float]
    mrr: float
    sessions: dict[str, float]
    by_category: dict[str, dict[str, float]]
    by_conversation: dict[str, dict[str, float]]
    latency_ms: Latency
    answers: AnswerReport | None
    missed: list[FailureCount]
    memory: Growth
    traps: dict[str, dict[str, list[str]]]
    config: dict[str, Any]


async def evaluate(
    service: MemoryService,
    dataset: Dataset,
    *,
    mode: Mode = "hybrid",
    answers: bool = False,
    on_progress: Progress | None = None,
) -> Report:
    """Load each case as a user by the ordinary path, ask every question, score the pages found.

    A question's recall at k is the share of its evidence pages among the first k pages. Mode `none` has no memory and
    finds nothing; `full` puts all pages in a prompt in their order, which is cut at k here. Loading is idempotent, so a
    second run only asks. `on_progress` gets a phase ("load", "work" or "ask"), how many are done, and of how many.
    With `answers` each question is answered too, by the provider of the settings, and nothing of it is stored.
    Cost: an embedding per page once, and one per question; with answers one more, and what the provider takes.
    """
    tell = on_progress or (lambda phase, done, total: None)
    total = sum(len(case.questions) for case in dataset.cases)
    scored: list[Scored] = []
    timed: list[float] = []
    missed: list[tuple[str, Failure]] = []
    judged: list[Judged] = []
    for n, case in enumerate(dataset.cases, 1):
        user = service.user(case.user_id)
        page_ids = await _load(user, case, tell)
        tell("work", n, len(dataset.cases))
        await user.maintain("all")
        for question in case.questions:
            ranked, took_ms = await _found(user, question, page_ids, mode)
            timed.append(took_ms)
            if question.evidence:
                scored.append(_scored(case, question, page_ids, ranked, took_ms))
            failure = await diagnose(user, case, question, page_ids, ranked[:MISSED_AT], mode)
            if answers:
                judged.append(await ask(service, case, question, page_ids, mode))
                failure = failure or judged[-1].failure
            if failure is not None:
                missed.append((question.id, failure))
            tell("ask", len(timed), total)
    users, turns = [case.user_id for case in dataset.cases], sum(len(case.pages) for case in dataset.cases)
    memory = await growth(service, users, turns)
    return _report(
        dataset,
        mode,
        scored,
        timed,
        answers=report(judged) if answers else None,
        missed=counted(missed),
        memory=memory,
        config=_config(service, dataset),
    )


async def _load(user: UserMemory, case: Case, tell: Progress) -> list[str]:
    """Store the pages and give their ids, in order."""
    page_ids: list[str] = []
    for start in range(0, len(case.pages), BATCH):
        page_ids += [stored.page_id for stored in await user.remember(case.pages[start : start + BATCH])]
        tell("load", len(page_ids), len(case.pages))
    return page_ids


async def _found(user: UserMemory, question: Asked, page_ids: list[str], mode: Mode) -> tuple[list[str], float]:
    """The ids of the first pages, and the milliseconds it took."""
    if mode == "none":
        return [], 0.0
    if mode == "full":
        return page_ids[: max(DEPTHS)], 0.0
    started = time.perf_counter()
    result = await user.search(question.text, top_k=max(DEPTHS), kinds=["page"], mode=mode)
    return [hit.id for hit in result.hits], (time.perf_counter() - started) * 1000


def _scored(case: Case, question: Asked, page_ids: Sequence[str], ranked: Sequence[str], took_ms: float) -> Scored:
    session_of = dict(zip(page_ids, case.sessions, strict=True))
    return Scored(
        id=question.id,
        category=question.category,
        case=case.name,
        pages=ranking(ranked, frozenset(page_ids[n] for n in question.evidence)),
        sessions=ranking([session_of[id] for id in ranked], frozenset(case.sessions[n] for n in question.evidence)),
        latency_ms=took_ms,
    )


def _report(dataset: Dataset, mode: Mode, scored: list[Scored], timed: list[float], **rest: Any) -> Report:
    recall = summary(s.pages for s in scored)
    return Report(
        dataset=dataset.name,
        mode=mode,
        page_turns=dataset.page_turns,
        questions=len(scored),
        asked=len(timed),
        mrr=recall.pop("mrr"),
        recall=recall,
        sessions=summary(s.sessions for s in scored),
        by_category=dict(grouped(scored, lambda s: s.category)),
        by_conversation=dict(grouped(scored, lambda s: s.case)),
        latency_ms=Latency(p50=percentile(timed, 0.5), p95=percentile(timed, 0.95)),
        traps={case.name: {trap: list(places) for trap, places in case.traps.items()} for case in dataset.cases},
        **rest,
    )


def _config(service: MemoryService, dataset: Dataset) -> dict[str, Any]:
    ctx = service.ctx
    return {
        "version": version("memoryos-graph"),
        "server": ctx.store.connection.version,
        "embedding_model": ctx.embedder.model_id,
        "llm": ctx.settings.llm,
        "answer_model": ctx.settings.llm_answer_model or ctx.settings.llm_model,
        "profile": ctx.settings.profile,
        "mrr_depth": max(DEPTHS),
        **dataset.config,
    }
