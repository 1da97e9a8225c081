"""`state`, `correct`, `change`, `retract`, `restore`, `confirm`, `pin`."""

from __future__ import annotations

from .conftest import Cli


def test_facts_are_stated_and_decided_about(ana: Cli) -> None:
    oslo = ana("state", "I", "live", "in", "Oslo", "-o", "json").json["fact"]
    shown = ana("correct", oslo["fact_id"], "I live in Bergen", "--reason", "a slip")
    for part in ("The user lives in Bergen.", f"in place of {oslo['fact_id']}", "correct"):
        assert part in shown.out
    (bergen,) = ana("facts", "-o", "json").json["items"]
    assert "correction" in ana("history", bergen["fact_id"]).out
    page_id = bergen["sources"][0]["page_id"]
    assert page_id in {hit["id"] for hit in ana("search", "Bergen", "--kind", "page", "-o", "json").json["hits"]}
    assert ana("retract", bergen["fact_id"], "--version", "9", "--no-work").code == 1
    back = ana("restore", oslo["fact_id"], "--no-work", "-o", "json").json["fact"]
    rome = ana("change", back["fact_id"], "--object", "Rome", "--no-work", "-o", "json").json["fact"]
    assert (rome["object"], rome["text"]) == ("Rome", "The user lives in Rome.")
    assert ana("pin", rome["fact_id"], "-o", "json").json["fact"]["pinned"]
    assert not ana("pin", rome["fact_id"], "--not-pinned", "-o", "json").json["fact"]["pinned"]
    assert ana("confirm", rome["fact_id"], "--no-work").code == 0
    assert "retracted" in ana("retract", rome["fact_id"], "--no-work").out
    assert ana("correct", rome["fact_id"]).code == 2
    assert ana("correct", "no-such-fact", "x").code == 1


def test_a_policy_is_shown_and_changed_in_part(ana: Cli) -> None:
    shown = ana("policy").out
    for row in ("credentials", "redact", "religious", "after 365 days"):
        assert row in shown
    changed = ana("policy", "--class", "health=ask", "--keep", "mtm_days=30", "-o", "json").json
    assert (changed["classes"]["health"], changed["retention"]["mtm_days"]) == ("ask", 30)
    changed = ana("policy", "--remember", "session_only", "--stale-after-days", "0", "-o", "json").json
    assert (changed["remember"], changed["classes"]["health"], changed["stale_after_days"]) == (
        "session_only",
        "ask",
        0,
    )
    assert ana("policy", "--class", "health").code == 2
    refused = ana("policy", "--class", "health=perhaps")
    assert (refused.code, "classes.health" in refused.err) == (2, True)
    assert ana("policy", "-o", "json").json == changed
