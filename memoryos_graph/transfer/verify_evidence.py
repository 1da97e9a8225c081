"""Check a file of evidence, or an export, without a database, a key or any package: python verify_evidence.py FILE

Each line is an object with a number, and a hash over its own bytes and the hash of the line before. The first line,
which tells when and where the file was made, has a hash of itself alone; the last line counts the others. So a byte
that was changed, and a line that was removed, added or moved, is named. Whoever can write the whole file anew can make
new hashes, too: keep its last hash elsewhere if that matters.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

EVIDENCE = "memoryos-graph evidence"
BEFORE_HEADER, BEFORE_LINES = "memoryos-graph: header", "memoryos-graph: lines"
_TAIL = re.compile(rb',"hash":"([0-9a-f]{64})"\}\r?\n?$')


@dataclass
class Line:
    """A line as it was read; `fault` says what is wrong with it, if anything."""

    at: int
    body: dict[str, Any]
    hash: str
    fault: str = ""


def digest(previous: str, body: bytes) -> str:
    """The hash of a line: over the hash of the line before, and its own bytes without its hash."""
    return hashlib.sha256(previous.encode() + b"\n" + body).hexdigest()


def sealed(body: dict[str, Any], previous: str) -> tuple[bytes, str]:
    """A line of the file with its hash, and the hash."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()
    found = digest(previous, text)
    return text[:-1] + b',"hash":"' + found.encode() + b'"}\n', found


def read_lines(file: Iterable[bytes]) -> Iterator[Line]:
    """All lines with their faults; at the end one more with a fault when the last line is not the end of a file."""
    number, previous, ended, at = 1, BEFORE_HEADER, False, 0
    for at, raw in enumerate(file, 1):
        line = _parsed(at, raw)
        said = line.body.get("line")
        if not line.fault and ended:
            line.fault = "stands after the end of the file"
        if line.fault or not isinstance(said, int) or isinstance(said, bool):
            line.fault = line.fault or "has no number"
            number, previous = number + 1, ""
        elif said < number:
            line.fault = f"was moved or repeated: it is line {said}"
        else:
            line.fault = _fault(line, raw, said, number, previous)
            number, previous = said + 1, BEFORE_LINES if said == 1 else line.hash
            ended = line.body.get("end") is True
            if ended and not line.fault and line.body.get("lines") != said:
                line.fault = "counts other lines than there are"
        yield line
    if not ended:
        yield Line(at + 1, {}, "", "the end of the file is missing: it was cut off, or never finished")


def _parsed(at: int, raw: bytes) -> Line:
    tail = _TAIL.search(raw)
    try:
        body = json.loads(raw) if tail else None
    except (ValueError, RecursionError):
        body = None
    if tail is None or not isinstance(body, dict):
        return Line(at, {}, "", "is not a line with a hash: it was changed")
    del body["hash"]
    return Line(at, body, tail[1].decode())


def _fault(line: Line, raw: bytes, said: int, number: int, previous: str) -> str:
    tail = _TAIL.search(raw)
    assert tail is not None, "the line was parsed"
    fits = previous == "" or digest(previous, raw[: tail.start()] + b"}") == line.hash
    if said == number:
        return "" if fits else "was changed: its hash fits neither its words nor the line before"
    missing = f"line {number}" if said == number + 1 else f"lines {number} to {said - 1}"
    return f"{missing} before it: removed or moved"


class Proof:
    """What a file of evidence must keep beside its hashes: each fact stands on words of pages that are in it."""

    def __init__(self) -> None:
        self.header = Line(0, {}, "")
        self.pages: dict[str, dict[str, str]] = {}
        self.counts = {"fact": 0, "quote": 0, "page": 0, "forgotten": 0}
        self.head = ""

    def look(self, line: Line) -> list[str]:
        """What is wrong with the meaning of a line."""
        body = line.body
        if line.at == 1:
            self.header = line
        elif "page" in body:
            self.pages[body["page"]["page_id"]] = body["page"]["texts"]
            self.counts["page"] += 1
        elif "fact" in body:
            return self._fact(body["fact"])
        elif "heads" in body:
            head = body["heads"]["known_at"] or {"seq": 0, "hash": ""}
            self.head, self.counts["forgotten"] = f"{head['seq']}:{head['hash']}", len(body["forgotten"])
        elif body.get("end") and body.get("header") not in (None, self.header.hash):
            return ["the first line is of another file"]
        return []

    def _fact(self, fact: dict[str, Any]) -> list[str]:
        self.counts["fact"] += 1
        known_at = self.header.body.get("known_at", "")
        faults = [] if fact["sources"] else [f"fact {fact['fact_id']} rests on nothing"]
        if datetime.fromisoformat(fact["recorded_at"]) > datetime.fromisoformat(known_at):
            faults.append(f"fact {fact['fact_id']} was not known yet")
        for source in [*fact["sources"], *fact["ends"]]:
            self.counts["quote"] += 1
            page = self.pages.get(source["page_id"])
            if page is None:
                faults.append(f"fact {fact['fact_id']}: page {source['page_id']} is not in the file")
            elif page.get(source["side"], "")[source["start"] : source["end"]] != source["quote"]:
                faults.append(f"fact {fact['fact_id']}: its quote does not stand in page {source['page_id']}")
        return faults

    def __str__(self) -> str:
        counts = self.counts
        told = f"whole: {counts['fact']} facts with {counts['quote']} quotes from {counts['page']} pages, "
        told += f"as believed at {self.header.body['known_at']}; newest event then {self.head}"
        if counts["forgotten"]:
            told += f"; what {counts['forgotten']} receipts name was forgotten, and is not in it"
        return told


def faults_of(file: Iterable[bytes]) -> tuple[list[str], str]:
    """All faults of a file, each with its line, and what an evidence tells when there are none."""
    faults, proof, proves = [], Proof(), False
    for line in read_lines(file):
        found = [line.fault] if line.fault else []
        proves = proves or (line.at == 1 and line.body.get("format") == EVIDENCE)
        if proves and line.body:
            try:
                found += proof.look(line)
            except (KeyError, TypeError, ValueError, AttributeError):
                found += ["is not what a file of evidence says"]
        faults += [f"line {line.at}: {fault}" for fault in found]
    return faults, str(proof) if proves and not faults else "whole"


def main() -> int:
    """Say what is wrong with the file that is named; 0 when nothing is."""
    if len(sys.argv) != 2:
        print("usage: python verify_evidence.py FILE", file=sys.stderr)
        return 2
    with open(sys.argv[1], "rb") as file:
        faults, told = faults_of(file)
    print("\n".join(faults) if faults else told)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
