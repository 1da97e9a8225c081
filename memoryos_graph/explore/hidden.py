"""What is stored of a user and is not for users."""

from __future__ import annotations

HIDDEN = frozenset(
    {
        "embedding",
        "embedding_b",
        "user_key",
        "tombstone_key",
        "lock",
        "leased_by",
        "leased_until",
        "id_key",
        "content_key",
        "request_key",
        "request_hash",
        "claim_key",
        "asked_hash",
        "content_hash",
        "system_keys",
        "forget_run",
    }
)
"""Properties that no query may name and no node shows: vectors; the key of tombstones and the hashes made with it, by
which who guesses forgotten words could prove the guess; locks, leases and what a running forget marks."""
