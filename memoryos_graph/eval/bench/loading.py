"""Many pages at once, as they stand after indexing and migration, by batched Cypher instead of turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from ...domain.validity import NEVER
from ...service import MemoryService
from ..statements import send
from .material import MixedEmbedder, text

BATCH = 1_000
SESSION = 40  # pages, the most a session holds
BEGIN = datetime(2024, 1, 1, 8, tzinfo=UTC)


async def load_pages(
    service: MemoryService, user_id: str, pages: int, first_text: int, on_progress: Callable[[str], None]
) -> None:
    """Bring a user to that many pages; a second run finds them there. Their texts are counted from `first_text`."""
    there = (await send(service, "bench_pages", user_id=user_id))[0]["pages"]
    for start in range(there, pages, BATCH):
        if start % (5 * BATCH) == 0 and pages > BATCH:
            on_progress(f"{start} of {pages} pages of {user_id} are loaded")
        numbers = range(start, min(start + BATCH, pages))
        await send(service, "load_pages", **_batch(service, user_id, numbers, first_text))


def _batch(service: MemoryService, user_id: str, numbers: range, first_text: int) -> dict[str, Any]:
    user_key, embedder = service.ctx.secret.user_key(user_id), service.ctx.embedder
    assert isinstance(embedder, MixedEmbedder), "a bench is opened with it"
    pages = [page(user_id, user_key, n, first_text) for n in numbers]
    sessions: dict[str, dict[str, Any]] = {}
    for held in pages:
        row = sessions.setdefault(held["session_id"], _session(held))
        row |= {"text": f"{row['text']}{held['text']}\n", "n_pages": row["n_pages"] + 1, "last_at": held["event_time"]}
    return {
        "user_id": user_id,
        "user_key": user_key,
        "never": NEVER,
        "now": BEGIN,
        "sessions": list(sessions.values()),
        "pages": [{"page": held, "embedding": embedder.mixed(held["text"])} for held in pages],
        "nexts": [
            {"before": before["page_id"], "after": after["page_id"]}
            for before, after in pairwise(pages)
            if before["session_id"] == after["session_id"]
        ],
    }


def _session(first: dict[str, Any]) -> dict[str, Any]:
    kept = {name: first[name] for name in ("user_id", "user_key", "session_id", "conversation_id")}
    return kept | {"started_at": first["event_time"], "text": "", "n_pages": 0}


def page(user_id: str, user_key: str, n: int, first_text: int) -> dict[str, Any]:
    """A page of two texts, with all its properties. Two minutes lie between pages, nine hours between sessions."""
    session, place = divmod(n, SESSION)
    at = BEGIN + timedelta(hours=9 * session, minutes=2 * place)
    said, answered = text(first_text + n), text(first_text + n + 3)
    return {
        "user_id": user_id,
        "user_key": user_key,
        "page_id": f"page-{n:06}",
        "external_id": f"page-{n:06}",
        "seq": n + 1,
        "conversation_id": "bench",
        "session_id": f"session-{session:05}",
        "assistant_id": "bench",
        "user_input": said,
        "assistant_response": answered,
        "text": f"{said}\n{answered}",
        "tool_calls": "[]",
        "tool_text": "",
        "system_text": "",
        "metadata": "{}",
        "tags": [],
        "keywords": [],
        "time_words": 0.0,
        "event_time": at,
        "recorded_at": at,
        "tier": "mtm",
        "archived": False,
        "hidden": False,
        "remember": "auto",
        "state": "indexed",
        "attempts": 0,
        "content_hash": f"bench-{first_text + n}",
        "origin": "conversation",
    }
