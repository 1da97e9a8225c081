"""From what a model says of a batch to its reading: all pages covered, what the reply left out read by the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ..domain.page import Page
from .notes import PageNote, TopicNote
from .proposals import says_nothing
from .provider import BatchReading, Continuity, Topic
from .replies import Unfit
from .rules.continuity import continuity
from .rules.summary import LINE_LENGTH, SUMMARY_LENGTH, cut, line
from .rules.topics import topics

MAX_KEYWORDS = 10
MAX_KEYWORD = 40


def topics_of(notes: Sequence[TopicNote], numbers: Mapping[int, Page], *, last: bool) -> list[Topic]:
    """The topics about the pages shown (by number). Raises Unfit where it isn't certain what is about what.

    On the `last` try topics that can't be used are left out, if there is any other.
    """
    only = list(numbers) if len(notes) == 1 or len(numbers) == 1 else []
    found = []
    for note in notes:
        about = list(dict.fromkeys(number for number in note.pages or only if number in numbers))
        usable = not says_nothing(note.summary) and bool(note.pages or only)
        if not usable and not last:
            raise Unfit("wrong_shape", 'A topic had no "summary" or did not name its "pages".')
        if usable and about:
            found.append(_topic(note, [numbers[number] for number in about]))
    if not found:
        raise Unfit("wrong_shape", 'No topic named a page that was shown in "pages".')
    return found


def page_notes(whole: Mapping[str, Any]) -> dict[int, PageNote]:
    """What a reply says of single pages, by number; entries that can't be read count as absent."""
    found: dict[int, PageNote] = {}
    raw = whole.get("pages")
    for one in raw if isinstance(raw, list) else []:
        try:
            note = PageNote.model_validate(one)
        except ValidationError:
            continue
        if note.page is not None:
            found.setdefault(note.page, note)
    return found


def reading(
    pages: Sequence[Page], before: Mapping[str, Page], found: Sequence[Topic], notes: Mapping[int, PageNote]
) -> BatchReading:
    """The reading of a whole batch; pages that no topic is about get topics of their own words."""
    covered = {page_id for topic in found for page_id in topic.page_ids}
    left_out = [page for page in pages if page.page_id not in covered]
    by_page = {page.page_id: notes.get(number) for number, page in enumerate(pages, start=1)}
    return BatchReading(
        continuity={page.page_id: _continuity(page, before, by_page[page.page_id]) for page in pages},
        topics=(*found, *topics(left_out)) if left_out else tuple(found),
        chain_summaries={page.page_id: _line(page, by_page[page.page_id]) for page in pages},
    )


def _topic(note: TopicNote, pages: Sequence[Page]) -> Topic:
    words = [word.casefold()[:MAX_KEYWORD].strip() for word in note.keywords if not says_nothing(word)]
    return Topic(
        summary=cut(" ".join(note.summary.split()), SUMMARY_LENGTH),
        keywords=tuple(dict.fromkeys(words))[:MAX_KEYWORDS],
        page_ids=tuple(page.page_id for page in pages),
    )


def _continuity(page: Page, before: Mapping[str, Page], note: PageNote | None) -> Continuity:
    """The model's verdict scores 1 or 0: it gives no number that means anything."""
    earlier = before.get(page.page_id)
    if earlier is None or note is None or note.continues is None:
        return continuity(page, earlier)
    return Continuity(continues=note.continues, score=1.0 if note.continues else 0.0)


def _line(page: Page, note: PageNote | None) -> str:
    said = " ".join(note.summary.split()) if note else ""
    return line(page) if says_nothing(said) else cut(said, LINE_LENGTH)
