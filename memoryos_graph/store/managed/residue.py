"""What the files of a stopped server still hold of deleted things, overwritten with zeros.

Neo4j marks a record as free and leaves its bytes; a shorter value written over a longer one leaves the end of it. Both
are zeros after this, and nothing that Neo4j reads is touched. This needs the layout of the store, which is that of
format `aligned` in both lines of the managed server; in any other, and where a record is not understood, it refuses.
Range indexes are removed: the next start builds them again before it answers, so that uniqueness holds at any moment.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memoryos_graph.errors import SetupError

PAGE = 8192
FORMAT = b"\x07aligned\x01\x01"
PROPERTIES = "neostore.propertystore.db"
VALUES = (f"{PROPERTIES}.strings", f"{PROPERTIES}.arrays")
PROPERTY, PROPERTY_HEADER, BLOCK = 41, 9, 8
DYNAMIC, DYNAMIC_HEADER, IN_USE = 128, 8, 0x10000000
BITS_OF_CHARACTER = {0: 8, 1: 4, 2: 4, 3: 5, 4: 5, 5: 5, 6: 6, 7: 6, 8: 6, 9: 7, 10: 8, 11: 4, 12: 4}
ONE_BLOCK = frozenset((1, 2, 3, 4, 5, 7, 9, 10))  # boolean, byte, short, char, int, float; text and lists elsewhere
LONG, DOUBLE, TEXT, LIST, POINT, TIME = 6, 8, 11, 12, 13, 14
BLOCKS_OF_TIME = {3: 2, 4: 2, 5: 3, 6: 4}  # local date and time, time, date and time, duration
REMOVED_INDEXES = "range"  # full-text and vector ones take longer, and are renewed while the server answers


@dataclass(frozen=True)
class Overwritten:
    """What a pass over the files did; a second one finds nothing left."""

    records: int
    bytes: int
    index_files: int


def overwrite(home: Path) -> Overwritten:
    """Overwrite what is deleted and remove the range indexes, below the home of a server that has stopped by itself.

    May be interrupted and repeated at any moment. Raises SetupError (`store_format`) and OSError.
    """
    store = home / "data/databases/neo4j"
    _check_format(store)
    records, size = 0, 0
    for name in (PROPERTIES, *VALUES):
        for found in _overwrite(store / name, _dead_in_properties if name == PROPERTIES else _dead_in_values):
            records, size = records + 1, size + found
    return Overwritten(records, size, _remove_indexes(store / "schema/index"))


def _check_format(store: Path) -> None:
    if FORMAT not in (store / "neostore").read_bytes()[:PAGE]:
        raise _unknown(store / "neostore")
    for path in (store / name for name in VALUES):
        with path.open("rb") as file:
            if file.read(4) not in (b"", DYNAMIC.to_bytes(4, "big")):
                raise _unknown(path)


def _unknown(path: Path) -> SetupError:
    return SetupError(
        f"{path} is not laid out as this version knows it; nothing was overwritten there", code="store_format"
    )


Dead = Callable[[bytes, Path], Iterator[tuple[int, int]]]


def _overwrite(path: Path, dead: Dead) -> Iterator[int]:
    """Write zeros over what is dead in each page; gives how many bytes each time."""
    with path.open("r+b") as file:
        while page := file.read(PAGE):
            if len(page) != PAGE:
                raise _unknown(path)
            zeroed = bytearray(page)
            for start, end in dead(page, path):
                if page[start:end].strip(b"\0"):
                    zeroed[start:end] = bytes(end - start)
                    yield end - start
            if zeroed != page:
                file.seek(-PAGE, os.SEEK_CUR)
                file.write(zeroed)
        file.flush()
        os.fsync(file.fileno())


def _dead_in_properties(page: bytes, path: Path) -> Iterator[tuple[int, int]]:
    """A record is a header and four blocks; its properties fill the first ones, an empty block ends them."""
    for start in range(0, PAGE - PROPERTY + 1, PROPERTY):
        end = start + PROPERTY
        at = start + PROPERTY_HEADER
        while at < end and (used := _blocks(int.from_bytes(page[at : at + BLOCK], "big"), path)):
            at += used * BLOCK
        if at > end:
            raise _unknown(path)
        yield (start if at == start + PROPERTY_HEADER else at), end
    yield end, PAGE


def _blocks(first: int, path: Path) -> int:
    """How many blocks a property takes, by its first one: key (24 bits), type (4), then as the type wants. 0: none."""
    kind = first >> 24 & 0xF
    if kind in ONE_BLOCK:
        return 1
    if kind == TEXT:
        bits = BITS_OF_CHARACTER.get(first >> 28 & 0x1F)
        return _long_words(39 + bits * (first >> 33 & 0x3F)) if bits else _refuse(path)
    if kind == LIST:
        return _long_words(44 + (first >> 32 & 0x3F) * (first >> 38 & 0x3F or 64))
    if kind == LONG:
        return 1 if first >> 28 & 1 else 2
    if kind == DOUBLE:
        return 2
    if kind == POINT:
        return 1 + (first >> 32 & 0xF)
    if kind == TIME:
        special = first >> 28 & 0xF
        if special in (1, 2):  # date, local time
            return 1 if first >> 32 & 1 else 2
        return BLOCKS_OF_TIME.get(special) or _refuse(path)
    return 0 if kind == 0 else _refuse(path)


def _long_words(bits: int) -> int:
    return (bits + 63) // 64


def _refuse(path: Path) -> int:
    raise _unknown(path)


def _dead_in_values(page: bytes, path: Path) -> Iterator[tuple[int, int]]:
    """A record is a header, with a bit for `in use` and the length, then up to 120 bytes; the first is the file's."""
    for start in range(0, PAGE, DYNAMIC):
        head = int.from_bytes(page[start : start + 4], "big")
        if head == DYNAMIC:  # the size of a record, in the first one
            yield start + 4, start + DYNAMIC
            continue
        used = DYNAMIC_HEADER + (head & 0xFFFFFF) if head & IN_USE else 0
        if used > DYNAMIC:
            raise _unknown(path)
        yield start + used, start + DYNAMIC


def _remove_indexes(folder: Path) -> int:
    removed = 0
    for kind in folder.glob(f"{REMOVED_INDEXES}-*"):
        removed += sum(1 for path in kind.rglob("*") if path.is_file())
        shutil.rmtree(kind)
    return removed
