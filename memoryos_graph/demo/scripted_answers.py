"""What the scripted model says when nothing else is asked of it: the offline rules, on the pages in the prompt."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..domain.claim import Claim
from ..domain.page import Page, Side
from ..llm.rules.claims import claims
from ..llm.rules.continuity import continuity
from ..llm.rules.summary import line
from ..llm.rules.topics import topics
from .scenario import Kind, Request
from .scripted_replies import scripted_reply

DIMENSION = 384
_TASK = re.compile(r"^# Task: (read_batch|propose_claims|answer)$", re.MULTILINE)
_KINDS: dict[str, Kind] = {"read_batch": "read_batch", "propose_claims": "propose_claims", "answer": "answer"}
_DATA = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
_WORD = re.compile(r"[㐀-鿿]|[^\W_]+")


def parsed_chat(body: Mapping[str, Any]) -> Request:
    """A chat request with its kind, its whole text, and the pages in it."""
    texts = list(_texts(body))
    text = "\n".join(texts)
    task = _TASK.search(text)
    kind = _KINDS[task[1]] if task else "answer"
    return Request(kind=kind, body=body, text=_as_written(text), pages=tuple(_pages(text)) if kind != "answer" else ())


def parsed_embeddings(body: Mapping[str, Any]) -> Request:
    """A request for embeddings."""
    return Request(kind="embeddings", body=body, text="\n".join(inputs(body)))


def inputs(body: Mapping[str, Any]) -> list[str]:
    """The texts to embed."""
    given = body.get("input", [])
    return [given] if isinstance(given, str) else [str(one) for one in given]


def good_answer(request: Request) -> str:
    """The reply that a good model gives."""
    if request.kind == "read_batch":
        return json.dumps(_reading(request), ensure_ascii=False)
    if request.kind == "propose_claims":
        return json.dumps({"claims": [_claim(one) for one in claims(request.pages)]}, ensure_ascii=False)
    data = _data("\n".join(_texts(request.body)))
    return scripted_reply(data) if "question" in data else "This is a scripted answer."


def vector(text: str) -> list[float]:
    """Hashes of words as a unit vector: texts that share words are near each other."""
    found = [0.0] * DIMENSION
    for word in _WORD.findall(text.lower()) or ["nothing"]:
        digest = hashlib.sha256(word.encode()).digest()
        for i in range(0, 16, 2):
            found[int.from_bytes(digest[i : i + 2], "big") % DIMENSION] += 1 if digest[i + 16] % 2 else -1
    norm = math.sqrt(sum(x * x for x in found)) or 1.0
    return [x / norm for x in found]


def _reading(request: Request) -> dict[str, Any]:
    after = dict(_after(request))
    numbers = list(dict.fromkeys(page.page_id for page in request.pages))
    notes = [
        {
            "page": int(page.page_id),
            "continues": continuity(page, after.get(page.page_id)).continues,
            "summary": line(page),
        }
        for page in {page.page_id: page for page in reversed(request.pages)}.values()
    ]
    found = [
        {
            "summary": topic.summary or f"page {topic.page_ids[0]}",
            "keywords": list(topic.keywords),
            "pages": [int(number) for number in numbers if number in topic.page_ids],
        }
        for topic in topics(request.pages)
    ]
    return {"pages": sorted(notes, key=lambda note: str(note["page"])), "topics": found}


def _after(request: Request) -> Iterator[tuple[str, Page]]:
    by_number = {page.page_id: page for page in request.pages}
    for row in _rows("\n".join(_texts(request.body))):
        after = row.get("after")
        if isinstance(after, int) and str(after) in by_number:
            yield str(row["page"]), by_number[str(after)]
        elif isinstance(after, dict):
            yield str(row["page"]), _page(row | {"user": "", "assistant": ""} | after)


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "page": int(claim.page_id),
        "speaker": claim.side.value,
        "quote": claim.quote,
        "kind": claim.kind.value,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "text": claim.text,
        "stance": claim.stance.value,
        "replaces": claim.replaces or "",
        "valid_from": claim.valid_from.isoformat() if claim.valid_from else "",
        "valid_to": claim.valid_to.isoformat() if claim.valid_to else "",
        "confidence": claim.confidence,
        "sensitivity": claim.sensitivity.value,
        "reason": claim.reason,
        "more": [],
    }


def _texts(body: Mapping[str, Any]) -> Iterator[str]:
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            yield content


def _as_written(text: str) -> str:
    """The text with its data as people wrote it, so that `only` and `containing` find it."""
    return text + "".join(f"\n{inner}" for inner in _strings(_data(text)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _rows(text: str) -> list[dict[str, Any]]:
    rows = _data(text).get("pages")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _data(text: str) -> dict[str, Any]:
    """The JSON block of a prompt."""
    found = _DATA.search(text)
    try:
        data = json.loads(found[1]) if found else {}
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _pages(text: str) -> Iterator[Page]:
    for row in _rows(text):
        yield _page(row)


def _page(row: Mapping[str, Any]) -> Page:
    at = datetime.strptime(str(row["time"]).split(" UTC")[0], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    sides = {side: str(row.get(side.value, "")) for side in Side}
    both = f"{sides[Side.USER]}\n{sides[Side.ASSISTANT]}"
    return Page(
        page_id=str(row["page"]),
        seq=int(row["page"]),
        conversation_id="",
        session_id="",
        assistant_id="",
        user_input=sides[Side.USER],
        assistant_response=sides[Side.ASSISTANT],
        tool_text=sides[Side.TOOL],
        system_text=sides[Side.SYSTEM],
        event_time=at,
        recorded_at=at,
        content_hash="",
        embedding=tuple(vector(both)),
    )
