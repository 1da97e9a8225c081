"""Quotes are found by an index map from normalised to stored text, what is found are offsets into the stored one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.quotes import QuoteIndex, normalised

PIECES = st.sampled_from(
    [
        "I moved",
        " ",
        "  ",
        "\r\n",
        "\xa0",
        "to",
        "Bergen",
        "。",
        "我住在",
        "上海",
        "é",
        "é",
        "Å",
        "ﬁ",
        "№",
        "”",
        "“",
        "’",
        "-",
        "—",
        "👩\u200d💻",
        "❤️",
        "🇳🇴",
        "👍🏽",
        "ß",
        "İ",
        "Ǆ",
        "한국",
        "한",
        "नि",
        ".",
        "x",
        "7",
        "¨",
    ]
)
JOINING = "\u200d🏻🏼🏽🏾🏿"  # what belongs to the character before it
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=60))


def _retyped(text: str, how: int) -> str:
    """The text as a model may copy it."""
    if how & 1:
        text = unicodedata.normalize("NFC", text)
    if how & 2:
        text = unicodedata.normalize("NFD", text)
    if how & 4:
        text = "".join(char.swapcase() if char.isascii() else char for char in text)
    if how & 8:
        text = text.replace("\r\n", "\n").replace("\u00a0", " ")
    if how & 16:
        text = text.translate(str.maketrans("“”’—", '""\'-'))
    return text


@given(TEXTS, st.integers(0, 31))
def test_a_whole_text_is_found_however_it_is_retyped(text: str, how: int) -> None:
    found = QuoteIndex(text).find(_retyped(text, how))
    if normalised(text).strip():
        assert found is not None
        assert normalised(text[slice(*found)]).strip() == normalised(text).strip()
    else:
        assert found is None


@given(TEXTS, TEXTS, TEXTS, st.integers(0, 31))
def test_a_part_between_spaces_is_found_where_it_stands(before: str, part: str, after: str, how: int) -> None:
    text = f"{before} {part} {after}"
    found = QuoteIndex(text).find(_retyped(part, how))
    wanted = normalised(part).strip()
    if wanted and wanted[0] not in JOINING and not unicodedata.category(wanted[0]).startswith("M"):
        assert found is not None
        assert wanted in normalised(text[slice(*found)])


@given(TEXTS, TEXTS)
def test_what_is_found_equals_the_quote_but_for_its_form(text: str, quote: str) -> None:
    found = QuoteIndex(text).find(quote)
    if found is not None:
        start, end = found
        assert 0 <= start < end <= len(text)
        assert normalised(text[start:end]).strip() in normalised(quote)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("I  moved\r\nto Bergen.", "i moved to bergen", "I  moved\r\nto Bergen"),
        ("She said “I’m off”.", '"I\'m off"', "“I’m off”"),
        ("Ich wohne in Ko\u0308ln.", "Köln", "Ko\u0308ln"),
        ("Ich wohne in Köln.", "Ko\u0308ln", "Köln"),
        ("Love ❤\ufe0f it", "love ❤", "Love ❤\ufe0f"),
        ("a 👩\u200d💻 b", "👩\u200d💻", "👩\u200d💻"),
        ("𝒳 I am 30.", "i am 30", "I am 30"),
        ("我住在上海，喜欢爬山。", "住在上海,喜欢", "住在上海，喜欢"),
        ("ＡＢＣ１２３", "abc123", "ＡＢＣ１２３"),
        ("I moved to Bergen.", '"I moved to Bergen..."', "I moved to Bergen"),
        ("I moved to Bergen.", "**moved to Bergen**", "moved to Bergen"),
        ("the art of art", "art", "art"),
        ("oslo or Oslo", "Oslo", "Oslo"),
    ],
)
def test_forms_that_models_change_are_found(text: str, quote: str, found: str) -> None:
    span = QuoteIndex(text).find(quote)
    assert span is not None
    assert text[slice(*span)] == found


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I started in 2024.", "art"),
        ("I started in 2024.", "20"),
        ("cafe\u0301 au lait", "cafe"),
        ("a 👩\u200d💻 b", "👩"),
        ("👍🏽", "👍"),
        ("ﬁne", "f"),
        ("I moved to Bergen.", "I moved to Oslo"),
        ("I moved to Bergen.", ""),
        ("I moved to Bergen.", " … "),
        ("", "x"),
    ],
)
def test_parts_of_words_and_characters_are_no_quotes(text: str, quote: str) -> None:
    assert QuoteIndex(text).find(quote) is None


def test_the_occurrence_with_the_same_letters_goes_first() -> None:
    assert QuoteIndex("bergen, Bergen").find("Bergen") == (8, 14)


def test_marks_without_end_cost_no_time() -> None:
    text = "a" + "\u0301\u0323" * 50_000 + " I moved."
    span = QuoteIndex(text).find("I moved")
    assert span is not None
    assert text[slice(*span)] == "I moved"
