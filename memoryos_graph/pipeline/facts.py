"""Checked claims become facts in the graph: what is known is read, the policy decides, the result is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..domain.claim import Claim
from ..domain.fact import Fact, FactStatus, Ledger, Span, touched_predicates
from ..domain.validity import NEVER
from ..llm.provider import Reply
from ..store.connection import Row, Tx
from .step import Step


@dataclass(frozen=True)
class Candidate:
    """A checked claim with the id and vector of the fact that it may become."""

    fact_id: str
    claim: Claim
    vector: list[float]


async def read_ledger(tx: Tx, user_id: str, claims: Sequence[Claim], now: datetime) -> Ledger:
    """The facts that these claims may repeat, change or contradict, ready to take the claims."""
    rows = await tx.run("facts_of_predicates", user_id=user_id, predicates=touched_predicates(claims), never=NEVER)
    return Ledger.of((_fact_of(row) for row in rows), now)


def _fact_of(row: Row) -> Fact:
    fact = row["fact"]
    return Fact(
        fact_id=fact["fact_id"],
        subject=fact["subject"],
        predicate=fact["predicate"],
        object=fact["object"],
        valid_from=fact["valid_from"],
        valid_to=fact["valid_to"],
        status=FactStatus(fact["status"]),
        confidence=fact["confidence"],
        support=fact["support"],
        version=fact["version"],
        sources=frozenset(Span(**source) for source in row["sources"]),
        denies=fact.get("denies"),
    )


async def write_facts(
    tx: Tx,
    user_id: str,
    user: Row,
    step: Step,
    ledger: Ledger,
    candidates: Sequence[Candidate],
    reply: Reply[tuple[Claim, ...]],
) -> None:
    """Store what the ledger made of the candidates: new facts, changes, sources, supersessions."""
    new = [
        {
            "fact_id": candidate.fact_id,
            "properties": _properties(ledger.facts[candidate.fact_id], candidate.claim, step, reply),
            "embedding": candidate.vector,
        }
        for candidate in candidates
        if candidate.fact_id in ledger.new
    ]
    changed = [
        {"fact_id": fact_id, "properties": _changing(ledger.facts[fact_id])}
        for fact_id in sorted(ledger.changed - ledger.new.keys())
    ]
    sources = [{"fact_id": fact_id, **vars(span)} for fact_id, span in ledger.added_sources]
    supersessions = [vars(supersession) for supersession in ledger.supersessions]
    await tx.run("write_facts", user_id=user_id, user_key=user["user_key"], facts=new, run_id=step.run_id)
    await tx.run("change_facts", user_id=user_id, rows=changed)
    await tx.run("write_sources", user_id=user_id, rows=sources, run_id=step.run_id, now=step.started_at)
    await tx.run("write_supersedes", user_id=user_id, rows=supersessions, actor="system", now=step.started_at)


def _changing(fact: Fact) -> dict[str, Any]:
    return {
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "closed_at": fact.closed_at,
        "retired_at": fact.retired_at,
        "status": fact.status.value,
        "confidence": fact.confidence,
        "support": fact.support,
        "version": fact.version,
    }


def _properties(fact: Fact, claim: Claim, step: Step, reply: Reply[tuple[Claim, ...]]) -> dict[str, Any]:
    return _changing(fact) | {
        "kind": claim.kind.value,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "denies": fact.denies,
        "text": claim.text,
        "sensitivity": claim.sensitivity.value,
        "recorded_at": step.started_at,
        "origin": "rules" if reply.model == "rules" else "model",
        "extractor": reply.model,
        "model": reply.model,
        "prompt_hash": reply.prompt_hash,
        "pinned": False,
        "hidden": False,
        "stale": False,
    }
