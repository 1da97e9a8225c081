from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.query import MAX_TERMS, Term, lucene, speakers, understand, without_names


def words(question: str) -> list[str]:
    return [term.word for term in understand(question).terms]


def test_stop_words_and_question_words_are_left_out() -> None:
    assert words("When did I go to the LGBTQ support group?") == ["go", "lgbtq", "support", "group"]


def test_a_question_of_stop_words_keeps_what_the_analyzer_keeps() -> None:
    assert words("Who are you?") == ["who", "you"]
    assert words("C++") == ["c"]


def test_the_analyzers_own_stop_words_never_stand_alone() -> None:
    query = understand("is it the one, or not")
    assert words("the of") == []
    assert not query.wordless
    assert lucene("key", understand("the of").terms) is None


@pytest.mark.parametrize("question", ["", " ", "*", "!!!", "?!", "🎉", "_ __", "()", "\u0301"])
def test_a_question_without_words_is_wordless(question: str) -> None:
    assert understand(question).wordless


def test_compounds_are_sought_in_parts_and_whole() -> None:
    assert words("ana@example.org") == ["ana", "example", "org", "example.org"]
    assert words("order ZX_4417") == ["order", "zx", "4417", "zx_4417"]
    assert lucene("k", understand("ZX_4417").terms) == '+user_key:k^0 +text:(zx 4417 "zx_4417" "zx 4417"~4^0.5)'


def test_endings_after_an_apostrophe_do_not_count() -> None:
    assert words("Ana's dog") == ["ana", "dog"]
    assert words("don't they’ll") == []


def test_at_most_64_different_terms() -> None:
    assert len(words(" ".join(f"word{n} word{n}" for n in range(2000)))) == MAX_TERMS
    assert len(max(words("x" * 20_000), key=len)) == 255


def test_chinese_is_sought_by_characters_and_pairs() -> None:
    assert words("花生") == ["花", "生", "花生"]
    assert "花生" in words("我曾经告诉过你我对花生过敏吗？")
    assert not {"曾经", "告", "我", "吗"} & set(words("我曾经告诉过你我对花生过敏吗？"))


def test_other_scripts_stay_whole() -> None:
    assert words("हिन्दी") == ["हिन्दी"]
    assert words("東京タワー") == ["東", "京", "東京", "タワー"]


def test_when_questions() -> None:
    asked = [
        "When was that?",
        "How long have I run?",
        "In which year did we move?",
        "What time is it",
        "我什么时候搬家的？",
    ]
    other = ["Who was there when it rained?", "What do I like?", "我喜欢什么？"]
    assert all(understand(q).asks_when for q in asked)
    assert not any(understand(q).asks_when for q in other)


def test_share_of_latin_letters() -> None:
    assert understand("Grüße aus Köln").latin == 1
    assert understand("我对花生过敏").latin == 0
    assert understand("42").latin == 1


def test_names_of_speakers_are_learnt_from_how_sides_begin() -> None:
    openings = ["Ana Ruiz: I moved", "Bo: really?", "Ana Ruiz: yes", "Bo: oh", "Ana Ruiz: to Oslo", "Bo: nice"]
    assert speakers(openings) == {"ana", "ruiz", "bo"}
    assert speakers(["安娜： 你好", "安娜： 是的", "安娜： 好"]) == {"安娜"}


def test_ordinary_chat_has_no_speakers() -> None:
    assert (
        speakers(["I like it: very much", "note: buy milk", "See https://example.org", "", "12:30 is fine"])
        == frozenset()
    )
    assert speakers(["Note: milk"] * 3 + ["hello"] * 60) == frozenset()


def test_names_are_left_out_unless_nothing_else_is_left() -> None:
    terms = understand("What did Ana cook?").terms
    assert without_names(terms, frozenset({"ana"})) == (Term("cook"),)
    assert without_names(understand("Ana").terms, frozenset({"ana"})) == (Term("ana"),)


CLAUSE = r"(?:\w+|\"[\w.,:'’ ]+\"(?:~4\^0\.5)?)"


@given(st.text(max_size=200))
def test_no_text_becomes_a_lucene_operator(question: str) -> None:
    text = lucene("key", understand(question).terms)
    if text is not None:
        marks = "".join(chr(c) for c in range(0x300, 0x370))
        inner = text.removeprefix("+user_key:key^0 +text:(").removesuffix(")")
        plain = re.sub(r'"[^"\\]*"(~4\^0\.5)?', " ", inner)
        assert not re.search(r'[+\-&|!(){}\[\]^"~*?:\\/]', plain.translate({ord(c): None for c in marks}))
        assert not re.search(r"\b(AND|OR|NOT|TO)\b", plain)


@given(st.text(alphabet='+-&|!(){}[]^"~*?:\\/ANDORTabc1_ \n', max_size=60))
def test_operators_are_dropped(question: str) -> None:
    text = lucene("key", understand(question).terms)
    if text is not None:
        inner = text.removeprefix("+user_key:key^0 +text:(").removesuffix(")")
        assert re.fullmatch(rf"{CLAUSE}(?: {CLAUSE})*", inner)
