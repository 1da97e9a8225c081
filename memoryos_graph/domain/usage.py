"""What calls of a language model cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One request to a model, successful or not. `ms` is wall time; `outcome` is "ok" or a short code."""

    model: str
    prompt_hash: str
    tokens_in: int
    tokens_out: int
    ms: int
    outcome: str


def total_tokens(calls: Iterable[ModelCall]) -> tuple[int, int]:
    """Tokens in and out of all calls."""
    kept = list(calls)
    return sum(call.tokens_in for call in kept), sum(call.tokens_out for call in kept)
