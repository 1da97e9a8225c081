"""Named Cypher from `cypher/`, checked when it is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import resources

from ..errors import SetupError

_NAME = re.compile(r"^// name: (?P<name>[a-z][a-z0-9_]*)(?: @(?P<line>5|2026))?$")
_MODE = re.compile(r"^// mode: (?P<mode>read|write|schema)$")
_PART = re.compile(r"^// part: (?P<name>[a-z][a-z0-9_]*)$")
_USE = re.compile(r"\{\{([a-z0-9_]+)\}\}")
_PARAMETER = re.compile(r"\$([a-z_][a-z0-9_]*)")
_VECTORS = re.compile(r"\b([a-z_]*embedding)(_b)?\b")

VECTORS, OTHER_VECTORS = "embedding", "embedding_b"


class Line(StrEnum):
    """The two server lines that are supported; where their Cypher differs, queries come in two variants."""

    NEO4J_5 = "5"
    NEO4J_2026 = "2026"


@dataclass(frozen=True)
class Query:
    """One statement of a .cypher file: constant text, the parameters it takes, and the comments of its head."""

    name: str
    file: str
    mode: str
    text: str
    line: Line | None
    notes: tuple[str, ...] = ()

    @property
    def params(self) -> frozenset[str]:
        """Names of the parameters in the text."""
        return frozenset(_PARAMETER.findall(self.text))


def parse(file: str, content: str) -> Iterator[Query]:
    """The queries of one file. Raises SetupError (`cypher_file`) that names file and query.

    A rule that stands in many queries is written once, as a part, and used as `{{name}}`.
    """
    blocks = [block.strip().splitlines() for block in re.split(r"(?m)^(?=// (?:name|part): )", content)[1:]]
    parts = {match["name"]: _text(lines[1:]) for lines in blocks if (match := _PART.match(lines[0]))}
    for lines in blocks:
        if _PART.match(lines[0]):
            continue
        head, mode = _NAME.match(lines[0]), _MODE.match(lines[1]) if len(lines) > 1 else None
        if head is None or mode is None:
            raise SetupError(f"{file}: malformed head {lines[0]!r}", code="cypher_file")
        text = _whole(_text(lines[2:]), parts, f"{file}: query {head['name']}")
        if not text:
            raise SetupError(f"{file}: query {head['name']} is empty", code="cypher_file")
        line = Line(head["line"]) if head["line"] else None
        notes = tuple(comment[2:].strip() for comment in lines[2:] if comment.startswith("//"))
        yield Query(head["name"], file, mode["mode"], text, line, notes)


def _text(lines: list[str]) -> str:
    return "\n".join(line for line in lines if not line.startswith("//")).strip()


def _whole(text: str, parts: Mapping[str, str], where: str) -> str:
    """The text with its parts, which may hold parts themselves."""
    while use := _USE.search(text):
        if use[1] not in parts:
            raise SetupError(f"{where} uses part {use[1]}, which is not in the file", code="cypher_file")
        text = text.replace(use[0], parts[use[1]])
    return text


@cache
def load(folder: str, line: Line, vectors: str = VECTORS) -> dict[str, Query]:
    """All queries of a folder of `cypher/` (such as "queries") for one server line, by name.

    The files say `embedding` for the vectors that are searched and `embedding_b` for those of another model, with
    indexes named after them. Each change of the model makes the other property the one that is searched; where that is
    `embedding_b`, the two names are exchanged here.
    Raises SetupError (`cypher_file`) when a name occurs twice or lacks a variant for this line.
    """
    found: dict[str, Query] = {}
    other: set[str] = set()
    root = resources.files("memoryos_graph.cypher").joinpath(folder)
    for entry in sorted(root.iterdir(), key=lambda e: e.name):
        if not entry.name.endswith(".cypher"):
            continue
        for query in parse(entry.name, entry.read_text(encoding="utf-8")):
            if query.line not in (None, line):
                other.add(query.name)
            elif query.name in found:
                raise SetupError(f"{entry.name}: query {query.name} occurs twice", code="cypher_file")
            else:
                query = query if vectors == VECTORS else _exchanged(query)
                found[query.name] = query
    if missing := sorted(other - found.keys()):
        raise SetupError(f"query {missing[0]} has no variant for server line {line}", code="cypher_file")
    return found


def _exchanged(query: Query) -> Query:
    def other(match: re.Match[str]) -> str:
        return match[1] if match[2] else f"{match[1]}_b"

    name = _VECTORS.sub(other, query.name) if query.mode == "schema" else query.name
    return replace(query, name=name, text=_VECTORS.sub(other, query.text))
