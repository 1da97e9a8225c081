"""Checked claims become facts in the graph: what is known is read, the policy decides, the result is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..context import Context
from ..domain.claim import Claim, Sensitivity
from ..domain.forgetting import Ban, Bans, TombstoneKeys
from ..domain.ledger import Ledger
from ..domain.policy import Policy
from ..domain.predicates import touched_predicates
from ..domain.statement import Span
from ..llm.provider import Reply
from ..sensitive import classes_of, classified
from ..store.connection import Row, Tx
from ..store.ledger import new_fact, read_known, write_changes
from .step import Step

IMPORT = "import"
_NO_MODELS = ("rules", IMPORT)


@dataclass(frozen=True)
class Candidate:
    """A checked claim with the id and vector of the fact that it may become, and the sensitive classes it is of."""

    fact_id: str
    claim: Claim
    vector: list[float]
    classes: frozenset[Sensitivity] = frozenset()


async def read_ledger(tx: Tx, user_id: str, claims: Sequence[Claim], step: Step) -> Ledger:
    """The facts that these claims may repeat, change, end or contradict, ready to take the claims. Two statements."""
    predicates = touched_predicates(claim.predicate for claim in claims)
    facts, waiting = await read_known(tx, user_id, predicates)
    return Ledger.of(facts, step.started_at, waiting=waiting, stem=step.run_id)


async def read_bans(tx: Tx, user_id: str, key: str | None, page_ids: Sequence[str]) -> Bans:
    """What may not be made from these pages, since it was forgotten (I9). One statement; none before any forget."""
    if key is None:
        return Bans((), TombstoneKeys(""))
    rows = [row["tombstone"] for row in await tx.run("tombstones_of", user_id=user_id, page_ids=page_ids)]
    spans = [
        Ban(Span(row["page_id"], row["side"], row["start"], row["end"]), row.get("claim_key"))
        for row in rows
        if row["kind"] != "page"
    ]
    return Bans(tuple(spans), TombstoneKeys(key))


async def candidates_of(ctx: Context, claims: Sequence[Claim]) -> list[Candidate]:
    """Candidates of claims, with ids, vectors and classes. One embedding call."""
    vectors = await ctx.embedder.embed([claim.text for claim in claims], "document")
    classes = [classes_of(claim) for claim in claims]
    return [
        Candidate(ctx.clock.new_id(), classified(claim, kinds), vector, kinds)
        for claim, vector, kinds in zip(claims, vectors, classes, strict=True)
    ]


def take(
    ledger: Ledger, candidates: Sequence[Candidate], bans: Bans, policy: Policy, said_at: Mapping[str, datetime]
) -> None:
    """Let the ledger take what neither a tombstone nor the policy forbids; the rest is counted by its reason."""
    for candidate in candidates:
        claim = bans.allowed(candidate.claim)
        allowed = claim and policy.allowed(claim, candidate.classes)
        if allowed:
            ledger.take(allowed, candidate.fact_id, said_at)
        else:
            ledger.rejected["forgotten" if claim is None else "policy"] += 1


async def write_facts(
    tx: Tx,
    user_id: str,
    user: Row,
    step: Step,
    ledger: Ledger,
    candidates: Sequence[Candidate],
    reply: Reply[tuple[Claim, ...]],
) -> None:
    """Store what the ledger made of the candidates: new facts, and what they changed."""
    new = [
        {
            "fact_id": candidate.fact_id,
            "properties": new_fact(
                ledger.facts[candidate.fact_id],
                candidate.claim,
                ledger,
                origin=reply.model if reply.model in _NO_MODELS else "model",
                model=reply.model,
                prompt_hash=reply.prompt_hash,
            ),
            "vector": candidate.vector,
        }
        for candidate in candidates
        if candidate.fact_id in ledger.new
    ]
    await tx.run("write_facts", user_id=user_id, user_key=user["user_key"], facts=new, run_id=step.run_id)
    await write_changes(tx, user_id, ledger, run_id=step.run_id)
