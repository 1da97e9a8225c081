"""Times in replies: ISO dates of any precision, and words that are reckoned from the time of the page, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from .rules.dates import day_at, start_after

_ISO = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
_LAST_WEEK = re.compile(r"last week|上个?(?:周|星期)", re.IGNORECASE)
_TOMORROW = re.compile(r"tomorrow|明天", re.IGNORECASE)
_DAYS_BACK = {"昨天": 1, "前天": 2, "the day before yesterday": 2}
_AGO = re.compile(
    r"(?:about |some )?(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|[一两二三四五六七八九十])\s?"
    r"个?(?P<unit>days?|weeks?|months?|years?|天|周|星期|月|年)\s?(?:ago|以?前)",
    re.IGNORECASE,
)
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    **{char: n for n, char in enumerate("一二三四五六七八九十", start=1)},
    "两": 2,
}
_EARLIEST, _LATEST = 1000, 8999


def moment(text: str, said_at: datetime) -> datetime | None:
    """The start of the day, month or year that a text names, or the moment of an RFC 3339 time; None for anything else.

    Always UTC, whatever the zone of this machine (case D6). Words are reckoned from `said_at`.
    """
    text = text.strip().rstrip(".")
    said_at = said_at.astimezone(UTC)
    try:
        found = _iso(text) or _of_words(text, said_at)
    except (ValueError, OverflowError):
        return None
    return found if found is not None and _EARLIEST <= found.year <= _LATEST else None


def _iso(text: str) -> datetime | None:
    if match := _ISO.fullmatch(text):
        return datetime(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1), tzinfo=UTC)
    if not re.match(r"\d{4}-\d\d-\d\d[Tt ]\d\d", text):
        return None
    at = datetime.fromisoformat(text.upper())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def _of_words(text: str, said_at: datetime) -> datetime | None:
    today = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    words = text.casefold()
    if words in _DAYS_BACK:
        return today - timedelta(days=_DAYS_BACK[words])
    if _LAST_WEEK.fullmatch(words):
        return today - timedelta(days=today.weekday() + 7)
    if _TOMORROW.fullmatch(words):
        return today + timedelta(days=1)
    if match := _AGO.fullmatch(words):
        return _back(today, _NUMBERS.get(match["n"]) or int(match["n"]), match["unit"])
    if (day := day_at(text)) and day[1] == len(text) and day[0].year:
        return datetime(day[0].year, day[0].month, day[0].day, tzinfo=UTC)
    for form in (text, f"in {text}"):
        if (began := start_after(form, said_at)) and began[1] == len(form):
            return began[0]
    return None


def _back(today: datetime, n: int, unit: str) -> datetime:
    if unit.startswith("day") or unit == "天":
        return today - timedelta(days=n)
    if unit.startswith("week") or unit in ("周", "星期"):
        return today - timedelta(weeks=n)
    months = n * 12 if unit.startswith("year") or unit == "年" else n
    year, month = divmod(today.year * 12 + today.month - 1 - months, 12)
    return datetime(year, month + 1, min(today.day, 28), tzinfo=UTC)
