from __future__ import annotations

import pytest

from memoryos_graph import load_settings
from memoryos_graph.errors import SetupError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHORT_TERM_CAPACITY", "0"),
        ("SHORT_TERM_CAPACITY", "-1"),
        ("SHORT_TERM_CAPACITY", "nan"),
        ("SHORT_TERM_CAPACITY", "1000000000"),
        ("SHORT_TERM_CAPACITY", "ten"),
        ("MIGRATION_BATCH", "0"),
        ("HEAT_THRESHOLD", "nan"),
        ("HEAT_THRESHOLD", "inf"),
        ("HEAT_TIME_CONSTANT_S", "0"),
        ("ALPHA", "-1"),
        ("SIMILARITY_THRESHOLD", "0"),
        ("COSINE_FLOOR", "-2"),
        ("PORT", "70000"),
        ("LLM", "gpt"),
    ],
)
def test_case_u51_an_impossible_value_stops_the_start_and_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORYOS_{name}", value)
    with pytest.raises(SetupError, match=name.lower()):
        load_settings()


def test_case_u51_a_batch_larger_than_the_capacity_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_SHORT_TERM_CAPACITY", "4")
    with pytest.raises(SetupError, match="migration_batch"):
        load_settings()


def test_an_unknown_setting_stops_the_start_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_SHORT_TERM_CAPACTIY", "7")
    with pytest.raises(SetupError, match="MEMORYOS_SHORT_TERM_CAPACTIY"):
        load_settings()


@pytest.mark.parametrize("name", ["NEO4J_USER", "NEO4J_USERNAME"])
def test_both_names_of_the_user_are_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "reader")
    assert load_settings().neo4j_user == "reader"


def test_a_secret_never_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "sesame-sesame")
    assert "sesame" not in repr(load_settings())
