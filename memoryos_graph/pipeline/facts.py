"""Checked claims become facts in the graph: what is known is read, the policy decides, the result is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.claim import Claim, FactKind, Stance
from ..domain.fact import Fact, FactStatus, Retirement, Source
from ..domain.ledger import Ledger
from ..domain.predicates import touched_predicates
from ..domain.statement import Span, Statement
from ..domain.validity import NEVER
from ..llm.provider import Reply
from ..store.connection import Row, Tx
from .step import Step

DETECTOR = "policy"


@dataclass(frozen=True)
class Candidate:
    """A checked claim with the id and vector of the fact that it may become."""

    fact_id: str
    claim: Claim
    vector: list[float]


async def read_ledger(tx: Tx, user_id: str, claims: Sequence[Claim], step: Step) -> Ledger:
    """The facts that these claims may repeat, change, end or contradict, ready to take the claims. Two statements."""
    predicates = touched_predicates(claim.predicate for claim in claims)
    facts = await tx.run("facts_of_predicates", user_id=user_id, predicates=predicates)
    heard = await tx.run("heard_waiting", user_id=user_id, predicates=predicates)
    waiting = [_statement(row["heard"], row["heard"]) for row in heard]
    return Ledger.of(map(stored_fact, facts), step.started_at, waiting=waiting, stem=step.run_id)


def stored_fact(row: Row) -> Fact:
    """A fact for the policy, from its properties and the relationships to its pages."""
    fact = row["fact"]
    retired_by = fact.get("retired_by")
    return Fact(
        fact_id=fact["fact_id"],
        kind=FactKind(fact["kind"]),
        subject=fact["subject"],
        predicate=fact["predicate"],
        object=fact["object"],
        valid_from=fact["valid_from"],
        valid_to=fact["valid_to"],
        closed_at=fact["closed_at"],
        retired_at=fact["retired_at"],
        retired_by=Retirement(retired_by) if retired_by else None,
        profiled_at=fact.get("profiled_at"),
        status=FactStatus(fact["status"]),
        proposed=fact.get("proposed", False),
        confidence=fact["confidence"],
        support=fact["support"],
        version=fact["version"],
        said=tuple(_source(source, fact) for source in row["sources"]),
    )


def _source(row: Row, fact: Row) -> Source:
    return Source(_statement(row, fact), row["holds_from"], ends=row["ends"])


def _statement(row: Row, fact: Row) -> Statement:
    return Statement(
        span=Span(row["page_id"], row["side"], row["start"], row["end"], row["quote"]),
        kind=FactKind(fact["kind"]),
        subject=fact["subject"],
        predicate=fact["predicate"],
        object=fact["object"] if row.get("object") is None else row["object"],
        said_at=row["event_time"],
        begins=row.get("begins"),
        until=row.get("until"),
        stance=Stance(row["stance"]),
        replaces=row.get("replaces"),
        confidence=row["confidence"],
        run_id=row["run_id"],
        recorded_at=row["at"],
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
    """Store what the ledger made of the candidates: new facts, newer versions, changes, sources, ends, conflicts."""
    new = [
        {
            "fact_id": candidate.fact_id,
            "properties": _properties(ledger.facts[candidate.fact_id], candidate.claim, step, reply),
            "embedding": candidate.vector,
        }
        for candidate in candidates
        if candidate.fact_id in ledger.new
    ]
    copies = [
        {"of": of, "fact_id": fact_id, "properties": _version(ledger.facts[fact_id], step)}
        for fact_id, of in ledger.copied.items()
    ]
    changed = [
        {"fact_id": fact_id, "properties": changing(ledger.facts[fact_id])} for fact_id in sorted(ledger.changed)
    ]
    await tx.run("write_facts", user_id=user_id, user_key=user["user_key"], facts=new, run_id=step.run_id)
    await tx.run("copy_facts", user_id=user_id, rows=copies, run_id=step.run_id)
    await tx.run("change_facts", user_id=user_id, rows=changed)
    await tx.run("write_sources", user_id=user_id, rows=source_rows(ledger, step))
    await _write_relations(tx, user_id, step, ledger)


async def _write_relations(tx: Tx, user_id: str, step: Step, ledger: Ledger) -> None:
    now = step.started_at
    supersessions = [vars(supersession) for supersession in ledger.supersessions]
    conflicts = [{"a": a, "b": b} for a, b in sorted(ledger.conflicts)]
    dropped = [_end_key(one) for one in ledger.waited if one not in ledger.waiting]
    heard = [_end_key(one) | {"properties": _end(one, step)} for one in ledger.waiting if one not in ledger.waited]
    await tx.run("write_supersedes", user_id=user_id, rows=supersessions, actor="system", now=now)
    await tx.run("resolve_conflicts", user_id=user_id, fact_ids=sorted(ledger.resolved), now=now, never=NEVER)
    await tx.run("write_conflicts", user_id=user_id, rows=conflicts, now=now, detector=DETECTOR, never=NEVER)
    await tx.run("drop_heard", user_id=user_id, rows=dropped)
    await tx.run("write_heard", user_id=user_id, rows=heard)


def source_rows(ledger: Ledger, step: Step) -> list[dict[str, Any]]:
    """The relationships to pages that facts have won."""
    return [
        {
            "fact_id": fact_id,
            "page_id": source.span.page_id,
            "side": source.span.side,
            "start": source.span.start,
            "end": source.span.end,
            "ends": source.ends,
            "properties": _said(source.statement, step)
            | {"holds_from": source.holds_from, "object": _other_object(source, ledger.facts[fact_id])},
        }
        for fact_id, sources in ledger.added.items()
        for source in sources
    ]


def _other_object(source: Source, fact: Fact) -> str | None:
    return None if source.statement.object == fact.object else source.statement.object


def _said(one: Statement, step: Step) -> dict[str, Any]:
    return {
        "quote": one.span.quote,
        "origin": one.span.side,
        "stance": one.stance.value,
        "begins": one.begins,
        "until": one.until,
        "replaces": one.replaces,
        "confidence": one.confidence,
        "run_id": one.run_id or step.run_id,
        "at": one.recorded_at or step.started_at,
    }


def _end_key(one: Statement) -> dict[str, Any]:
    span = one.span
    where = {"page_id": span.page_id, "side": span.side, "start": span.start, "end": span.end}
    return where | {"predicate": one.predicate}


def _end(one: Statement, step: Step) -> dict[str, Any]:
    return _said(one, step) | {"kind": one.kind.value, "subject": one.subject, "object": one.object}


def changing(fact: Fact) -> dict[str, Any]:
    """The properties of a fact that change while it is known."""
    return {
        "kind": fact.kind.value,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "closed_at": fact.closed_at,
        "retired_at": fact.retired_at,
        "retired_by": fact.retired_by.value if fact.retired_by else None,
        "profiled_at": fact.profiled_at,
        "status": fact.status.value,
        "confidence": fact.confidence,
        "support": fact.support,
        "version": fact.version,
    }


def _version(fact: Fact, step: Step) -> dict[str, Any]:
    """What a newer version of a fact does not take from the older one."""
    return changing(fact) | {"object": fact.object, "recorded_at": step.started_at, "proposed": fact.proposed}


def _properties(fact: Fact, claim: Claim, step: Step, reply: Reply[tuple[Claim, ...]]) -> dict[str, Any]:
    return changing(fact) | {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "text": claim.text,
        "reason": claim.reason,
        "proposed": fact.proposed,
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
