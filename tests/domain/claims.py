"""Claims for tests of the policy, valid by default, and ledgers as they follow each other."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from memoryos_graph.domain.claim import Claim, FactKind
from memoryos_graph.domain.fact import Fact
from memoryos_graph.domain.ledger import Ledger
from memoryos_graph.domain.page import Side
from memoryos_graph.domain.predicates import PREDICATES

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def make_claim(predicate: str, object: str, page_id: str = "p1", **over: object) -> Claim:
    fields: dict[str, object] = {
        "page_id": page_id,
        "side": Side.USER,
        "quote": "q",
        "start": 0,
        "end": 1,
        "kind": PREDICATES[predicate].kind if predicate in PREDICATES else FactKind.KNOWLEDGE,
        "subject": "user",
        "predicate": predicate,
        "object": object,
        "text": f"The user {predicate} {object}.",
    }
    return Claim(**(fields | over))  # type: ignore[arg-type]


def day(n: float) -> datetime:
    return T0 + timedelta(days=n)


Said = tuple[Claim, datetime]


def ledger_after(*said: Said, facts: Iterable[Fact] = (), now: datetime = NOW) -> Ledger:
    """One ledger that takes all claims at once; the n-th may become fact fn."""
    ledger = Ledger.of(facts, now, stem="v")
    for n, (claim, said_at) in enumerate(said, 1):
        ledger.take(claim, f"f{n}", {quote.page_id: said_at for quote in claim.quotes})
    ledger.settle()
    return ledger


def read_one_by_one(*said: Said) -> Ledger:
    """A ledger for each claim, each over what the one before left."""
    ledger = Ledger.of([], NOW)
    for n, (claim, said_at) in enumerate(said, 1):
        now = NOW + timedelta(minutes=n)
        ledger = Ledger.of(ledger.facts.values(), now, waiting=ledger.waiting, stem=f"v{n}")
        ledger.take(claim, f"f{n}", {quote.page_id: said_at for quote in claim.quotes})
        ledger.settle()
    return ledger
