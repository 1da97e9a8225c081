"""Keyed hashes with the key that is kept outside the database."""

from __future__ import annotations

import hashlib
import hmac


class Secret:
    """A key of at least 32 bytes; every use has a purpose, so that hashes of one use say nothing about another."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def mac(self, purpose: str, text: str) -> str:
        """HMAC-SHA-256 as 64 hex digits."""
        return hmac.new(self._key, f"{purpose}\x00{text}".encode(), hashlib.sha256).hexdigest()

    def user_key(self, user_id: str) -> str:
        """The user's token in full-text indexes: one word of letters and digits that stemming leaves alone."""
        return "u" + self.mac("user", user_id)[:32] + "q"
