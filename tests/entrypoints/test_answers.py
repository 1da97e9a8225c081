"""`answer`, `answers show` and `context`."""

from __future__ import annotations

from .conftest import Cli


def test_an_answer_is_printed_with_its_sources_and_shown_again(ana: Cli) -> None:
    ana("remember", "I am allergic to hazelnuts.", "-a", "I will keep that in mind.")
    said = ana("answer", "What am I allergic to?", "--style-hint", "short", "--metadata", '{"a": 1}')
    assert said.code == 0, said.err
    assert "[1] “I am allergic to hazelnuts.”" in said.out
    assert "without a language model" in said.out
    answer_id = said.out.strip().rsplit(" ", 1)[-1]
    shown = ana("answers", "show", answer_id, "-o", "json").json
    assert (shown["question"], shown["abstained"]) == ("What am I allergic to?", False)
    (asked, _) = ana("turns", "-o", "json").json["items"]
    assert (asked["page_id"], asked["state"]) == (shown["page_id"], "indexed")
    assert ana("answer", "What am I allergic to?", "--no-store", "-o", "json").json["answer_id"] is None


def test_a_context_is_printed_by_parts(ana: Cli) -> None:
    ana("remember", "I am allergic to hazelnuts.")
    printed = ana("context", "What am I allergic to?", "--budget-tokens", "300")
    assert "recent: " in printed.out
    assert "of 300 tokens, counted by characters" in printed.out
    assert ana("context", "allergic", "-o", "json").json["evidence"][0]["text"] == "I am allergic to hazelnuts."


def test_wrong_use_is_told(ana: Cli) -> None:
    for args, field in (
        (["answer", "x", "--metadata", "nonsense"], "--metadata"),
        (["answer", "x", "--metadata", "[1]"], "metadata"),
        (["answer", " "], "query"),
        (["context", "x", "--as-of", "2020"], "as_of"),
    ):
        ran = ana(*args)
        assert (ran.code, ran.out) == (2, "")
        assert field in ran.err
    assert ana("answers", "show", "nothing").code == 1
