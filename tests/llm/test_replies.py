"""From the text of a reply to its JSON and its items, without a server."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.llm.replies import Unfit, json_values, without_reasoning
from memoryos_graph.llm.shapes import CLAIMS, READING

VALUE = {"claims": [{"predicate": "likes", "object": "tea", "quote": "I like </think> tea ```"}]}
TEXT = json.dumps(VALUE)
PLAIN = json.dumps({"claims": []})


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"<think>{PLAIN}</think>{TEXT}",
        f"<THINK>\nFirst {{a}}\n</THINK>\n\n{TEXT}",
        f"I think so.</think>{TEXT}",
        f"<thinking>x</thinking><reasoning>{PLAIN}</reasoning>{TEXT}",
        json.dumps(TEXT),
    ],
)
def test_cases_l10_u53_reasoning_is_dropped_and_words_of_quotes_are_not(reply: str) -> None:
    assert next(iter(json_values(reply))) == VALUE


@pytest.mark.parametrize(
    ("reply", "bare"),
    [
        ("<think>a</think>b", "b"),
        ("<think>a</think><think>c</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>never closed", ""),
        ("plain", "plain"),
    ],
)
def test_case_u53_reasoning_blocks(reply: str, bare: str) -> None:
    assert without_reasoning(reply) == bare


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"```JSON {PLAIN}```",
        f"Here you are:\n\n```json\n{PLAIN}\n```\nBye [2].",
        f"As {{said}} in [1], the result is {PLAIN} and no more.",
        PLAIN.replace("[]", "[ ],"),
    ],
)
def test_case_u18_fences_and_prose(reply: str) -> None:
    assert CLAIMS.read(reply, last=False) == ([], {"claims": []})


@pytest.mark.parametrize("cut", range(2, len(TEXT) - 1, 7))
def test_case_l6_a_reply_cut_anywhere_is_never_taken_for_a_whole_one(cut: int) -> None:
    with pytest.raises(Unfit):
        CLAIMS.read(TEXT[:cut], last=True)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for shape in (CLAIMS, READING):
        try:
            shape.read(text, last=True)
        except Unfit:
            continue


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["claims", "topics", "summary", "pages", "quote", "object", "x"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_json_breaks_the_reader(value: object) -> None:
    for shape in (CLAIMS, READING):
        try:
            items, _ = shape.read(json.dumps(value), last=True)
        except Unfit:
            continue
        assert items or value == {**(value if isinstance(value, dict) else {}), "claims": []} or "claims" in str(value)


def test_only_an_empty_list_under_its_own_name_says_nothing() -> None:
    assert CLAIMS.read('{"claims": []}', last=False)[0] == []
    for reply in ('{"topics": []}', '{"topics": [], "pages": []}'):
        with pytest.raises(Unfit):
            READING.read(reply, last=True)


def test_a_flood_is_refused() -> None:
    claim = {"predicate": "likes", "object": "tea", "quote": "tea"}
    with pytest.raises(Unfit, match="too_many"):
        CLAIMS.read(json.dumps({"claims": [claim] * 201}), last=True)


def test_the_schemas_are_strict_and_name_every_field() -> None:
    for shape in (CLAIMS, READING):
        for definition in shape.schema["$defs"].values():
            if definition["type"] == "object":
                assert definition["additionalProperties"] is False
                assert definition["required"] == list(definition["properties"])
        assert not {"default", "title", "minLength"} & set(json.dumps(shape.schema).replace('"', " ").split())
