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


def test_the_paper_profile_fills_what_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_PROFILE", "paper")
    monkeypatch.setenv("MEMORYOS_PROMOTION_MIN_PAGES", "2")
    paper = load_settings(mid_term_capacity=50)
    assert (paper.short_term_capacity, paper.migration_batch, paper.cosine_floor) == (7, 1, -1)
    assert (paper.promotion_max_wait_s, paper.knowledge_capacity, paper.after_promotion) == (0, 100, "reset_l")
    assert (paper.promotion_min_pages, paper.mid_term_capacity) == (2, 50)
    monkeypatch.delenv("MEMORYOS_PROFILE")
    assert (load_settings().short_term_capacity, load_settings(profile="paper").short_term_capacity) == (10, 7)


def _model(**over: str) -> dict[str, str]:
    return {"llm": "model", "llm_model": "small", "llm_base_url": "http://127.0.0.1:1/v1"} | over


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"llm": "model", "llm_base_url": "http://127.0.0.1:1/v1"}, "llm_model"),
        ({"llm": "model", "llm_model": "small"}, "llm_base_url or llm_api_key"),
        (_model(llm_base_url="127.0.0.1:1"), "llm_base_url"),
        (_model(llm_timeout_s="0"), "llm_timeout_s"),
        (_model(llm_max_tries="0"), "llm_max_tries"),
        (_model(llm_parallel_calls="0"), "llm_parallel_calls"),
        (_model(llm_prompt_tokens="10"), "llm_prompt_tokens"),
        ({"embedding_base_url": "ftp://x"}, "embedding_base_url"),
    ],
)
def test_a_model_that_cannot_be_asked_stops_the_start_with_the_setting(given: dict[str, str], named: str) -> None:
    with pytest.raises(SetupError, match=named):
        load_settings(**given)


def test_keys_and_urls_in_the_environment_switch_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame-sesame")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("MEMORYOS_LLM_API_KEY", "")
    found = load_settings()
    assert (found.llm, found.embedding_base_url) == ("rules", None)
    assert "sesame" not in repr(found)


def test_our_variables_win_over_those_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    monkeypatch.setenv("MEMORYOS_LLM_BASE_URL", "http://127.0.0.1:2/v1")
    found = load_settings(llm="model", llm_model="small")
    assert found.llm_base_url == "http://127.0.0.1:2/v1"
    assert found.llm_api_key is not None
    assert found.llm_api_key.get_secret_value() == "theirs"
