"""From the words of a decision to a claim: no model is asked, the offline rules read what they can."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from ..domain.claim import Claim, FactKind, Level, Sensitivity
from ..domain.page import Page, Side
from ..domain.predicates import NOTED, PREDICATES, touched_predicates
from ..domain.text import is_cjk
from ..errors import InvalidInput
from ..llm.rules.claims import SUBJECT, claims
from ..store.connection import Row

_CONFIDENCE = 0.95
_TRAITS = (FactKind.TRAIT, FactKind.ASSISTANT_TRAIT)
_READ = (FactKind.PROFILE, FactKind.KNOWLEDGE)


@dataclass(frozen=True)
class Words:
    """What the user's side of the page says, and the page that it will be."""

    page_id: str
    at: datetime
    text: str


def corrected(fact: Row, words: Words, object: str | None, valid_from: datetime | None) -> Claim:
    """The claim of a correction or change of a fact: its predicate, and the object that the words give.

    The object is the one given; else what the rules read of the same predicate; else the words without what they share
    with the fact's own; else the words. Raises InvalidInput for a trait without a level.
    """
    read = _read(words, set(touched_predicates([fact["predicate"]]))) if _readable(fact) and object is None else None
    if read is not None:
        return _claim(fact, words, read.object, read.text, valid_from or read.valid_from, read.predicate, read)
    found = object.strip() if object else _without_stem(fact, words.text)
    if FactKind(fact["kind"]) in _TRAITS:
        found = _level(found)
    return _claim(fact, words, found, words.text.strip(), valid_from)


def same(fact: Row, words: Words) -> Claim:
    """The claim of the fact itself, for a decision that takes or keeps it as it is."""
    return _claim(fact, words, fact["object"], fact["text"], None)


def stated(words: Words, predicate: str | None, object: str | None, valid_from: datetime | None) -> Claim:
    """The claim of a fact stated by hand; see contract.StateRequest."""
    read = _read(words, {predicate} if predicate else set(PREDICATES)) if object is None else None
    name = predicate or (read.predicate if read else NOTED)
    known = PREDICATES.get(name)
    fact = {
        "kind": known.kind if known else FactKind.KNOWLEDGE,
        "subject": SUBJECT,
        "predicate": name,
        "sensitivity": known.sensitivity if known else Sensitivity.NONE,
    }
    if read is not None:
        return _claim(fact, words, read.object, read.text, valid_from or read.valid_from, read.predicate, read)
    return _claim(fact, words, (object or words.text).strip(), words.text.strip(), valid_from)


def text_with(fact: Row, object: str) -> str:
    """The words of a fact with another object, for a correction that gives only that."""
    old, text = str(fact["object"]), str(fact["text"])
    found = [match.start() for match in re.finditer(re.escape(old), text, re.IGNORECASE)] if old else []
    return text[: found[-1]] + object + text[found[-1] + len(old) :] if found else object


def retold(segment: Row, old: str, new: str) -> Row | None:
    """A summary and its keywords with another object in place of the one that was corrected; None if it is not told."""
    words = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)" if not is_cjk(old) else re.escape(old), re.IGNORECASE)
    summary = words.sub(lambda _: new, segment["summary"])
    keywords = [words.sub(lambda _: new.lower(), word) for word in segment["keywords"]]
    if (summary, keywords) == (segment["summary"], segment["keywords"]):
        return None
    return {**segment, "summary": summary, "keywords": list(dict.fromkeys(keywords))}


def denial(fact: Row) -> str:
    """What a retraction says: nothing of the fact, so that nothing of it stays when it is forgotten."""
    return "不是这样。" if is_cjk(fact["text"]) else "That is not so."


def _readable(fact: Row) -> bool:
    return FactKind(fact["kind"]) in _READ and fact["subject"] == SUBJECT


def _read(words: Words, predicates: set[str]) -> Claim | None:
    page = Page(
        page_id=words.page_id,
        seq=0,
        conversation_id="",
        session_id="",
        assistant_id="",
        user_input=words.text,
        assistant_response="",
        event_time=words.at,
        recorded_at=words.at,
        content_hash="",
    )
    return next((one for one in claims([page]) if one.predicate in predicates and one.object), None)


def _without_stem(fact: Row, text: str) -> str:
    """What is left of the words without what surrounds the object in the fact's own, or without its predicate."""
    said = text.strip()
    before, found, after = str(fact["text"]).rpartition(str(fact["object"]))
    stems = [(before, after), (before, "")] if found and before else []
    verb = fact["predicate"].replace("_", " ")
    stems += [(f"The user {verb} ", ""), (f"I {verb} ", ""), (f"{verb} ", "")]
    for start, end in stems:
        if said.casefold().startswith(start.casefold()) and said.endswith(end) and len(said) > len(start) + len(end):
            return said[len(start) : len(said) - len(end)].strip(" .。!！") or said
    return said.rstrip(".。!！ ") or said


def _level(found: str) -> str:
    levels = [level.value for level in Level if re.search(rf"\b{level.value}\b", found, re.IGNORECASE)]
    if len(levels) != 1:
        raise InvalidInput("text", "text: a trait is corrected by its level: high, medium or low")
    return levels[0]


def _claim(
    fact: Row,
    words: Words,
    object: str,
    text: str,
    valid_from: datetime | None,
    predicate: str | None = None,
    quoted: Claim | None = None,
) -> Claim:
    start, end = (quoted.start, quoted.end) if quoted else (0, len(words.text))
    return Claim(
        page_id=words.page_id,
        side=Side.USER,
        quote=words.text[start:end],
        start=start,
        end=end,
        kind=FactKind(fact["kind"]),
        subject=fact["subject"],
        predicate=predicate or fact["predicate"],
        object=object,
        text=text,
        confidence=_CONFIDENCE,
        valid_from=valid_from,
        sensitivity=Sensitivity(fact["sensitivity"]),
        reason=fact.get("reason") or "",
    )
