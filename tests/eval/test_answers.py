from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memoryos_graph.contract import AnswerResult
from memoryos_graph.eval.answers import judged, report
from memoryos_graph.eval.cases import Asked
from memoryos_graph.eval.failures import Failure

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ASKED = Asked("talk/1", "What did Iris plant?", "single-hop", frozenset({0}), "a quince tree")


def answer(text: str, cites: list[tuple[str, str]], shown: list[str], **changed: Any) -> AnswerResult:
    """An answer that cites (kind, page id) and was shown pages."""
    citations = [
        {
            "marker": n,
            "kind": kind,
            "fact_id": "fact" if kind == "fact" else None,
            "page_id": page_id,
            "side": "user",
            "start": 0,
            "end": 1,
            "quote": "I",
            "event_time": NOW,
        }
        for n, (kind, page_id) in enumerate(cites, 1)
    ]
    used = [
        {
            "marker": n,
            "kind": "page",
            "id": page_id,
            "part": "evidence",
            "rank": n,
            "score": 1.0,
            "parts": {},
            "shortened": False,
            "cited": False,
        }
        for n, page_id in enumerate(shown, 1)
    ]
    usage = {"model": "rules", "model_calls": 1, "tokens_in": 10, "tokens_out": 2, "context_tokens": 8}
    whole = {
        "answer_id": None,
        "page_id": None,
        "at": NOW,
        "question": ASKED.text,
        "text": text,
        "citations": citations,
        "citations_removed": 0,
        "used": {"stm": used, "mtm": [], "lpm": []},
        "conflicts": [],
        "abstained": False,
        "extractive": True,
        "weak": False,
        "degraded": False,
        "usage": usage,
        "cuts": [],
        "notes": [],
    }
    return AnswerResult.model_validate(whole | changed)


EVIDENCE = frozenset({"p0"})


def test_an_answer_is_right_or_says_why_it_is_not() -> None:
    def failure(asked: Asked, said: AnswerResult) -> Failure | None:
        return judged(asked, said, EVIDENCE, 1.0).failure

    assert failure(ASKED, answer("A quince tree. [1]", [("page", "p0")], ["p0"])) is None
    assert failure(ASKED, answer("A shed. [1]", [("page", "p0")], ["p0"])) == Failure.UNUSED
    assert failure(ASKED, answer("A shed. [1]", [("fact", "p7")], ["p0"])) == Failure.MISLED
    assert failure(ASKED, answer("A quince tree.", [("page", "p0")], ["p0"], abstained=True)) == Failure.UNUSED
    assert failure(ASKED, answer("A shed.", [("page", "p7")], ["p7"])) is None  # it was not retrieved: said elsewhere
    nobody_knows = Asked("talk/2", "?", "adversarial", frozenset({0}), None, unanswerable=True)
    assert failure(nobody_knows, answer("A shed.", [], ["p0"])) is None


def test_the_report_counts_words_citations_refusals_and_costs() -> None:
    trick = Asked("talk/2", "?", "adversarial", frozenset({0}), None, unanswerable=True)
    found = report(
        [
            judged(ASKED, answer("a quince tree [1]", [("page", "p0"), ("page", "p7")], ["p0"]), EVIDENCE, 5.0),
            judged(ASKED, answer("no idea", [], ["p0"], abstained=True), EVIDENCE, 7.0),
            judged(trick, answer("no idea", [], [], abstained=True), EVIDENCE, 6.0),
        ]
    )
    assert found.words == {"questions": 2, "f1": 0.5, "set_f1": 0.5, "bleu_1": 0.5, "covered": 0.5}
    assert found.by_category == {"single-hop": found.words}
    assert (found.citation_precision, found.citations_per_answer) == (0.5, 2)
    assert found.refused == {"unanswerable": 1, "answerable": 0.5}
    assert (found.model_calls, found.tokens_in, found.tokens_out, found.context_tokens) == (3, 30, 6, 8)
    assert found.latency_ms["p50"] == pytest.approx(6)
