"""Going back to the facts of a profile version, as a new belief: what was believed in between stays on record."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from .fact import Fact, FactStatus, Retirement
from .ledger import Ledger, Supersession
from .statement import USER_KINDS, support_of
from .validity import NEVER, end_known


@dataclass(frozen=True)
class RolledBack:
    """Facts that hold again, by their new ids, and those that are withdrawn."""

    restored: list[str]
    retired: list[str]


def roll_back(ledger: Ledger, wanted: Collection[str], since: Collection[str], at: datetime) -> RolledBack:
    """Make `wanted` the current facts about the user; `since` were added after the version of time `at`.

    What was added since is retired: it was not so. What ceased to be current holds again in a new version that
    SUPERSEDES the old one and quotes the same words, without those that ended it.
    """
    done = RolledBack([], [])
    for fact in list(ledger.before.values()):
        if fact.kind not in USER_KINDS or (fact.fact_id in wanted and fact.status is FactStatus.CURRENT):
            continue
        believed = fact.retired_by is None
        standing = fact.status in (FactStatus.CURRENT, FactStatus.CONFLICTED)
        if fact.fact_id in wanted:
            done.restored.append(_restore(ledger, fact, at))
        elif believed and (standing or fact.fact_id in since):
            ledger.facts[fact.fact_id] = _retired(ledger, fact, Retirement.ROLLBACK, FactStatus.RETRACTED)
            done.retired.append(fact.fact_id)
    return done


def _restore(ledger: Ledger, fact: Fact, at: datetime) -> str:
    fact_id = f"{ledger.stem}-{len(ledger.copied) + 1}"
    said = tuple(source for source in fact.said if not source.ends)
    confidence, support = support_of(source.statement for source in said)
    end = end_known(fact.valid_to, fact.closed_at, at)
    ledger.facts[fact_id] = replace(
        fact,
        fact_id=fact_id,
        said=said,
        valid_to=end,
        closed_at=ledger.now if end < NEVER else NEVER,
        retired_at=NEVER,
        retired_by=None,
        status=FactStatus.CURRENT,
        confidence=confidence,
        support=support,
        version=fact.version + 1,
    )
    ledger.facts[fact.fact_id] = _retired(ledger, fact, Retirement.REFRESH, FactStatus.SUPERSEDED)
    ledger.copied[fact_id] = fact.fact_id
    ledger.added[fact_id] = list(said)
    ledger.supersessions.append(Supersession(fact_id, fact.fact_id, "rollback"))
    return fact_id


def _retired(ledger: Ledger, fact: Fact, by: Retirement, status: FactStatus) -> Fact:
    retired_at = min(fact.retired_at, ledger.now)
    return replace(fact, retired_at=retired_at, retired_by=by, status=status, version=fact.version + 1)
