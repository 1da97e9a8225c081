from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.llm.moments import moment

SAID_AT = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-17", datetime(2024, 5, 17, tzinfo=UTC)),
        ("2024-05-17T12:30:00+02:00", datetime(2024, 5, 17, 10, 30, tzinfo=UTC)),
        ("2024-05-17T12:30:00Z", datetime(2024, 5, 17, 12, 30, tzinfo=UTC)),
        ("2024-05-17 12:30", datetime(2024, 5, 17, 12, 30, tzinfo=UTC)),
        ("yesterday", datetime(2026, 3, 17, tzinfo=UTC)),
        ("昨天", datetime(2026, 3, 17, tzinfo=UTC)),
        ("前天", datetime(2026, 3, 16, tzinfo=UTC)),
        ("today", datetime(2026, 3, 18, tzinfo=UTC)),
        ("tomorrow", datetime(2026, 3, 19, tzinfo=UTC)),
        ("last week", datetime(2026, 3, 9, tzinfo=UTC)),
        ("上周", datetime(2026, 3, 9, tzinfo=UTC)),
        ("上个星期", datetime(2026, 3, 9, tzinfo=UTC)),
        ("Last month", datetime(2026, 2, 1, tzinfo=UTC)),
        ("去年", datetime(2025, 1, 1, tzinfo=UTC)),
        ("last year.", datetime(2025, 1, 1, tzinfo=UTC)),
        ("three weeks ago", datetime(2026, 2, 25, tzinfo=UTC)),
        ("2 years ago", datetime(2024, 3, 18, tzinfo=UTC)),
        ("三天前", datetime(2026, 3, 15, tzinfo=UTC)),
        ("两个月前", datetime(2026, 1, 18, tzinfo=UTC)),
        ("in March 2021", datetime(2021, 3, 1, tzinfo=UTC)),
        ("March 2021", datetime(2021, 3, 1, tzinfo=UTC)),
        ("since 2019", datetime(2019, 1, 1, tzinfo=UTC)),
        ("3 May 2024", datetime(2024, 5, 3, tzinfo=UTC)),
        ("2024年5月3日", datetime(2024, 5, 3, tzinfo=UTC)),
    ],
)
def test_dates_of_any_precision_and_words_of_time(text: str, at: datetime) -> None:
    assert moment(text, SAID_AT) == at


@pytest.mark.parametrize(
    "text",
    ["", "none", "soon", "2024-13", "2024-02-30", "0000", "9999", "9999-12-31T23:59:59-12:00", "tomorrow's"],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert moment(text, SAID_AT) is None


@pytest.fixture(params=["Pacific/Midway", "Pacific/Kiritimati"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.delenv("TZ")
    if zone := os.environ.get("TZ"):
        monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
def test_case_d6_the_zone_of_the_machine_and_of_the_time_given_change_nothing() -> None:
    local = SAID_AT.astimezone(timezone(timedelta(hours=14)))
    assert moment("yesterday", local) == moment("yesterday", SAID_AT) == datetime(2026, 3, 17, tzinfo=UTC)
    assert moment("2024-05", local) == datetime(2024, 5, 1, tzinfo=UTC)


@given(st.text(max_size=30), st.datetimes(timezones=st.just(UTC), min_value=datetime(1000, 1, 1)))
def test_no_text_breaks_it(text: str, said_at: datetime) -> None:
    found = moment(text, said_at)
    assert found is None or 1000 <= found.year <= 8999
