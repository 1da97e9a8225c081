"""Rows of facts and of what was said for them: as the policy sees them, and as callers do."""

from __future__ import annotations

from typing import Any

from ..contract import FactOut, Source
from ..domain import fact as known
from ..domain.act import Act, ActKind
from ..domain.claim import FactKind, Level, Stance
from ..domain.fact import Fact, FactStatus, Retirement
from ..domain.statement import Span, Statement, support_of
from ..domain.validity import Moment, end_known, shown
from .connection import Row

_TRAITS = (FactKind.TRAIT, FactKind.ASSISTANT_TRAIT)
_AS_STORED = (
    "fact_id", "version", "subject", "predicate", "object", "text", "recorded_at", "origin", "pinned", "stale",
    "sensitivity",
)  # fmt: skip


def stated(row: Row) -> Fact:
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
        said=tuple(_said(source, fact) for source in row["sources"]),
    )


def _said(row: Row, fact: Row) -> known.Source:
    return known.Source(statement_of(row, fact), row["holds_from"], ends=row["ends"])


def statement_of(row: Row, fact: Row) -> Statement:
    """A statement from the relationship to its page; `fact` says what it is about."""
    return Statement(
        span=Span(row["page_id"], row["side"], row["start"], row["end"], row["quote"]),
        kind=FactKind(fact["kind"]),
        subject=fact["subject"],
        predicate=fact["predicate"],
        object=fact["object"] if row.get("object") is None else row["object"],
        said_at=row["event_time"],
        begins=row.get("begins"),
        until=row.get("until"),
        speaker=row["origin"],
        stance=Stance(row["stance"]),
        replaces=row.get("replaces"),
        disputes=row.get("disputes") or False,
        asks=row.get("asks") or False,
        confidence=row["confidence"],
        run_id=row.get("run_id"),
        recorded_at=row["at"],
        act=_act(row),
    )


def _act(row: Row) -> Act | None:
    kind = row.get("act")
    return Act(ActKind(kind), row.get("act_on"), row.get("act_since"), row.get("act_until")) if kind else None


def fact_of(row: Row, moment: Moment | None = None) -> FactOut:
    """A row of facts_by_ids as callers see it: as it is now, or as it was known at a moment."""
    fact = row["fact"]
    changing = _as_known(row, moment) if moment else _as_now(fact)
    is_trait = FactKind(fact["kind"]) in _TRAITS
    return FactOut(
        **{name: fact[name] for name in _AS_STORED},
        **changing,
        level=Level(fact["object"]) if is_trait and fact["object"] in set(Level) else None,
        reason=fact.get("reason") or None,
        sources=_sources(row, ends=False),
        ends=_sources(row, ends=True),
        supersedes=sorted(row["supersedes"]),
        superseded_by=sorted(row["superseded_by"]),
        conflicts_with=sorted(row["conflicts_with"]),
        would_replace=row["would_replace"],
    )


def _as_now(fact: Row) -> dict[str, Any]:
    names = ("kind", "status", "valid_from", "confidence", "support")
    ends = {"valid_to": shown(fact["valid_to"]), "retired_at": shown(fact["retired_at"])}
    return {name: fact[name] for name in names} | ends


def _as_known(row: Row, moment: Moment) -> dict[str, Any]:
    """What changes of a fact with what is known; the row has only the sources known at the moment."""
    fact, known_at = row["fact"], moment.known_at
    states = [source for source in stated(row).said if not source.ends]
    confidence, support = support_of(source.statement for source in states)
    end = end_known(fact["valid_to"], fact["closed_at"], known_at)
    later_profile = fact.get("profiled_at") is not None and fact["profiled_at"] > known_at
    return {
        "kind": FactKind.KNOWLEDGE if later_profile else fact["kind"],
        "status": _status(row, end, moment),
        "valid_from": min((source.holds_from for source in states), default=fact["valid_from"]),
        "valid_to": shown(end),
        "retired_at": fact["retired_at"] if fact["retired_at"] <= known_at else None,
        "confidence": confidence,
        "support": support,
    }


def _status(row: Row, end: Any, moment: Moment) -> FactStatus:
    fact = row["fact"]
    if fact["retired_at"] <= moment.known_at:
        withdrawn = fact.get("retired_by") in (Retirement.CORRECTION, Retirement.ROLLBACK)
        return FactStatus.RETRACTED if withdrawn else FactStatus.SUPERSEDED
    if end <= moment.as_of:
        return FactStatus.SUPERSEDED
    return FactStatus.CONFLICTED if row["conflicts_with"] else FactStatus.CURRENT


def _sources(row: Row, *, ends: bool) -> list[Source]:
    sources = [source_of(source) for source in row["sources"] if source["ends"] is ends]
    return sorted(sources, key=lambda s: (s.event_time, s.page_id, s.start))


def source_of(row: Row) -> Source:
    """Where something is said, from the relationship to its page."""
    names = ("page_id", "side", "quote", "start", "end", "event_time")
    return Source(**{name: row[name] for name in names}, speaker=row["origin"])
