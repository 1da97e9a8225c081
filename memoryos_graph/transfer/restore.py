"""An export, written back into an empty memory of the same user."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NoReturn

from ..context import Context
from ..contract import Imported
from ..domain.validity import NEVER
from ..errors import Conflict, InvalidInput, TooLarge, TryAgain
from ..store.connection import Row, Tx
from ..store.vectors import Model
from .graph_lines import FORMAT, SCHEMA, BadLine, node_row, relationship_row
from .verify_evidence import Line, read_lines

LINES_AT_ONCE = 300
CLEARED_AT_ONCE = 2_000
SHOWN_AT_ONCE = 5_000
MAX_LINE, MAX_HEADER = 16_000_000, 10_000
MAX_NAMES = 500
OF_ANOTHER = 0  # what another import has left is in the way
NO_FILE = "the file is no export of a memory"


@dataclass
class _Checked:
    """What is known of a file after it was read once: nothing of it was written yet."""

    header: dict[str, Any] = field(default_factory=dict)
    user: Row = field(default_factory=dict)
    root: str = ""
    lines: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    relationships: Counter[str] = field(default_factory=Counter)

    @property
    def model(self) -> Model:
        """Of which model the vectors are."""
        return Model(self.header["embedding_model"], self.header["embedding_dimension"])

    def same_key(self, ctx: Context) -> bool:
        """Whether the file was made with the secret key of here."""
        return bool(self.header["key_check"] == ctx.secret.mac("export", self.header["user_id"]))


@dataclass
class _Rows:
    """Lines that are written together, from line `after` (not with it) to line `to`."""

    after: int
    to: int
    nodes: list[Row] = field(default_factory=list)
    relationships: list[Row] = field(default_factory=list)


def is_export(file: Path) -> bool:
    """Whether a file begins as an export does."""
    with _opened(file) as opened:
        first = opened.readline(MAX_HEADER)
    try:
        header = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT


async def import_(ctx: Context, user_id: str, source: Path | bytes) -> Imported:
    """Write an export back, exact to ids, times and events, into a memory in which nothing is yet.

    The whole file is checked before anything is written. It is written in batches that reads don't show until the last;
    killed at any moment, the same import goes on where it was, and any other begins anew. Done once, it does nothing.
    With another secret key here all is restored, but events and receipts can't be proved.
    Raises InvalidInput (`file`) that names the line, TooLarge, Conflict: `not_empty`, `already_forgotten`,
    `other_model`; TryAgain when another process imports the same.
    """
    user_key = ctx.secret.user_key(user_id)
    checked = await asyncio.to_thread(_check, source, user_id, user_key)
    line = await _begin(ctx, user_id, checked)
    if line is not None:
        try:
            for rows in _batches(source, user_key, line):
                await _write(ctx, user_id, checked, rows)
        except InvalidInput:
            await _clear(ctx, user_id, None)
            raise
        while not await _finish(ctx, user_id, checked):
            pass
    return Imported(
        root=checked.root,
        already_there=line is None,
        same_key=checked.same_key(ctx),
        lines=checked.lines,
        nodes=dict(checked.nodes),
        relationships=dict(checked.relationships),
    )


def _lines(source: Path | bytes) -> Iterator[Line]:
    """The lines of a file, each with a right hash. Raises InvalidInput, TooLarge."""
    with _opened(source) as file:
        for line in read_lines(_raw(file)):
            if line.fault:
                _refuse(line, line.fault)
            yield line


def _opened(source: Path | bytes) -> IO[bytes]:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    try:
        return source.open("rb")
    except OSError as exc:
        raise InvalidInput("file", f"the file can't be read: {exc.strerror}") from None


def _raw(file: IO[bytes]) -> Iterator[bytes]:
    for at in itertools.count(1):
        raw = file.readline(MAX_LINE + 1)
        if len(raw) > MAX_LINE:
            raise TooLarge("file", f"line {at} is longer than {MAX_LINE} bytes")
        if not raw:
            return
        yield raw


def _refuse(line: Line, why: str) -> NoReturn:
    raise InvalidInput("file", f"line {line.at}: {why}")


def _check(source: Path | bytes, user_id: str, user_key: str) -> _Checked:
    found, seen = _Checked(), _Seen()
    for line in _lines(source):
        if line.at == 1:
            found.header = _header(line, user_id)
            continue
        found.lines, found.root = line.at, line.hash
        if "end" in line.body:
            continue
        row = _row(line, user_key)
        if why := seen.refuses(row):
            _refuse(line, why)
        if "type" in row:
            found.relationships[row["type"]] += 1
            continue
        found.nodes[row["label"]] += 1
        if row["label"] == "User":
            found.user = row["properties"]
    if not isinstance(found.user.get("event_seq"), int):
        raise InvalidInput("file", f"{NO_FILE}: it has no user")
    return found


@dataclass
class _Seen:
    """What must not occur twice: an export has the nodes of a label together, in the order of their ids."""

    labels: list[str] = field(default_factory=list)
    key: Any = None
    external_ids: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def refuses(self, row: Row) -> str:
        """Why a line can't follow those before it."""
        self.names |= row["properties"].keys()
        if len(self.names) > MAX_NAMES:
            return f"the file has more than {MAX_NAMES} names of properties"
        if "type" in row:
            return ""
        label, key = row["label"], row.get("key")
        if label in self.labels and (label != self.labels[-1] or label == "User" or key <= self.key):
            return "its node is not in order, or there twice"
        if label not in self.labels:
            self.labels.append(label)
        self.key = key
        external_id = row["properties"].get("external_id") if label == "Page" else None
        if external_id is not None:
            if hash(external_id) in self.external_ids:
                return "its id of a caller is there twice"
            self.external_ids.add(hash(external_id))
        return ""


