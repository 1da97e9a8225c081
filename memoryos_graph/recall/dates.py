"""The times a question names, as windows with a weight. No I/O; times are UTC.

A window adds to a page's score and never filters: people also speak of a day before and after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# Weights of retrieval.md 2: the named month, a page within a week of a named day, the month after.
MONTH = 0.6
DAY = 1.0
AFTER = 0.3
YEAR = 0.3
WEEK = timedelta(days=7)
YEARS_BACK = 25  # how far back a month without a year is looked for

_NAMES = "january february march april may june july august september october november december"
_MONTHS = _NAMES.split()
_SHORT = {name[:3]: i for i, name in enumerate(_MONTHS, 1) if name != "may"} | {"sept": 9}
_NUMBER_OF = {name: i for i, name in enumerate(_MONTHS, 1)} | _SHORT
_ANY_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_DAY = r"(?P<{0}>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_ENGLISH = re.compile(
    rf"\b(?:{_DAY.format('before')}\s+(?:of\s+)?)?(?P<month>{_ANY_MONTH})\b\.?(?:\s+(?:the\s+)?{_DAY.format('after')}\b(?!\d))?"
    r"(?:\s*,?\s*(?:of\s+)?(?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>[12]\d|3[01]|0?[1-9]))?\b")
_CHINESE = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
    r"(?:(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])[日号])?"
)
_YEAR = re.compile(r"(?<![\d-])((?:19|20)\d\d)(?![\d-])")
# "may" and "march" are months only where something says so.
_BEFORE_MONTH = re.compile(
    r"(in|of|on|since|during|until|by|before|after|last|this|\d(st|nd|rd|th)?)\s*$", re.IGNORECASE
)

_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "日": 1, "周": 7, "星期": 7, "个月": 30, "年": 365}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}
_COUNTS |= {c: i for i, c in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "几": 3}
_AGO = re.compile(
    r"\b(?P<n>\d{1,3}|an?|one|two|three|four|five|six|(?:a )?couple of|(?:a )?few) "
    r"(?P<unit>day|week|month|year)s? ago\b"
    r"|(?P<zh_n>\d{1,3}|[一二三四五六七八九十两几])(?P<zh_unit>天|周|星期|个月|年)(?:之)?前",
    re.IGNORECASE,
)
# Phrase → first and last day, counted back from today; a wide margin, since people are not exact.
_RELATIVE: Sequence[tuple[re.Pattern[str], int, int]] = tuple(
    (re.compile(pattern, re.IGNORECASE), first, last)
    for pattern, first, last in (
        (r"\b(today|tonight|this (morning|afternoon|evening))\b|今[天早晚]", 0, 0),
        (r"\b(yesterday|last night)\b|昨[天晚]", 1, 1),
        (r"\bthe day before yesterday\b|前天", 2, 2),
        (r"\bthis week\b|这周|本周|这个?星期", 6, 0),
        (r"\blast (week|weekend)\b|上个?(周|星期)", 13, 1),
        (r"\b(past|recent) (few )?days\b|这几天|前几天", 5, 0),
        (r"\bthis month\b|这个月|本月", 31, 0),
        (r"\b(last|past) month\b|上个?月", 61, 1),
    )
)
_YEARS_AGO = (
    (re.compile(r"\blast year\b|去年", re.IGNORECASE), 1),
    (re.compile(r"\bthis year\b|今年", re.IGNORECASE), 0),
    (re.compile("前年"), 2),
)


@dataclass(frozen=True)
class Window:
    """A stretch of time, end excluded, and how much it speaks for a page of it (0 to 1)."""

    start: datetime
    end: datetime
    weight: float


def windows(question: str, now: datetime) -> tuple[Window, ...]:
    """All windows that a question names, in English or Chinese; empty when it names none."""
    found = list(_named_months(question, now))
    if not found:
        found = list(_years(question, now))
    return (*found, *_relative(question, now))


def matcher(named: Sequence[Window]) -> Callable[[int], float]:
    """How well a moment fits (seconds since 1970): the best weight of the windows it lies in, 0 outside of all."""
    stretches = [(w.start.timestamp(), w.end.timestamp(), w.weight) for w in named]
    return lambda at: max((weight for start, end, weight in stretches if start <= at < end), default=0.0)


def spans(named: Sequence[Window]) -> list[tuple[datetime, datetime]]:
    """The windows as few stretches without overlap, oldest first, for one range query each."""
    joined: list[tuple[datetime, datetime]] = []
    for window in sorted(named, key=lambda w: w.start):
        if joined and window.start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], window.end)
        else:
            joined.append((window.start, window.end))
    return joined


def _named_months(question: str, now: datetime) -> Iterator[Window]:
    loose_years = [int(y) for y in _YEAR.findall(question)]
    for year, month, day in _dates(question):
        years = [year] if year else loose_years or range(now.year - YEARS_BACK, now.year + 1)
        for y in years:
            yield from _month(y, month, day)


def _month(year: int, month: int, day: int | None) -> Iterator[Window]:
    start, after = datetime(year, month, 1, tzinfo=UTC), _next_month(year, month)
    yield Window(start, after, MONTH)
    if day is None:
        yield Window(after, _next_month(after.year, after.month), AFTER)
        return
    middle = min(start + timedelta(days=day - 1), after - timedelta(days=1))
    yield Window(middle - WEEK, middle + WEEK + timedelta(days=1), DAY)


def _dates(question: str) -> Iterator[tuple[int | None, int, int | None]]:
    """Year, month and day of each date that names a month."""
    for found in _ENGLISH.finditer(question):
        day = found["before"] or found["after"]
        name = found["month"].lower()
        said = day or found["year"]
        if name in ("may", "march", "mar") and not (said or _BEFORE_MONTH.search(question[: found.start()])):
            continue
        if name in _SHORT and not (said or found["month"][0].isupper()):
            continue
        yield _number(found["year"]), _NUMBER_OF[name], _number(day)
    for pattern in (_ISO, _CHINESE):
        for found in pattern.finditer(question):
            yield _number(found["year"]), _number(found["month"]) or 1, _number(found["day"])


def _years(question: str, now: datetime) -> Iterator[Window]:
    for text in _YEAR.findall(question):
        yield _year(int(text))
    for pattern, back in _YEARS_AGO:
        if pattern.search(question):
            yield _year(now.year - back)


def _year(year: int) -> Window:
    return Window(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC), YEAR)


def _relative(question: str, now: datetime) -> Iterator[Window]:
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for pattern, first, last in _RELATIVE:
        if pattern.search(question):
            spare = 1 if first == last else 0  # the day may be another one where the user lives
            yield Window(today - timedelta(days=first + spare), today - timedelta(days=last - 1 - spare), DAY)
    for found in _AGO.finditer(question):
        count = (found["n"] or found["zh_n"]).lower().removeprefix("a ")
        unit = _UNITS[(found["unit"] or found["zh_unit"]).lower()]
        n = int(count) if count.isdigit() else _COUNTS[count]
        middle, margin = today - timedelta(days=n * unit), timedelta(days=(unit + 1) // 2)
        yield Window(middle - margin, middle + margin + timedelta(days=1), DAY)


def _next_month(year: int, month: int) -> datetime:
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if text.isdigit():
        return int(text)
    tens, _, ones = text.rpartition("十")
    if "十" not in text:
        return _COUNTS[text]
    return 10 * (_COUNTS[tens] if tens else 1) + (_COUNTS[ones] if ones else 0)
