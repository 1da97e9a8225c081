"""Words, sentences and likeness of texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.text import content_words, cosine, is_cjk, jaccard, keywords, sentences
from memoryos_graph.llm import keywords as with_libraries


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live in Oslo. I have a cat!", ["I live in Oslo.", "I have a cat!"]),
        ("i live in oslo. i have a cat", ["i live in oslo.", "i have a cat"]),
        ("It costs 3.5 euros, e.g. Dr. Ho paid it.", ["It costs 3.5 euros, e.g. Dr. Ho paid it."]),
        ('He said "why?" and left.', ['He said "why?" and left.']),
        ('"Why?" He left.', ['"Why?"', "He left."]),
        ("Well... yes?! Ok", ["Well...", "yes?!", "Ok"]),
        ("a\r\nb\n\n c \u2028d", ["a", "b", "c", "d"]),
        (
            "你好！我叫李雷。“你呢？”我喜欢画画；他不喜欢",
            ["你好！", "我叫李雷。", "“你呢？”", "我喜欢画画；", "他不喜欢"],
        ),
        ("你好!我叫李雷.你呢?好", ["你好!", "我叫李雷.", "你呢?", "好"]),
        ("👋🏽 Hi! 👩‍🚀 I fly.", ["👋🏽 Hi!", "👩‍🚀 I fly."]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@given(
    st.text(alphabet=st.sampled_from("aB 我。.!?！\"'”\r\n\u2028e\u0301👩‍🚀…;3"), max_size=60) | st.text(max_size=60)
)
def test_sentences_are_ordered_trimmed_and_lose_only_white_space(text: str) -> None:
    spans = sentences(text)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())


def test_content_words_drop_stop_words_and_cut_cjk_into_bigrams() -> None:
    assert content_words("I'm in the Mountains of Norway's north") == ["mountains", "norway", "north"]
    assert content_words("我喜欢爬山") == ["喜欢", "欢爬", "爬山"]
    assert content_words("ＯＳＬＯ order ZX-4417") == ["oslo", "order", "zx", "4417"]


def test_keywords_are_ranked_by_count_then_place_one_form_a_stem() -> None:
    assert keywords("Cats and tents. A cat likes tents, cats and rain.") == ("cats", "tents", "likes", "rain")
    assert keywords("one two three four", limit=2) == ("two", "three")


def test_keywords_with_libraries_know_stems_and_chinese_words() -> None:
    assert with_libraries.keywords("Hiking! She hikes and we hiked near Oslo.") == ("hiking", "oslo")
    assert with_libraries.keywords("我很喜欢绘画、弹钢琴和品茶") == ("绘画", "弹钢琴", "品茶")
    assert with_libraries.keywords("...", 3) == ()


@given(st.text(max_size=80))
def test_keywords_are_lower_case_distinct_and_the_same_each_time(text: str) -> None:
    for function in (keywords, with_libraries.keywords):
        found = function(text)
        assert found == function(text)
        assert len(set(found)) == len(found) <= 10
        assert all(word == word.lower() for word in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我对花生过敏", True),
        ("I live in 北京市朝阳区", True),
        ("hello", False),
        ("", False),
        ("123 !?", False),
        ("こんにちは", True),
    ],
)
def test_is_cjk(text: str, expected: bool) -> None:
    assert is_cjk(text) is expected


def test_jaccard_and_cosine() -> None:
    assert jaccard(["a", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert jaccard([], []) == 0.0
    assert cosine((1.0, 0.0), (1.0, 0.0)) == pytest.approx(1.0)
    assert cosine((1.0, 0.0), (0.0, 2.0)) == 0.0
    assert cosine((), (1.0,)) == cosine((0.0, 0.0), (1.0, 1.0)) == 0.0
    with pytest.raises(ValueError, match="zip"):
        cosine((1.0,), (1.0, 2.0))
