"""Dates that sentences name so plainly that they can be resolved against the day they were said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b(?:\.(?=\s))?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d{2})\b"

_DAY_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"(?:the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?",
        r"(?P<year>(?:19|20)\d{2})-(?P<month>\d{2})-(?P<day>\d{2})\b",
        r"(?:(?P<year>(?:19|20)\d{2}) ?年 ?)?(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?[日号]?",
    )
)
_START = re.compile(
    rf"\b(?:since|in|on|from|back in)\s+(?:{_MONTH}(?:\s+of)?(?:,?\s+{_YEAR})?(?!\s*\d)|(?P<only_year>(?:19"
    rf"|20)\d{{2}})\b)"
    r"|(?P<zh_year>(?:19|20)\d{2}) ?年(?: ?(?P<zh_month>\d{1,2}) ?月)?"
    r"|(?P<relative>\b(?:last|this) (?:month|year)\b|\byesterday\b|\btoday\b|昨天|今天|去年|今年|前年|上个?月|这个?月)"
    r"(?: ?(?P<of_month>\d{1,2}) ?月)?",
    re.IGNORECASE,
)


_BEGINS = re.compile(rf"\s*,?\s*(?:back )?(?:{_START.pattern})", re.IGNORECASE)


@dataclass(frozen=True)
class Day:
    """A day of the year, with the year where it is said."""

    month: int
    day: int
    year: int | None = None

    @property
    def text(self) -> str:
        """YYYY-MM-DD, or MM-DD."""
        day = f"{self.month:02}-{self.day:02}"
        return f"{self.year}-{day}" if self.year else day

    @property
    def english(self) -> str:
        """As in "3 May 1990"."""
        month = next(name for name, number in MONTHS.items() if number == self.month)
        return f"{self.day} {month.title()}" + (f" {self.year}" if self.year else "")

    @property
    def chinese(self) -> str:
        """As in "1990年5月3日"."""
        return (f"{self.year}年" if self.year else "") + f"{self.month}月{self.day}日"


def day_at(text: str) -> tuple[Day, int] | None:
    """The day a text begins with, and where it ends; None for days that no calendar has."""
    for form in _DAY_FORMS:
        if match := form.match(text):
            groups = match.groupdict()
            month = MONTHS.get(groups["month"].lower(), 0) or int(groups["month"])
            year = int(groups["year"]) if groups["year"] else None
            if _exists(year or 2000, month, int(groups["day"])):
                return Day(month, int(groups["day"]), year), match.end()
    return None


def start_after(text: str, said_at: datetime) -> tuple[datetime, int] | None:
    """When something began by the words a text begins with ("since March 2021"), and where they end, or None.

    The start of the day, month or year named. A month without a year is the last one that had begun; never the future.
    """
    match = _BEGINS.match(text)
    began = _began(match, said_at) if match else None
    return (began, match.end()) if match and began else None


def start_before(text: str, said_at: datetime) -> tuple[datetime, int] | None:
    """The same for the words a text ends with ("Last month"), and where they begin."""
    for match in _START.finditer(text):
        began = _began(match, said_at) if not text[match.end() :].strip(" ,我I") else None
        if began:
            return began, match.start()
    return None


def _began(match: re.Match[str], said_at: datetime) -> datetime | None:
    if match["relative"]:
        began = _relative(match["relative"].lower(), match["of_month"], said_at)
    else:
        year, month = _year_month(match, said_at)
        began = _midnight(year, month) if 1 <= month <= 12 else None
    return began if began is not None and began <= said_at else None


def _year_month(match: re.Match[str], said_at: datetime) -> tuple[int, int]:
    if match["zh_year"]:
        return int(match["zh_year"]), int(match["zh_month"] or 1)
    if match["only_year"]:
        return int(match["only_year"]), 1
    month = MONTHS[match["month"].lower()]
    if match["year"]:
        return int(match["year"]), month
    return said_at.year - (month > said_at.month), month


def _relative(words: str, month: str | None, said_at: datetime) -> datetime | None:
    day = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    first = day.replace(day=1)
    if words in ("last year", "去年", "this year", "今年", "前年"):
        back = {"last year": 1, "去年": 1, "前年": 2}.get(words, 0)
        number = int(month) if month else 1
        return _midnight(said_at.year - back, number) if 1 <= number <= 12 and said_at.year > back else None
    if words in ("last month", "上个月", "上月"):
        return _first_of_month_before(first)
    if words in ("this month", "这个月", "这月"):
        return first
    return day - timedelta(days=1) if words in ("yesterday", "昨天") and day.year > 1 else day


def _first_of_month_before(first: datetime) -> datetime | None:
    return (first - timedelta(days=1)).replace(day=1) if first.year > 1 else None


def _midnight(year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return False
    return True
