"""What a ledger changed, as rows and statements: the one way in which facts change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..domain.claim import Claim
from ..domain.fact import Fact, Source
from ..domain.ledger import Ledger
from ..domain.profile import changes
from ..domain.statement import Statement
from ..domain.validity import NEVER
from .connection import Tx
from .facts import stated, statement_of

DETECTOR = "policy"


async def read_known(tx: Tx, user_id: str, predicates: Sequence[str] | None) -> tuple[list[Fact], list[Statement]]:
    """Facts of some predicates, or all, and the statements that wait for one: what a ledger is of. Two statements."""
    facts = await tx.run("facts_stated", user_id=user_id, predicates=predicates)
    heard = await tx.run("heard_waiting", user_id=user_id, predicates=predicates)
    return [stated(row) for row in facts], [statement_of(row["heard"], row["heard"]) for row in heard]


async def write_changes(
    tx: Tx, user_id: str, ledger: Ledger, *, run_id: str | None = None, actor: str = "system"
) -> int | None:
    """Store newer versions, changes, sources, ends, conflicts, and a profile version if what is current has changed.

    New facts are written before. Gives the new profile version; None without one. At most ten statements.
    """
    copies = [
        {"of": of, "fact_id": fact_id, "properties": _version(ledger.facts[fact_id], ledger)}
        for fact_id, of in ledger.copied.items()
    ]
    changed = [
        {"fact_id": fact_id, "properties": changing(ledger.facts[fact_id])} for fact_id in sorted(ledger.changed)
    ]
    await tx.run("copy_facts", user_id=user_id, rows=copies, run_id=run_id)
    await tx.run("change_facts", user_id=user_id, rows=changed)
    await tx.run("write_sources", user_id=user_id, rows=_source_rows(ledger, run_id))
    await _write_relations(tx, user_id, ledger, run_id, actor)
    added, removed = changes(ledger.before, ledger.facts)
    if not added and not removed:
        return None
    row = await tx.one(
        "write_profile_version",
        user_id=user_id,
        properties={"at": ledger.now, "added": added, "removed": removed, "run_id": run_id},
    )
    return int(row["version"]) if row else None


async def _write_relations(tx: Tx, user_id: str, ledger: Ledger, run_id: str | None, actor: str) -> None:
    now = ledger.now
    supersessions = [vars(supersession) for supersession in ledger.supersessions]
    conflicts = [{"a": a, "b": b} for a, b in sorted(ledger.conflicts)]
    dropped = [_heard_key(one) for one in ledger.waited if one not in ledger.waiting]
    new = [one for one in ledger.waiting if one not in ledger.waited]
    heard = [_heard_key(one) | {"properties": _heard(one, ledger, run_id)} for one in new]
    await tx.run("write_supersedes", user_id=user_id, rows=supersessions, actor=actor, now=now)
    await tx.run("resolve_conflicts", user_id=user_id, fact_ids=sorted(ledger.resolved), now=now, never=NEVER)
    await tx.run("write_conflicts", user_id=user_id, rows=conflicts, now=now, detector=DETECTOR, never=NEVER)
    await tx.run("drop_heard", user_id=user_id, rows=dropped)
    await tx.run("write_heard", user_id=user_id, rows=heard)


def new_fact(fact: Fact, claim: Claim, ledger: Ledger, *, origin: str, model: str, prompt_hash: str) -> dict[str, Any]:
    """The properties of a fact that a claim made; `origin` is rules, model or user."""
    return changing(fact) | {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "text": claim.text,
        "reason": claim.reason,
        "proposed": fact.proposed,
        "sensitivity": claim.sensitivity.value,
        "recorded_at": ledger.now,
        "origin": origin,
        "extractor": model,
        "model": model,
        "prompt_hash": prompt_hash,
        "pinned": False,
        "hidden": False,
        "stale": False,
    }


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


def _version(fact: Fact, ledger: Ledger) -> dict[str, Any]:
    """What a newer version of a fact does not take from the older one."""
    return changing(fact) | {
        "object": fact.object,
        "recorded_at": ledger.now,
        "proposed": fact.proposed,
        "stale": False,
    }


def source_key(fact_id: str, source: Source) -> dict[str, Any]:
    """What one DERIVED_FROM of a fact is found by."""
    return _place(source.statement) | {"fact_id": fact_id, "ends": source.ends}


def _source_rows(ledger: Ledger, run_id: str | None) -> list[dict[str, Any]]:
    return [
        source_key(fact_id, source) | {"properties": _source(source, ledger.facts[fact_id], ledger, run_id)}
        for fact_id, sources in ledger.added.items()
        for source in sources
    ]


def _source(source: Source, fact: Fact, ledger: Ledger, run_id: str | None) -> dict[str, Any]:
    said = source.statement
    own = None if said.object == fact.object else said.object
    return _said(said, ledger, run_id) | {"holds_from": source.holds_from, "object": own}


def _said(one: Statement, ledger: Ledger, run_id: str | None) -> dict[str, Any]:
    act = one.act
    return {
        "quote": one.span.quote,
        "origin": str(one.speaker),
        "stance": one.stance.value,
        "begins": one.begins,
        "until": one.until,
        "replaces": None if act else one.replaces,  # a decision names a fact: its words may be forgotten meanwhile
        "disputes": one.disputes or None,
        "asks": one.asks or None,
        "act": act and act.kind.value,
        "act_on": act and act.on,
        "act_since": act and act.since,
        "act_until": act and act.until,
        "confidence": one.confidence,
        "run_id": one.run_id or run_id,
        "at": one.recorded_at or ledger.now,
    }


def _place(one: Statement) -> dict[str, Any]:
    span = one.span
    return {"page_id": span.page_id, "side": span.side, "start": span.start, "end": span.end}


def _heard_key(one: Statement) -> dict[str, Any]:
    return _place(one) | {"predicate": one.predicate, "object": one.object}


def _heard(one: Statement, ledger: Ledger, run_id: str | None) -> dict[str, Any]:
    about = {"kind": one.kind.value, "subject": one.subject}
    return _said(one, ledger, run_id) | about
