"""Checked claims become facts in the graph: what is known is read, the policy decides, the result is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.claim import Claim
from ..domain.forgetting import Ban, Bans, TombstoneKeys
from ..domain.ledger import Ledger
from ..domain.predicates import touched_predicates
from ..domain.statement import Span
from ..llm.provider import Reply
from ..store.connection import Row, Tx
from ..store.ledger import new_fact, read_known, write_changes
from .step import Step

IMPORT = "import"
_NO_MODELS = ("rules", IMPORT)


@dataclass(frozen=True)
class Candidate:
    """A checked claim with the id and vector of the fact that it may become."""

    fact_id: str
    claim: Claim
    vector: list[float]


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
