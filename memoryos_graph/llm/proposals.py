"""From what a model proposed to claims: each quote looked up where it is said to stand, empty values left out.

A quote that isn't there stays as the model wrote it, at 0 to 0: promotion rejects and counts it (cases P2, L15).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from ..domain.claim import Claim, FactKind, Quote, Sensitivity, Stance
from ..domain.page import Page, Side
from ..domain.predicates import PREDICATES
from ..domain.quotes import QuoteIndex
from .moments import moment
from .notes import ClaimNote, QuoteNote

MAX_QUOTE = 1000
MAX_TEXT = 500
MAX_OBJECT = 300
MAX_PREDICATE = 60
MAX_REASON = 300
MAX_MORE = 20
# A quote this short stands on many pages by chance, so that it is looked for on the page named only.
_TELLING_LENGTH = 8
_ABOUT_ASSISTANT = frozenset({FactKind.ASSISTANT_KNOWLEDGE, FactKind.ASSISTANT_TRAIT})
_NOTHING = frozenset(
    """none|n/a|na|nil|null|nothing|undefined|unknown|unspecified|tbd|not applicable|not available|not mentioned
    |not stated|not specified|not provided|none mentioned|none found|no information|no data|user profile|user traits
    |private data|user private data|user knowledge|assistant knowledge|assistant traits|profile|knowledge|traits
    |facts|claims
    |无|没有|未知|不详|暂无|未提及|无信息|不适用|用户画像|用户资料""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_MARKUP = re.compile(r"^[\s*#>_\-•–—'\"`\[(【]+|[\s*#_.。:：'\"`\])】]+$")
_HEADING = re.compile(r"#{1,6}\s.*|\*\*[^*]+\*\*:?|【[^】]+】:?|={2,}.*|-{3,}.*")


def claims_of(notes: Iterable[ClaimNote], pages: Sequence[Page]) -> tuple[Claim, ...]:
    """Claims in the order of the reply, each once; pages are numbered from 1 in their order."""
    places = _Places(pages)
    found: dict[tuple[object, ...], Claim] = {}
    for note in notes:
        claim = _claim(note, places)
        if claim is not None:
            key = (claim.page_id, claim.side, claim.start, claim.quote, claim.predicate, claim.object.casefold())
            found.setdefault(key, claim)
    return tuple(found.values())


def says_nothing(text: str) -> bool:
    """Whether a value is none: empty, "N/A", "* None.", a heading. Source: case U27."""
    bare = _MARKUP.sub("", text.strip()).casefold()
    return not bare or bare in _NOTHING or _HEADING.fullmatch(text.strip()) is not None


def _claim(note: ClaimNote, places: _Places) -> Claim | None:
    predicate = re.sub(r"[^\w]+", "_", note.predicate.casefold()).strip("_")[:MAX_PREDICATE]
    text = note.text or note.quote
    if says_nothing(note.predicate) or not predicate or says_nothing(note.object) or says_nothing(text):
        return None
    kind = _kind(note, predicate)
    quote = places.quote(note)
    said_at = places.time_of(quote.page_id)
    valid_from, valid_to = (moment(text, said_at) if said_at else None for text in (note.valid_from, note.valid_to))
    known = PREDICATES.get(predicate)
    sensitivity = known.sensitivity if known else Sensitivity.NONE
    return Claim(
        page_id=quote.page_id,
        side=quote.side,
        quote=quote.text,
        start=quote.start,
        end=quote.end,
        kind=kind,
        subject=_subject(note, kind),
        predicate=predicate,
        object=note.object.lower() if kind is FactKind.TRAIT else note.object[:MAX_OBJECT],
        text=text[:MAX_TEXT],
        confidence=note.confidence,
        valid_from=valid_from,
        valid_to=None if valid_from and valid_to and valid_to < valid_from else valid_to,
        sensitivity=note.sensitivity or Sensitivity.NONE if sensitivity is Sensitivity.NONE else sensitivity,
        stance=note.stance or Stance.STATES,
        replaces=None if says_nothing(note.replaces) else note.replaces[:MAX_OBJECT],
        more=tuple(places.quote(one) for one in note.more[:MAX_MORE] if one.quote),
        reason=note.reason[:MAX_REASON],
    )


def _subject(note: ClaimNote, kind: FactKind) -> str:
    """Facts about the environment name their thing; all others are about the user or the assistant."""
    if kind is FactKind.ENVIRONMENT:
        return note.subject[:MAX_OBJECT] or "environment"
    return "assistant" if kind in _ABOUT_ASSISTANT else "user"


def _kind(note: ClaimNote, predicate: str) -> FactKind:
    """The kind, by the table where it knows better: what a predicate about the user is, no model decides."""
    known = PREDICATES.get(predicate)
    if note.kind in (None, FactKind.PROFILE, FactKind.KNOWLEDGE):
        return known.kind if known else FactKind.KNOWLEDGE
    assert note.kind is not None
    return note.kind


class _Places:
    """Where quotes stand on the pages shown; each side is made ready once."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._indexes: dict[tuple[str, Side], QuoteIndex] = {}
        self._times: Mapping[str, Page] = {page.page_id: page for page in pages}

    def time_of(self, page_id: str) -> datetime | None:
        page = self._times.get(page_id)
        return page.event_time if page else None

    def quote(self, note: QuoteNote) -> Quote:
        """The stored words that a note quotes, or the note's own words at 0 to 0.

        Who really said it counts, not whom the model names. On other pages it is looked for only when it is long
        enough to be no accident.
        """
        named = self._pages[note.page - 1] if note.page and 1 <= note.page <= len(self._pages) else None
        words = note.quote[:MAX_QUOTE]
        for page, side in self._order(named, note.speaker, everywhere=len(words) >= _TELLING_LENGTH):
            if found := self._index(page, side).find(words):
                start, end = found
                return Quote(page.page_id, side, start, end, page.side(side)[start:end])
        return Quote(named.page_id if named else "", note.speaker or Side.USER, 0, 0, words)

    def _order(self, named: Page | None, speaker: Side | None, *, everywhere: bool) -> Iterator[tuple[Page, Side]]:
        sides = sorted(Side, key=lambda side: side is not speaker)
        if named is not None:
            yield from ((named, side) for side in sides)
        if everywhere:
            others = [page for page in self._pages if page is not named]
            yield from ((page, side) for side in sides for page in others)

    def _index(self, page: Page, side: Side) -> QuoteIndex:
        key = (page.page_id, side)
        if key not in self._indexes:
            self._indexes[key] = QuoteIndex(page.side(side))
        return self._indexes[key]
