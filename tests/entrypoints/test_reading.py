"""`search`, `facts`, `why`, `segments`, `stats`, `run`, `runs`."""

from __future__ import annotations

from typing import Any

import pytest

from ..conftest import FakeEmbedder
from .conftest import Cli

TURNS = (
    ("I live in Hamburg.", "2025-09-01T10:00:00Z"),
    ("I'm allergic to hazelnuts.", "2025-10-01T10:00:00Z"),
    ("I moved to Bergen!", "2026-03-01T10:00:00Z"),
)


@pytest.fixture
def known(ana: Cli) -> Cli:
    """A user of whom something is known."""
    for n, (said, at) in enumerate(TURNS):
        assert ana("remember", said, "--event-time", at, "--id", f"t{n}", "--no-work").code == 0
    assert ana("run", "all").code == 0
    return ana


def _fact(known: Cli, predicate: str, status: str = "current") -> dict[str, Any]:
    facts = known("facts", "--all", "-o", "json").json["items"]
    found: dict[str, Any] = next(f for f in facts if (f["predicate"], f["status"]) == (predicate, status))
    return found


def test_facts_are_listed_with_their_words(known: Cli) -> None:
    ran = known("facts")
    assert "“I moved to Bergen” 2026-03-01" in ran.out
    assert "Hamburg" not in ran.out
    assert "2025-09-01 – 2026-03-01" in known("facts", "--all").out
    assert "Hamburg" in known("facts", "--status", "superseded").out
    assert known("facts", "--all", "--status", "current").code == 2


def test_why_shows_the_tree_from_a_fact_to_its_words(known: Cli) -> None:
    fact = _fact(known, "lives_in")
    ran = known("why", fact["fact_id"])
    for part in ("“I moved to Bergen”", "characters 0–17", "in place of", "Hamburg", "read by rules"):
        assert part in ran.out
    page_id = fact["sources"][0]["page_id"]
    assert known("why", fact["fact_id"], "-o", "json").json["pages"][0]["source"]["page_id"] == page_id


def test_why_of_a_page_shows_all_that_came_of_it(known: Cli) -> None:
    page_id = _fact(known, "allergic_to")["sources"][0]["page_id"]
    ran = known("why", page_id)
    for part in ("I'm allergic to hazelnuts.", "1 facts", "1 segments", "joined with", "chain "):
        assert part in ran.out
    assert len(known("why", page_id, "-o", "json").json["facts"]) == 1


def test_facts_of_another_moment_and_their_history(known: Cli) -> None:
    assert "Hamburg" in known("facts", "--as-of", "2025-12-01T00:00:00Z").out
    assert known("facts", "--known-at", "2020-01-01T00:00:00Z", "-o", "json").json["items"] == []
    assert known("facts", "--origin", "tool", "-o", "json").json["items"] == []
    assert known("facts", "--as-of", "yesterday").code == 2
    ran = known("history", _fact(known, "lives_in")["fact_id"])
    assert "change: " in ran.out
    assert "Hamburg" in ran.out


def test_the_profile_its_versions_and_the_way_back(known: Cli) -> None:
    assert "Bergen" in known("profile").out
    versions = known("profile", "versions", "-o", "json").json["items"]
    latest = versions[0]["version"]
    assert "+ " in known("profile", "diff", "0", str(latest)).out
    assert known("profile", "rollback", "0", "-o", "json").json["version"] == latest + 1
    assert "nothing is known" in known("profile").out
    assert "Bergen" in known("profile", "--version", str(latest)).out
    assert known("profile", "rollback", "99").code == 1


def test_why_of_nothing_says_so_in_one_line(known: Cli) -> None:
    ran = known("why", "no-such-id")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "memoryos: this user has no fact and no page with this id\n"


def test_search_prints_sources_and_parts(known: Cli) -> None:
    found = known("search", "allergic", "hazelnuts", "-o", "json").json
    assert found["hits"][0]["text"].endswith("allergic to hazelnuts.")
    ran = known("search", "allergic hazelnuts", "--kind", "fact", "--explain", "-k", "1")
    assert "“I'm allergic to hazelnuts”" in ran.out
    assert "vector" in ran.out
    assert " 2. " not in ran.out


def test_segments_show_heat_and_members(known: Cli) -> None:
    (first, *_) = known("segments", "-o", "json").json["items"]
    assert first["segment_id"] in known("segments").out
    ran = known("segments", first["segment_id"])
    assert "heat " in ran.out
    assert known("segments", first["segment_id"], "-o", "json").json["pages"]


def test_stats_and_runs_count_what_was_done(known: Cli) -> None:
    stats = known("stats", "-o", "json").json
    assert (stats["pages"]["mtm"], stats["facts"], stats["due"]) == (3, {"current": 2, "superseded": 1}, False)
    assert "mtm 3" in known("stats").out
    kinds = [run["kind"] for run in known("runs", "-o", "json").json["items"]]
    assert set(kinds) == {"index", "migrate", "promote"}
    assert "index" in known("runs", "--state", "done").out
    assert "nothing to do" in known("run", "index").out


def test_users_are_chosen_before_or_after_the_command(cli: Cli, known: Cli, user_id: str) -> None:
    assert cli("facts", "--user", user_id, "-o", "json").json == known("facts", "-o", "json").json
    assert cli("-o", "json", "-u", user_id, "facts").json == known("facts", "-o", "json").json
    assert cli("facts", "--user", f"{user_id}-other", "-o", "json").json["items"] == []


def test_text_of_users_cannot_steer_the_terminal(ana: Cli) -> None:
    ana("remember", "red \x1b[31m alert [bold]not bold[/bold] \u202egnp.exe", "--no-work")
    ran = ana("turns")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "red ␛[31m alert [bold]not bold[/bold]" in ran.out


def test_case_l26_an_empty_list_says_of_what(ana: Cli, user_id: str) -> None:
    assert f"no current facts of {user_id} of kind trait" in " ".join(ana("facts", "--kind", "trait").out.split())
    assert f"no runs of {user_id} in state parked" in " ".join(ana("runs", "--state", "parked").out.split())
    assert ana("runs", "--state", "broken").code == 2


def test_a_failed_run_is_retried(ana: Cli, user_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = FakeEmbedder()
    failing.fail_next = 1
    monkeypatch.setattr("memoryos_graph.bootstrap.SentenceTransformerEmbedder", lambda *_: failing)
    assert "its further work stays due" in ana("remember", "I live in Oslo.").err
    (failed,) = ana("runs", "--state", "failed", "-o", "json").json["items"]
    assert failed["error_code"] == "model_unavailable"
    (done,) = ana("runs", "retry", failed["run_id"], "-o", "json").json
    assert (done["kind"], done["state"]) == ("index", "done")
    assert ana("runs", "retry", "nothing").code == 1
