"""GET /metrics: a day's work can be read from it, and nobody's name."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from memoryos_graph import MemoryService, TurnIn
from memoryos_graph.errors import DatabaseUnavailable, ModelReplyInvalid

from ..scheduler.parts import BAD, GOOD, ScriptedProvider, serving
from .conftest import client_of

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def _scrape(service: MemoryService) -> tuple[Samples, str]:
    async with client_of(service) as http:
        answer = await http.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    return samples, answer.text


def _key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"memoryos_{name}", frozenset(labels.items())


async def test_cases_u57_l1_each_step_call_and_failure_is_counted(service: MemoryService, user_id: str) -> None:
    provider = ScriptedProvider()
    scripted = serving(service, provider=provider)
    before, _ = await _scrape(scripted)
    memory = scripted.user(user_id)
    await memory.remember([TurnIn(user_input=text, id=text) for text in ("I live in Oslo.", "I like jazz.")])
    await memory.remember(TurnIn(user_input="I like jazz.", id="I like jazz."))
    provider.fail_claims_on = ("",)
    with pytest.raises(ModelReplyInvalid):
        await memory.maintain()
    assert (await scripted.readiness()).parts["model"].ok is False
    provider.fail_claims_on = ()
    await memory.maintain()
    assert (await scripted.readiness()).parts["model"].ok is True
    await memory.search("Oslo")
    after, text = await _scrape(scripted)

    def grown(name: str, **labels: str) -> float:
        return after.get(_key(name, **labels), 0) - before.get(_key(name, **labels), 0)

    assert (grown("turns_stored_total"), grown("searches_total")) == (2, 1)
    assert grown("runs_total", step="migrate", state="done") == 1
    assert grown("failures_total", step="promote", code="model_reply_invalid") >= 1
    assert grown("items_total", step="migrate", item="pages") == 2
    assert grown("items_total", step="promote", item="facts") == 2
    assert grown("model_calls_total", model="scripted", outcome="ok") >= 2
    assert grown("model_calls_total", model="scripted", outcome=BAD.outcome) >= 1
    assert grown("model_tokens_total", model="scripted", outcome="ok", direction="in") >= 2 * GOOD.tokens_in
    assert after[_key("database_up")] == 1
    assert _key("runs_parked") in after
    assert user_id not in text
    assert "Oslo" not in text


async def test_metrics_are_there_without_a_database(service: MemoryService, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unreachable(*_: object) -> None:
        raise DatabaseUnavailable

    monkeypatch.setattr(service.ctx.store.connection, "read", unreachable)
    samples, _ = await _scrape(service)
    assert samples[_key("database_up")] == 0
