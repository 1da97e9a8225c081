from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.tool import SUMMARY_LENGTH, kept_call, signature, summary_of, tool_text


def test_a_result_is_kept_as_its_key_values() -> None:
    result = '{"city": "Oslo", "now": {"temp": -3, "sky": "clear"}, "hours": [1, 2], "note": null, "raw": ""}'
    call = kept_call("weather", '{"city": "Oslo"}', result)
    assert call == {
        "name": "weather",
        "arguments": {"city": "Oslo"},
        "result_summary": "city: Oslo, now.temp: -3, now.sky: clear, hours: 1, hours: 2",
    }
    assert tool_text([call, kept_call("ping", {}, "")]) == f"weather(city: Oslo) → {call['result_summary']}"


def test_plain_text_and_broken_arguments_are_kept_as_they_are() -> None:
    call = kept_call("search", "{not json", "Two  results:\nA and B")
    assert (call["arguments"], call["result_summary"]) == ("{not json", "Two results: A and B")
    assert signature(call) == "search({not json)"


def test_a_result_nested_deeper_than_the_parser_goes_is_text() -> None:
    assert summary_of("[" * 100_000).startswith("[[[")


@given(st.text(max_size=2000) | st.recursive(st.none() | st.text(), lambda x: st.lists(x)).map(str))
def test_a_summary_is_one_bounded_line(result: str) -> None:
    summary = summary_of(result)
    assert len(summary) <= SUMMARY_LENGTH
    assert "\n" not in summary
