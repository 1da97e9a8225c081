"""What this process has done, as numbers for Prometheus; no user, no text, no id is ever a label."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from .contract import ModelCallOut, RunOut
from .domain.usage import ModelCall


class Metrics:
    """Counters since the start of this process, and gauges of the database that are set when they are asked for."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.model_state: tuple[str, str] | None = None
        self.turns = self._counter("turns_stored", "Turns stored; repeats are not counted")
        self.searches = self._counter("searches", "Searches answered")
        self.answers = self._counter("answers", "Answers stored")
        self._runs = self._counter("runs", "Runs that ended", "step", "state")
        self._failures = self._counter("failures", "Runs that ended without a result", "step", "code")
        self._items = self._counter("items", "What runs did, such as migrate pages or promote facts", "step", "item")
        self._rejected = self._counter("claims_rejected", "Claims of models that were not admitted", "reason")
        self._calls = self._counter("model_calls", "Requests to models", "model", "outcome")
        self._tokens = self._counter("model_tokens", "Tokens of requests to models", "model", "outcome", "direction")
        self._seconds = Histogram(
            "memoryos_model_seconds",
            "Time of requests to models",
            ("model",),
            buckets=(0.1, 0.5, 1, 2, 5, 10, 30, 60, 120),
            registry=self.registry,
        )
        self._database = self._gauge("database_up", "Whether Neo4j answers")
        self._due = self._gauge("users_due", "Users whose work is due")
        self._parked = self._gauge("runs_parked", "Runs whose work is parked")

    def ended(self, run: RunOut) -> None:
        """Count a run that has ended, with what it did and what its model calls cost."""
        self._runs.labels(run.kind, run.state).inc()
        if run.error_code:
            self._failures.labels(run.kind, run.error_code).inc()
        for item, n in run.counts.items():
            self._items.labels(run.kind, item).inc(n)
        for reason, n in run.rejected.items():
            self._rejected.labels(reason).inc(n)
        self.called(run.calls)

    def called(self, calls: Iterable[ModelCallOut | ModelCall]) -> None:
        """Count requests to models."""
        for call in calls:
            self.model_state = (call.model, call.outcome)
            self._calls.labels(call.model, call.outcome).inc()
            self._tokens.labels(call.model, call.outcome, "in").inc(call.tokens_in)
            self._tokens.labels(call.model, call.outcome, "out").inc(call.tokens_out)
            self._seconds.labels(call.model).observe(call.ms / 1000)

    def text(self, *, up: bool, due: int = 0, parked: int = 0) -> bytes:
        """All numbers in Prometheus's text format; those of the database as they are now."""
        self._database.set(up)
        if up:
            self._due.set(due)
            self._parked.set(parked)
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"memoryos_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"memoryos_{name}", text, registry=self.registry)
