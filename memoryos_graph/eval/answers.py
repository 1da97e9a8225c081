"""Answers judged: words, citations, refusals, costs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..contract import AnswerResult
from ..service import MemoryService
from .cases import Asked, Case, Mode
from .failures import Failure, unanswered
from .scores import mean, percentile
from .wording import bleu_1, covered, official_f1, set_f1

RIGHT = 0.5  # share of the wanted words from which an answer counts as given
WHOLE_BUDGET = 1_000_000  # tokens, for mode full
WHOLE_TOP_K = 200


@dataclass(frozen=True)
class Judged:
    """One answer. Citations count as right when they name a page of the evidence."""

    id: str
    category: str
    unanswerable: bool
    abstained: bool
    words: dict[str, float] | None
    citations: int
    right_citations: int
    removed_citations: int
    cites_facts: bool
    shown: bool
    usage: dict[str, int]
    latency_ms: float

    @property
    def failure(self) -> Failure | None:
        """Why it is wrong though the evidence was shown; None when it is right, or nothing could be known."""
        if self.unanswerable or not self.shown or self.words is None or self.words["covered"] >= RIGHT:
            return None
        return unanswered(cites_facts=self.cites_facts, cites_evidence=self.right_citations > 0)


class AnswerReport(BaseModel):
    """The figures of all answers. Words are over answerable questions with a known answer, `by_category` too.

    `covered` is the share of wanted words said. `refused` holds the share of refusals among unanswerable questions
    (right ones) and among the others (wrong ones). Tokens and calls are sums, `context_tokens` a mean.
    """

    answered: int
    words: dict[str, float]
    by_category: dict[str, dict[str, float]]
    citation_precision: float
    citations_per_answer: float
    citations_removed: int
    refused: dict[str, float]
    model_calls: int
    tokens_in: int
    tokens_out: int
    context_tokens: float
    latency_ms: dict[str, float]


async def ask(service: MemoryService, case: Case, question: Asked, page_ids: Sequence[str], mode: Mode) -> Judged:
    """Ask for an answer without storing it. Mode `none` asks a user without memory, `full` shows all it may."""
    user_id = f"{case.user_id}-without-memory" if mode == "none" else case.user_id
    options: dict[str, Any] = {"store": False}
    if mode == "full":
        options |= {"budget_tokens": WHOLE_BUDGET, "top_k": WHOLE_TOP_K}
    elif mode != "none":
        options["mode"] = mode
    started = time.perf_counter()
    answer = await service.user(user_id).answer(question.text, **options)
    took_ms = (time.perf_counter() - started) * 1000
    return judged(question, answer, frozenset(page_ids[n] for n in question.evidence), took_ms)


def judged(question: Asked, answer: AnswerResult, evidence: frozenset[str], took_ms: float) -> Judged:
    """The answer beside the one that was wanted, and its citations beside the evidence."""
    cited = {citation.page_id for citation in answer.citations}
    shown = {item.id for tier in (answer.used.stm, answer.used.mtm) for item in tier}
    words = None
    if question.answer is not None and not question.unanswerable:
        said = "" if answer.abstained else answer.text
        words = {
            "f1": official_f1(said, question.answer, question.category),
            "set_f1": set_f1(said, question.answer),
            "bleu_1": bleu_1(said, question.answer),
            "covered": covered(said, question.answer),
        }
    return Judged(
        id=question.id,
        category=question.category,
        unanswerable=question.unanswerable,
        abstained=answer.abstained,
        words=words,
        citations=len(cited),
        right_citations=len(cited & evidence),
        removed_citations=answer.citations_removed,
        cites_facts=any(citation.kind == "fact" for citation in answer.citations),
        shown=bool((shown | cited) & evidence),
        usage={
            name: getattr(answer.usage, name) for name in ("model_calls", "tokens_in", "tokens_out", "context_tokens")
        },
        latency_ms=took_ms,
    )


def report(all_judged: Sequence[Judged]) -> AnswerReport:
    """The means and sums. Citation precision is over answerable questions that were answered."""
    citing = [j for j in all_judged if not j.unanswerable and j.citations]
    times = [j.latency_ms for j in all_judged]

    def total(name: str) -> int:
        return sum(j.usage[name] for j in all_judged)

    return AnswerReport(
        answered=len(all_judged),
        words=_words(all_judged),
        by_category={
            name: _words([j for j in all_judged if j.category == name])
            for name in sorted({j.category for j in all_judged if j.words is not None})
        },
        citation_precision=mean(j.right_citations / j.citations for j in citing),
        citations_per_answer=mean(j.citations for j in all_judged if not j.abstained),
        citations_removed=sum(j.removed_citations for j in all_judged),
        refused={
            "unanswerable": mean(j.abstained for j in all_judged if j.unanswerable),
            "answerable": mean(j.abstained for j in all_judged if not j.unanswerable),
        },
        model_calls=total("model_calls"),
        tokens_in=total("tokens_in"),
        tokens_out=total("tokens_out"),
        context_tokens=mean(j.usage["context_tokens"] for j in all_judged),
        latency_ms={"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    )


def _words(all_judged: Sequence[Judged]) -> dict[str, float]:
    held = [j.words for j in all_judged if j.words is not None]
    names = ("f1", "set_f1", "bleu_1", "covered")
    return {"questions": len(held)} | {name: mean(words[name] for words in held) for name in names}
