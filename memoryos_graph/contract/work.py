"""Background work, counts and readiness."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .values import Request, Result

RunState = Literal["due", "planned", "running", "done", "failed", "parked"]


class Stats(Result):
    """Counts of one user."""

    pages: dict[str, int]
    states: dict[str, int]
    conversations: int
    sessions: int
    chains: int
    segments: int
    facts: dict[str, int]
    due: bool
    failed_runs: int
    heat_histogram: dict[str, int]


class ModelCallOut(Result):
    """One request to a model; `outcome` is "ok" or a short code."""

    model: str
    prompt_hash: str
    tokens_in: int
    tokens_out: int
    ms: int
    outcome: str


class RunOut(Result):
    """One unit of background work with what its model calls cost. `attempts` counts the tries of what it worked for,
    this one included. States: running, done, failed (tried again by itself), parked (given up until it is retried)."""

    run_id: str
    kind: str
    state: RunState
    attempts: int
    started_at: datetime
    ended_at: datetime | None
    counts: dict[str, int]
    rejected: dict[str, int]
    model: str
    error_code: str | None
    model_calls: int
    tokens_in: int
    tokens_out: int
    calls: list[ModelCallOut]


class MaintenanceRequest(Request):
    """Run the steps now. `force` migrates all of STM and promotes whatever the heat; default true for `all`."""

    run: Literal["index", "migrate", "promote", "archive", "all"]
    force: bool | None = None


class Maintenance(Result):
    """The runs that were made."""

    runs: list[RunOut]


class Reembedded(Result):
    """A change of the embedding model that is done; `vectors` are those written this time, by kind."""

    model_before: str
    model: str
    dimension: int
    vectors: dict[str, int]


class ResidueCost(Result):
    """What erasing on disk would cost: seconds without any answer, then seconds in which search may be refused."""

    nodes: int
    vectors: int
    bytes: int
    unavailable_s: int
    degraded_s: int


class ResidueErased(Result):
    """Erasing on disk that is done: nothing that was deleted before `erased_at` is in the files any more."""

    erased_at: datetime
    records: int
    bytes: int
    index_files: int
    seconds: float


class RunList(Result):
    items: list[RunOut]
    next_cursor: str | None


class PartState(Result):
    """One part of the readiness report."""

    ok: bool
    detail: str


class Readiness(Result):
    """Whether the service can do its work, part by part. `degraded` still answers."""

    status: Literal["ready", "degraded", "not_ready"]
    parts: dict[str, PartState]