def _header(line: Line, user_id: str) -> dict[str, Any]:
    header = line.body
    if header.get("format") != FORMAT:
        _refuse(line, NO_FILE)
    if header.get("schema_version") != SCHEMA:
        _refuse(line, f"the file has another version than {SCHEMA}, which this program reads: upgrade memoryos-graph")
    if header.get("as_of") is not None or header.get("known_at") is not None:
        _refuse(line, "an export of a moment lacks facts that others rest on: it can be read, but not imported")
    if header.get("user_id") != user_id:
        _refuse(line, "the file is of another user; it can't be given to this one: events are bound to the user's id")
    known = {"embedding_model": str, "embedding_dimension": int, "key_check": str}
    if not all(isinstance(header.get(name), kind) for name, kind in known.items()):
        _refuse(line, NO_FILE)
    return header


def _row(line: Line, user_key: str) -> Row:
    try:
        return node_row(line.body, user_key) if "node" in line.body else relationship_row(line.body)
    except BadLine as exc:
        raise InvalidInput("file", f"line {line.at}: {exc}") from None


def _batches(source: Path | bytes, user_key: str, after: int) -> Iterator[_Rows]:
    """What is to be written after a line; nodes and relationships never together."""
    rows = _Rows(after, after)
    for line in _lines(source):
        if line.at <= after or "end" in line.body:
            continue
        row = _row(line, user_key)
        to = rows.relationships if "type" in row else rows.nodes
        if row.get("label") != "User":
            to.append(row)
        rows.to = line.at
        if len(to) == LINES_AT_ONCE:
            yield rows
            rows = _Rows(line.at, line.at)
    if rows.to > rows.after:
        yield rows


async def _begin(ctx: Context, user_id: str, checked: _Checked) -> int | None:
    """The line after which there is something to write; None when all of it was written once."""
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def begin(tx: Tx) -> int | None:
        row = await _locked(ctx, tx, user_id, lock, now)
        if row["importing"] is None and row["imported"] == checked.root:
            return None
        _ensure_model(row, checked.model)
        if row["importing"] is not None:
            return int(row["line"]) if row["importing"] == checked.root else OF_ANOTHER
        if row["left"]:
            raise Conflict("everything of this user was forgotten: nothing brings it back", code="already_forgotten")
        if not row["empty"]:
            raise Conflict("this user has a memory: an export is written back into an empty one only", code="not_empty")
        await tx.run("import_progress", user_id=user_id, root=checked.root, line=1)
        return 1

    line = await ctx.store.write(user_id, begin)
    if line == OF_ANOTHER:
        await _clear(ctx, user_id, checked.root)
        return 1
    return line


