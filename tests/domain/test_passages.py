from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.passages import rough_tokens, windows

TEXTS = st.text(alphabet="ab é\u0301\r\n😀\u200d\U0001f3fd你.", max_size=200)


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("two words", [(0, 3), (4, 9)], 2) == [(0, 9)]
    assert windows("", [], 2) == []


def test_windows_share_a_quarter() -> None:
    text = " ".join(f"w{n:02}" for n in range(20))
    tokens = [match.span() for match in re.finditer(r"\S+", text)]
    spans = windows(text, tokens, 8)
    assert [text[a:b].split()[0] for a, b in spans] == ["w00", "w06", "w12"]
    assert [text[a:b].split()[-1] for a, b in spans] == ["w07", "w13", "w19"]


@given(TEXTS, st.integers(1, 9))
def test_windows_cover_the_text_and_part_nothing_that_belongs_together(text: str, length: int) -> None:
    spans = windows(text, rough_tokens(text), length)
    assert not text or (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(start < end for start, end in spans)
    assert all(b[0] <= a[1] for a, b in pairwise(spans))
    for at in {place for span in spans for place in span} - {0, len(text)}:
        assert text[at] not in "\u0301\u200d\U0001f3fd"
        assert text[at - 1] != "\u200d"
        assert text[at - 1 : at + 1] != "\r\n"
