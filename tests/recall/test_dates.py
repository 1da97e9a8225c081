from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.recall import dates

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)


def weight(question: str, *day: int) -> float:
    moment = datetime(*day, 15, tzinfo=UTC)  # type: ignore[misc,arg-type]
    return dates.matcher(dates.windows(question, NOW))(int(moment.timestamp()))


@pytest.mark.parametrize(
    ("question", "day", "expected"),
    [
        ("What did I do in May 2023?", (2023, 5, 20), dates.MONTH),
        ("What did I do in May 2023?", (2023, 6, 20), dates.AFTER),
        ("What did I do in May 2023?", (2023, 7, 1), 0),
        ("What did I do in May 2023?", (2022, 5, 20), 0),
        ("in December 2023", (2024, 1, 5), dates.AFTER),
        ("On May 3rd, 2023", (2023, 5, 9), dates.DAY),
        ("On 3 May, 2023", (2023, 5, 20), dates.MONTH),
        ("on the 3rd of May", (2019, 5, 3), dates.DAY),
        ("Sept 5, 2022", (2022, 9, 5), dates.DAY),
        ("on 2023-05-08", (2023, 5, 8), dates.DAY),
        ("我在5月2日去了哪里", (2023, 5, 2), dates.DAY),
        ("我在5月6号去了哪里", (2023, 5, 25), dates.MONTH),
        ("五月二十一日", (2025, 5, 21), dates.DAY),
        ("2023年5月", (2023, 5, 30), dates.MONTH),
        ("What happened in 2022?", (2022, 8, 1), dates.YEAR),
        ("去年", (2025, 8, 1), dates.YEAR),
        ("yesterday", (2026, 3, 17), dates.DAY),
        ("What did we say last week?", (2026, 3, 10), dates.DAY),
        ("two weeks ago", (2026, 3, 4), dates.DAY),
        ("a couple of days ago", (2026, 3, 16), dates.DAY),
        ("三天前", (2026, 3, 15), dates.DAY),
        ("昨天", (2026, 3, 17), dates.DAY),
        ("last month", (2026, 2, 3), dates.DAY),
        ("31 February 2023", (2023, 2, 28), dates.DAY),
    ],
)
def test_windows(question: str, day: tuple[int, ...], expected: float) -> None:
    assert weight(question, *day) == expected


@pytest.mark.parametrize(
    "question", ["It may rain", "march on", "they march", "version 2024-13-45", "may I?", "sept", "no time at all", ""]
)
def test_questions_that_name_no_time(question: str) -> None:
    assert dates.windows(question, NOW) == ()


def test_spans_are_joined_and_in_order() -> None:
    spans = dates.spans(dates.windows("May 3, 2023 or June 2023", NOW))
    assert spans == [(datetime(2023, 4, 26, tzinfo=UTC), datetime(2023, 8, 1, tzinfo=UTC))]
    assert len(dates.spans(dates.windows("in June", NOW))) == dates.YEARS_BACK + 1


@given(st.text(alphabet="0123456789-/. 年月日号前天周the ofMayJunedgoaw", max_size=40))
def test_any_text_is_read_without_error(question: str) -> None:
    for window in dates.windows(question, NOW):
        assert window.start < window.end
        assert 0 < window.weight <= 1
