"""The LoCoMo file (snap-research/locomo, CC BY-NC 4.0; not part of this package): long conversations with questions.

A page is one or two consecutive turns of one session, with the speakers' names and the captions of images in the text.
Every page has the time of its session; session times are local text without a zone and are taken as UTC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ...contract import TurnIn
from ...errors import InvalidInput
from .reading import checked, json_of, text_of

PageTurns = Literal[1, 2]
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"session_(\d+)_date_time")
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_TIME_FORMAT = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class Utterance:
    """One turn of the file: what one speaker said in one session. `dia_id` is the name that evidence uses."""

    dia_id: str
    speaker: str
    text: str
    session: int
    at: datetime


@dataclass(frozen=True)
class Question:
    """A question with the turns that answer it, as far as they exist. `number` is its place in the file, from 1."""

    text: str
    category: str
    evidence: frozenset[str]
    number: int
    answer: str | None


@dataclass(frozen=True)
class Conversation:
    """One conversation of the file. `traps` names what was passed over or mended, and where."""

    id: str
    first_speaker: str
    utterances: tuple[Utterance, ...]
    questions: tuple[Question, ...]
    traps: Mapping[str, Sequence[str]]

    def pages(self, page_turns: PageTurns = 2) -> list[TurnIn]:
        """The turns to store, in order; their ids name the conversation and the utterances in them (`dia_ids_of`)."""
        return [self._page(group) for group in _groups(self.utterances, page_turns)]

    def _page(self, group: Sequence[Utterance]) -> TurnIn:
        sides = [f"{said.speaker}: {said.text}" for said in group]
        if len(sides) == 1:  # alone, it stands on its speaker's side
            sides = [sides[0], ""] if group[0].speaker == self.first_speaker else ["", sides[0]]
        return TurnIn(
            user_input=sides[0],
            assistant_response=sides[1],
            id=f"{self.id}/{'+'.join(said.dia_id for said in group)}",
            conversation_id=self.id,
            event_time=group[0].at,
            metadata={"session": group[0].session},
        )


def dia_ids_of(external_id: str) -> list[str]:
    """The utterances in a page, from the id it was stored under."""
    return external_id.rpartition("/")[2].split("+")


def is_locomo(content: Any) -> bool:
    """Whether a parsed JSON file has the shape of LoCoMo."""
    return isinstance(content, list) and bool(content) and isinstance(content[0], dict) and "conversation" in content[0]


def conversations(path: Path, only: Sequence[str] | None = None) -> Iterator[Conversation]:
    """The conversations of a file in its order, or those with the given ids.

    Raises InvalidInput that names the conversation's number and the field, or the id that is not there.
    """
    content = json_of(path)
    if not is_locomo(content):
        raise InvalidInput(
            "path", "the file is not a LoCoMo file: a JSON list of objects with `conversation` is expected"
        )
    ids = [text_of(item, "sample_id", f"item {n}") for n, item in enumerate(content, 1)]
    if missing := sorted(set(only or ()) - set(ids)):
        raise InvalidInput("conversations", f"{len(missing)} of the conversations asked for are not in the file")
    for n, (id, item) in enumerate(zip(ids, content, strict=True), 1):
        if only is None or id in only:
            yield _conversation(id, item, f"item {n}")


def turns(path: Path, only: Sequence[str] | None, page_turns: PageTurns) -> Iterator[TurnIn]:
    """All pages of the file's conversations, or of the given ones."""
    for conversation in conversations(path, only):
        yield from conversation.pages(page_turns)


def _conversation(id: str, item: dict[str, Any], where: str) -> Conversation:
    parts = checked(item, "conversation", dict, where)
    utterances = tuple(_utterances(parts, where))
    traps: dict[str, list[str]] = {}
    with_date = {int(match[1]) for key in parts if (match := _DATE.fullmatch(key))}
    for number in sorted(with_date - {said.session for said in utterances}):
        traps.setdefault("date without a session", []).append(f"session_{number}")
    questions = tuple(_questions(item.get("qa"), {said.dia_id for said in utterances}, traps))
    return Conversation(id, text_of(parts, "speaker_a", where), utterances, questions, traps)


def _utterances(parts: dict[str, Any], where: str) -> Iterator[Utterance]:
    """All turns by session number; dates without a session (conv-26 has 16) are passed over."""
    numbers = sorted(int(match[1]) for key in parts if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        at = _time(text_of(parts, f"session_{number}_date_time", where), number, where)
        for n, turn in enumerate(checked(parts, f"session_{number}", list, where), 1):
            place = f"{where}, session_{number}, turn {n}"
            if not isinstance(turn, dict):
                raise InvalidInput("turn", f"{place}: not an object")
            caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Utterance(
                dia_id=text_of(turn, "dia_id", place),
                speaker=text_of(turn, "speaker", place),
                text=text_of(turn, "text", place) + caption,
                session=number,
                at=at,
            )


def _time(text: str, session: int, where: str) -> datetime:
    try:
        return datetime.strptime(text, _TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        field = f"session_{session}_date_time"
        raise InvalidInput(field, f"{where}: {field} is not like '1:56 pm on 8 May, 2023'") from None


def _questions(qas: Any, known: set[str], traps: dict[str, list[str]]) -> Iterator[Question]:
    """Those that count: at least one evidence id exists. Evidence strings hold several ids, or broken ones.

    A question that stands there twice is asked twice, as in the published figures.
    """
    seen: set[str] = set()
    for number, qa in enumerate(qas or [], 1):

        def note(trap: str, place: str = f"question {number}") -> None:
            traps.setdefault(trap, []).append(place)

        if not isinstance(qa, dict) or not isinstance(qa.get("question"), str):
            note("question without text, skipped")
            continue
        evidence = _evidence(qa.get("evidence"), known, note)
        if not evidence:
            note("question without evidence, skipped")
            continue
        if qa["question"] in seen:
            note("question repeated, kept")
        seen.add(qa["question"])
        category = CATEGORIES.get(qa.get("category", 0), "other")
        answer = None if category == "adversarial" or qa.get("answer") is None else str(qa["answer"])
        if answer is None and category != "adversarial":
            note("question without an answer, kept for recall")
        yield Question(qa["question"], category, evidence, number, answer)


def _evidence(given: Any, known: set[str], note: Callable[[str], None]) -> frozenset[str]:
    """The ids in the evidence strings that name an utterance; what is broken is noted once a question."""
    said = given if isinstance(given, list) else [given]
    if any(not isinstance(text, str) or not _EVIDENCE.fullmatch(text) for text in said):
        note("evidence malformed, ids in it read")
    named = {f"D{int(a)}:{int(b)}" for a, b in _EVIDENCE.findall(json.dumps(given))}
    if named - known:
        note("evidence that does not exist, left out")
    return frozenset(named & known)


def _groups(utterances: Sequence[Utterance], size: int) -> Iterator[Sequence[Utterance]]:
    """Consecutive utterances, at most `size`, never across sessions."""
    start = 0
    while start < len(utterances):
        end = start + 1
        while end < min(start + size, len(utterances)) and utterances[end].session == utterances[start].session:
            end += 1
        yield utterances[start:end]
        start = end
