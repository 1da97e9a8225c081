"""A scanner of data folders: where files still hold a text or a vector, in any form in which Neo4j writes them.

Plain, UTF-16 of both byte orders, the packed forms of short texts in the property store, keys of its range indexes
(plain), terms of full-text (small letters), vectors as 32 and 64 bit floats of both byte orders, raw and normalised.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

RECORD, HEADER, PAGE = 41, 9, 8192
NEIGHBOURS = 4
PUNCTUATION = " _.-:/ .-+,'@|;*?&%#()$<>="


def _upper_or_lower(first: str) -> str:
    return " " + "".join(chr(ord(first) + i) for i in range(26)) + "_.-:/"


_LOWER, _UPPER = _upper_or_lower("a"), _upper_or_lower("A")
_LETTERS = "".join(chr(97 + i) for i in range(26))
_EUROPEAN = (
    "".join(chr(0xC0 + i) for i in range(0x40)).replace("×", ".").replace("÷", "-")
    + (" " + _LETTERS.upper() + "01234")
    + ("_" + _LETTERS + "56789")
)
# code in the record → bits of a character, and the characters by their code
TABLES: dict[int, tuple[int, str]] = {
    0: (8, ""),
    1: (4, "0123456789 .-+,'"),
    2: (4, "0123456789 -:/+,"),
    3: (5, _UPPER),
    4: (5, _LOWER),
    5: (5, "," + _LETTERS + "_.-+@"),
    6: (6, " " + _LETTERS + "\0" * 5 + "0123456789_.-:/+,'@|;*?&%#()$<>="),
    7: (6, _EUROPEAN[0x40:]),
    8: (6, " " + _LETTERS.upper() + "_.-:/;" + _LETTERS + "+,'@|"),
    9: (7, _EUROPEAN),
    10: (8, ""),
    11: (4, "0123456789abcdef"),
    12: (4, "0123456789ABCDEF"),
}


def short_texts(path: Path) -> Iterator[str]:
    """All short texts in a property store, also where no live record reads them: a try at each block of each record."""
    data = path.read_bytes()
    for page in range(0, len(data), PAGE):
        for start in range(page, page + PAGE - RECORD + 1, RECORD):
            words = struct.unpack_from(">4Q", data, start + HEADER)
            for first in range(4):
                if any(words[first:]):
                    yield from _decoded(words[first:])


def _decoded(words: Sequence[int]) -> Iterator[str]:
    code, length = words[0] >> 28 & 0x1F, words[0] >> 33 & 0x3F
    if words[0] >> 24 & 0xF != 11 or code not in TABLES:
        return
    yield from _text(words, code, length)


def _text(words: Sequence[int], code: int, length: int) -> Iterator[str]:
    bits, table = TABLES[code]
    number = sum(word << 64 * i for i, word in enumerate(words))
    codes = [number >> 39 + bits * i & (1 << bits) - 1 for i in range(length)]
    if table:
        yield "".join(table[c] if c < len(table) else "\0" for c in codes)
    else:
        yield bytes(codes).decode("utf-8" if code == 0 else "latin-1", "replace")


class Scanner:
    """Looks for texts and vectors in all files below a folder."""

    def __init__(self, texts: Sequence[str], vectors: Sequence[Sequence[float]] = ()) -> None:
        self.texts = texts
        self._patterns: list[tuple[str, bytes]] = []
        for text in texts:
            for form, encoding in (("utf-8", "utf-8"), ("utf-16le", "utf-16-le"), ("utf-16be", "utf-16-be")):
                self._patterns.append((f"{form}: {text}", text.encode(encoding)))
                if text.lower() != text:
                    self._patterns.append((f"{form}, small: {text}", text.lower().encode(encoding)))
            self._patterns += [(f"packed: {text}", packed) for packed in _packed(text)]
        for number, vector in enumerate(vectors):
            self._patterns += [(f"{form} of vector {number}", part) for form, part in _forms(vector)]
        self._near = [_normalised(vector) for vector in vectors]

    def found(self, folder: Path) -> dict[str, set[str]]:
        """What is found, by file; empty when nothing is."""
        places: dict[str, set[str]] = {}
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            try:
                data = path.read_bytes()
            except FileNotFoundError:  # a running server deletes files of its indexes
                continue
            names = {name for name, pattern in self._patterns if pattern in data}
            if path.name == "neostore.propertystore.db":
                texts = "\n".join(short_texts(path))
                names |= {f"short: {text}" for text in self.texts if text in texts}
            if "vector" in path.as_posix():
                names |= {f"near vector {i}" for i, vector in enumerate(self._near) if _holds(data, vector)}
            if names:
                places[path.relative_to(folder).as_posix()] = names
        return places


def _packed(text: str) -> Iterator[bytes]:
    """The blocks of a short text in each table that can hold it, in records and log; not the first, with its key."""
    codes = [
        (bits, [table.index(c) for c in text]) for bits, table in TABLES.values() if table and set(text) <= {*table}
    ]
    codes.append((8, list(text.encode())))
    if all(ord(char) < 256 for char in text):
        codes.append((8, list(text.encode("latin-1"))))
    for bits, numbers in codes:
        number = sum(code << 39 + bits * i for i, code in enumerate(numbers))
        for at in range(1, (39 + bits * len(numbers) + 63) // 64):
            word = number >> 64 * at & (1 << 64) - 1
            if word >> 32:  # less may stand anywhere
                yield word.to_bytes(8, "big")
                yield word.to_bytes(8, "little")


def _normalised(vector: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / norm for x in vector]


def _forms(vector: Sequence[float]) -> Iterator[tuple[str, bytes]]:
    """Some neighbours from the middle of a vector in each form of numbers."""
    middle = max(range(len(vector) - NEIGHBOURS + 1), key=lambda i: min(map(abs, vector[i : i + NEIGHBOURS])))
    for what, numbers in (("raw", vector), ("normalised", _normalised(vector))):
        part = numbers[middle : middle + NEIGHBOURS]
        for form in ("<f", ">f", "<d", ">d"):
            yield f"{what} {form}", struct.pack(f"{form[0]}{NEIGHBOURS}{form[1]}", *part)


def _holds(data: bytes, vector: Sequence[float]) -> bool:
    """Whether 32 bit floats of a vector stand there, up to rounding: indexes normalise by their own arithmetic."""
    middle = max(range(len(vector) - NEIGHBOURS + 1), key=lambda i: min(map(abs, vector[i : i + NEIGHBOURS])))
    part = vector[middle : middle + NEIGHBOURS]
    for shift in range(4):
        usable = (len(data) - shift) // 4 * 4
        numbers = memoryview(data)[shift : shift + usable].cast("B").tobytes()
        floats = memoryview(numbers).cast("f")
        for i, number in enumerate(floats):
            if abs(number - part[0]) > 2e-6 or i + NEIGHBOURS > len(floats):
                continue
            if all(abs(floats[i + k] - part[k]) < 2e-6 for k in range(1, NEIGHBOURS)):
                return True
    return False