def _ensure_model(row: Row, model: Model) -> None:
    stored = Model(row["vectors"]["embedding_model"], row["vectors"]["embedding_dimension"])
    if stored != model:
        raise Conflict(
            f"the file has vectors of {model}, the database of {stored}: import it into one of that model, then run "
            "`memoryos reembed`",
            code="other_model",
        )


async def _locked(ctx: Context, tx: Tx, user_id: str, lock: str, now: datetime) -> Row:
    user_key = ctx.secret.user_key(user_id)
    row = await tx.one("import_lock", user_id=user_id, user_key=user_key, lock=lock, now=now, never=NEVER)
    assert row is not None, "the query merges the user"
    return row


async def _clear(ctx: Context, user_id: str, root: str | None) -> None:
    """Remove what an import has left, and begin the one of `root`, or leave no user."""
    lock, now = ctx.clock.new_id(), ctx.clock.now()

    async def clear(tx: Tx) -> int:
        row = await _locked(ctx, tx, user_id, lock, now)
        if row["importing"] is None:
            return 0
        rows = await tx.run("import_clear", user_id=user_id, limit=CLEARED_AT_ONCE)
        if not rows[0]["cleared"] and root is None:
            await tx.run("import_leave", user_id=user_id)
        elif not rows[0]["cleared"]:
            await tx.run("import_progress", user_id=user_id, root=root, line=1)
        return int(rows[0]["cleared"])

    while await ctx.store.write(user_id, clear):
        pass


async def _write(ctx: Context, user_id: str, checked: _Checked, rows: _Rows) -> None:
    lock, now = ctx.clock.new_id(), ctx.clock.now()
    vectors = [{name: row[name] for name in ("label", "key", "vector")} for row in rows.nodes if row["vector"]]
    nodes = [{name: row[name] for name in ("label", "properties")} for row in rows.nodes]

    async def write(tx: Tx) -> None:
        state = await _locked(ctx, tx, user_id, lock, now)
        if (state["importing"], state["line"]) != (checked.root, rows.after):
            raise TryAgain("another process imports for this user")
        _ensure_model(state, checked.model)
        if nodes:
            await tx.run("import_nodes", user_id=user_id, rows=nodes)
        if vectors:
            await tx.run("import_vectors", user_id=user_id, rows=vectors)
        if rows.relationships:
            written = await tx.one("import_relationships", user_id=user_id, rows=rows.relationships)
            if written != {"written": len(rows.relationships)}:
                where = f"lines {rows.after + 1} to {rows.to}"
                raise InvalidInput("file", f"{where}: a relationship has an end that is not in the file")
        await tx.run("import_progress", user_id=user_id, root=checked.root, line=rows.to)

    await ctx.store.write(user_id, write)


async def _finish(ctx: Context, user_id: str, checked: _Checked) -> bool:
    """Let reads see what was written; up to 5,000 of each kind in one transaction. Whether that was all."""
    lock, now = ctx.clock.new_id(), ctx.clock.now()
    key = ctx.secret.user_key(user_id)

    async def finish(tx: Tx) -> bool:
        state = await _locked(ctx, tx, user_id, lock, now)
        if state["importing"] is None and state["imported"] == checked.root:
            return True
        shown = await tx.run("import_show", user_id=user_id, limit=SHOWN_AT_ONCE)
        if shown[0]["shown"] >= SHOWN_AT_ONCE:
            return False
        await tx.run(
            "import_end",
            user_id=user_id,
            user=checked.user,
            user_key=key,
            lock=lock,
            now=now,
            root=checked.root,
            other_key=None if checked.same_key(ctx) else checked.user["event_seq"],
        )
        return True

    return await ctx.store.write(user_id, finish)
