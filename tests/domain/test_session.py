from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memoryos_graph.domain.session import MAX_PAGES, PAUSE, OpenSession

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_session_ends_at_a_pause_in_either_direction_and_when_full() -> None:
    session = OpenSession("s", AT, 1, "p")
    assert session.takes(AT + PAUSE - timedelta(seconds=1))
    assert not session.takes(AT + PAUSE)
    assert not session.takes(AT - PAUSE)
    assert not OpenSession("s", AT, MAX_PAGES, "p").takes(AT)
