"""Markers in answers: the same whole and in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.citations import CitedText, cleaned, harmless


@pytest.mark.parametrize(
    ("written", "text", "removed", "cited"),
    [
        ("You live in Bergen [1]. Also [7].", "You live in Bergen [1]. Also.", 1, [1]),
        ("在卑尔根【1】，也许【9】。", "在卑尔根[1]，也许。", 1, [1]),
        ("Both [1, 2] and [2][1].", "Both [1][2] and [2][1].", 0, [1, 2]),
        ("One of [1; 9].", "One of [1].", 1, [1]),
        ("rows[3], `list [9]` and f(x)[4] stay.", "rows[3], `list [9]` and f(x)[4] stay.", 0, []),
        ("[see 1] [x] [ and [", "[see 1] [x] [ and [", 0, []),
        ("I don't know [0].", "I don't know.", 0, []),
        ("[8] begins", " begins", 1, []),
        ("[12345] is no marker", "[12345] is no marker", 0, []),
    ],
)
def test_markers_of_what_was_shown_stay_and_others_go(written: str, text: str, removed: int, cited: list[int]) -> None:
    checked = cleaned(written, {1, 2})
    assert (checked.text, checked.removed, checked.cited) == (text, removed, cited)
    assert checked.nothing is ("[0]" in written)


@given(st.text(alphabet="[]【】 `0123,;ab(\n", max_size=60), st.lists(st.integers(1, 5), max_size=30))
def test_an_answer_in_pieces_is_the_same_as_whole(written: str, sizes: list[int]) -> None:
    whole, pieces, at, told = cleaned(written, {1, 2}), CitedText({1, 2}), 0, ""
    for size in [*sizes, len(written)]:
        told += pieces.feed(written[at : at + size])
        at += size
    told += pieces.finish()
    assert told == pieces.text == whole.text
    assert (pieces.removed, pieces.places, pieces.nothing) == (whole.removed, whole.places, whole.nothing)


@given(st.text(alphabet="[]【】［］ 0123,、ab", max_size=40))
def test_stored_words_can_not_forge_a_marker(stored: str) -> None:
    shown = cleaned(harmless(stored), set(range(4000)))
    assert (shown.places, shown.removed, shown.nothing) == ([], 0, False)
