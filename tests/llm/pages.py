"""Pages as providers see them, valid by default."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memoryos_graph.domain.page import Page


def make_page(n: int, user_input: str = "", assistant_response: str = "", **over: Any) -> Page:
    """The n-th page of a conversation, one a day from 2 March 2026 on; ids that never belong into a prompt."""
    at = datetime(2026, 3, 1 + n, 9, 0, tzinfo=UTC)
    values: dict[str, Any] = {
        "page_id": f"secret-page-{n}",
        "seq": n,
        "conversation_id": "secret-conversation",
        "session_id": "secret-session",
        "assistant_id": "secret-assistant",
        "user_input": user_input,
        "assistant_response": assistant_response,
        "event_time": at,
        "recorded_at": at,
        "content_hash": f"hash-{n}",
    }
    return Page(**(values | over))
