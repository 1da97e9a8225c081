from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memoryos_graph.domain.event import Event, next_event
from memoryos_graph.domain.secret import Secret

SECRET = Secret(b"k" * 32)
EVENT = Event(
    seq=1,
    kind="remember",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    actor="caller",
    ids=("a",),
    numbers={"n": 1.0},
    prev_hash="",
)


def test_every_field_and_the_user_change_the_hash() -> None:
    hashes = {EVENT.hash(SECRET, "ana")}
    changes = ({"seq": 2}, {"kind": "x"}, {"actor": "y"}, {"ids": ("b",)}, {"numbers": {"n": 2.0}}, {"prev_hash": "z"})
    for change in changes:
        hashes.add(replace(EVENT, **change).hash(SECRET, "ana"))  # type: ignore[arg-type]
    hashes |= {EVENT.hash(SECRET, "bo"), EVENT.hash(Secret(b"q" * 32), "ana")}
    assert len(hashes) == 9


def test_an_event_follows_the_head() -> None:
    row = next_event(SECRET, "ana", seq=4, head="abc", kind="k", at=EVENT.at, ids=["i"], numbers={"n": 1})
    assert (row["seq"], row["prev_hash"], row["numbers"]) == (5, "abc", '{"n": 1.0}')


def test_the_token_of_a_user_says_nothing_about_the_user() -> None:
    token = SECRET.user_key("ana@example.org")
    assert token.isalnum()
    assert token.islower()
    assert "ana" not in token
    assert token != SECRET.user_key("bo") != Secret(b"q" * 32).user_key("bo")
