"""Turns: store one, import many, list them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from . import render
from .console import USAGE, Format, fail, print_json, print_result, progress
from .options import Cursor, Limit, NoWork, Output, User, format_of, user_of
from .session import WorkBars, drain, with_memory
from .transfer import import_export, import_package

if TYPE_CHECKING:
    from memoryos_graph.contract import TurnIn, TurnList, TurnStored
    from memoryos_graph.user_memory import UserMemory

BATCH = 100
BATCH_CHARACTERS = 1_000_000


class FileFormat(StrEnum):
    """What an import file holds: found from its content (also an export), JSON Lines of turns,
    a JSON list of turns, or LoCoMo."""

    AUTO = "auto"
    JSONL = "jsonl"
    LIST = "list"
    LOCOMO = "locomo"


KINDS: dict[FileFormat, Literal["turns-jsonl", "turn-list", "locomo"]] = {
    FileFormat.JSONL: "turns-jsonl",
    FileFormat.LIST: "turn-list",
    FileFormat.LOCOMO: "locomo",
}


def remember(
    ctx: typer.Context,
    text: Annotated[
        list[str] | None, typer.Argument(help="What the user said; '-' reads it from stdin.", show_default=False)
    ] = None,
    user_input: Annotated[str | None, typer.Option("--user-input", help="The same, as an option.")] = None,
    assistant_response: Annotated[
        str, typer.Option("--assistant-response", "-a", help="What the assistant said.")
    ] = "",
    id: Annotated[str | None, typer.Option("--id", help="Your id of the turn; makes a repeat harmless.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", help="The thread it belongs to.")] = None,
    event_time: Annotated[
        str | None, typer.Option("--event-time", help="When it was said, with offset, like 2026-03-01T09:00:00+01:00.")
    ] = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Store one turn of a conversation."""
    said = _text(text) if user_input is None else user_input
    if text and user_input is not None:
        fail("give the text either as an argument or with --user-input", code=USAGE)
    turn = {
        "user_input": said,
        "assistant_response": assistant_response,
        "id": id,
        "conversation_id": conversation,
        "event_time": event_time,
    }

    async def work(memory: UserMemory) -> TurnStored:
        stored = await memory.remember(turn)
        if not no_work:
            await drain(memory)
            stored = await memory.wait_for(stored, "indexed", wait_s=2)
        return stored[0]

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.stored(result))


def _text(words: list[str] | None) -> str:
    return sys.stdin.read() if words == ["-"] else " ".join(words or ())


def import_file(
    ctx: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            exists=True,
            help="An export, JSON Lines of turns, a JSON list, a LoCoMo file, or a folder of the MemoryOS package.",
            show_default=False,
        ),
    ],
    tz: Annotated[str | None, typer.Option("--tz", help="Zone of times without offset, like Europe/Oslo.")] = None,
    format: Annotated[FileFormat, typer.Option("--format", help="What the file holds.")] = FileFormat.AUTO,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Thread of turns without one; for LoCoMo, the one to import.")
    ] = None,
    page_turns: Annotated[int, typer.Option("--page-turns", min=1, max=2, help="LoCoMo: messages in one page.")] = 2,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Import turns from a file, or an export. Repeating it is harmless: what is there is not stored again."""
    from memoryos_graph.transfer.restore import is_export

    if file.is_dir():
        import_package(ctx, file, tz, no_work, user, output)
        return
    if format is FileFormat.AUTO and is_export(file):
        import_export(ctx, file, user, output)
        return
    read = _reader(file, tz=tz, format=format, conversation=conversation, page_turns=page_turns)

    async def work(memory: UserMemory) -> _Imported:
        with progress() as bars:
            done = _Imported(turns=total)
            bar = bars.add_task("store", total=total)
            for batch in _batches(read()):
                done.count(await memory.remember(batch))
                bars.advance(bar, len(batch))
            if not no_work:
                to_index = (await memory.stats()).states["stored"]
                await drain(memory, WorkBars(bars, {"index": to_index}))
        return done

    try:
        total = sum(1 for _ in read())  # the whole file is checked before anything of it is stored
        result = with_memory(user_of(ctx, user), work)
    except KeyboardInterrupt:
        fail("interrupted; repeat the command to go on: what is stored is not stored again")
    if format_of(ctx, output) is Format.JSON:
        print_json(vars(result))
    else:
        print(f"{result.created} created, {result.already_there} already there")


def _reader(
    file: Path, *, format: FileFormat, conversation: str | None, **options: Any
) -> Callable[[], Iterable[TurnIn]]:
    """A function that reads the file from its beginning. Faults of the file end the command with its name."""
    from memoryos_graph.errors import InvalidInput
    from memoryos_graph.transfer import importers

    try:
        kind = importers.detect(file) if format is FileFormat.AUTO else KINDS[format]
    except InvalidInput as exc:
        fail(f"{file}: {exc.detail}")
    if kind == "locomo" and conversation is not None:
        options["conversations"] = [conversation]

    def read() -> Iterator[TurnIn]:
        try:
            yield from importers.read(file, kind, conversation=conversation, **options)
        except InvalidInput as exc:
            fail(f"{file}: {exc.detail}")

    return read


def _batches(turns: Iterable[TurnIn]) -> Iterator[list[TurnIn]]:
    """At most 100 turns and about a million characters in one write."""
    batch: list[TurnIn] = []
    size = 0
    for turn in turns:
        batch.append(turn)
        size += sum(map(len, turn.sides()))
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass
class _Imported:
    """What an import did."""

    turns: int
    created: int = 0
    already_there: int = 0

    def count(self, stored: list[TurnStored]) -> None:
        """Add what one write did."""
        created = sum(one.created for one in stored)
        self.created += created
        self.already_there += len(stored) - created


def list_turns(
    ctx: typer.Context,
    id: Annotated[str | None, typer.Option("--id", help="Only the turn stored under this id of yours.")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
    user: User = None,
    output: Output = None,
) -> None:
    """List turns, newest first."""

    async def work(memory: UserMemory) -> TurnList:
        return await memory.turns(limit=limit, cursor=cursor, id=id)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.turns(result))
