"""How many tokens a text takes, counted here, whatever model answers."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable
from typing import Any, Protocol

from ..errors import MemoryosError

BYTES_OF_ONE = 16  # no tokenizer of a language model puts more bytes of a longer text into one token

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\x00-\x7f]+|\s+|.", re.DOTALL)
_CJK = re.compile("[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


class TokenCounter(Protocol):
    """Counts tokens; `name` says by what."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int:
        """Tokens of a text, rather too many than too few, and at least one for each 16 bytes."""
        ...


class CharacterCounter:
    """By kinds of characters, for where no tokenizer is at hand. Measured: see docs/decisions.md."""

    name = "characters"

    def count(self, text: str) -> int:
        """Words by their length, digits by two, other scripts by the character."""
        return max(_floor(text), sum(map(_of_piece, _PIECE.findall(text))))


class ModelCounter:
    """By the tokenizer of the embedding model; what it has no piece for is counted by its bytes.

    `load` gives a `tokenizers.Tokenizer` of its own, or None; it is called once, at the first text.
    """

    def __init__(self, model: str, load: Callable[[], Any]) -> None:
        self._model = model
        self._load = load
        self._loaded = False
        self._tokenizer: Any = None
        self._lock = threading.Lock()
        self._otherwise = CharacterCounter()

    @property
    def name(self) -> str:
        """The embedding model, or how it is counted without its tokenizer."""
        return self._otherwise.name if self._loaded and self._tokenizer is None else self._model

    def count(self, text: str) -> int:
        """Tokens by the model's own tokenizer."""
        tokenizer = self._ready()
        if tokenizer is None:
            return self._otherwise.count(text)
        encoded = tokenizer.encode(text, add_special_tokens=False)
        unknown = tokenizer.token_to_id("[UNK]")
        known: list[bool] = [i != unknown for i in encoded.ids]
        lost = (text[slice(*span)] for span, fine in zip(encoded.offsets, known, strict=True) if not fine)
        return max(_floor(text), sum(known) + sum(self._otherwise.count(piece) for piece in lost if piece))

    def _ready(self) -> Any:
        with self._lock:
            if not self._loaded:
                try:
                    self._tokenizer = self._load()
                except (ImportError, OSError, MemoryosError):
                    self._tokenizer = None
                self._loaded = True
            return self._tokenizer


def _floor(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_OF_ONE)


def _of_piece(piece: str) -> int:
    first = piece[0]
    if not first.isascii():
        return math.ceil(sum(map(_of_character, piece)))
    if first.isalpha():
        return math.ceil(len(piece) / 6) if len(piece) <= 18 else math.ceil(len(piece) / 2)
    if first.isdigit():
        return math.ceil(len(piece) / 2)
    return len(piece) // 16 if first.isspace() else 1


def _of_character(char: str) -> float:
    """What a character of another script takes at most: pieces of two characters are left out of account."""
    size = len(char.encode("utf-8", "replace"))
    if size < 3 or "\u0e00" <= char <= "\u0eff":
        return 1.0
    if _CJK.match(char):
        return 1.25
    return 2.5 if size == 3 else 3.0
