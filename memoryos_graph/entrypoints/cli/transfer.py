"""`export`, `import` of what it wrote, and `evidence`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from .console import busy, note, print_result
from .options import AsOf, KnownAt, Output, User, format_of, user_of
from .session import drain, with_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from memoryos_graph.contract import Imported, PackageImported
    from memoryos_graph.user_memory import UserMemory

TRIES = 3

File = Annotated[
    Path | None,
    typer.Argument(dir_okay=False, help="Where to write it; stdout without. It is there when it is whole."),
]


def export(
    ctx: typer.Context,
    file: File = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    user: User = None,
) -> None:
    """Write one user's memory as JSON Lines, each with a hash, to be imported elsewhere."""
    with_memory(user_of(ctx, user), lambda m: _write(file, lambda: m.export(as_of=as_of, known_at=known_at)))


def evidence(
    ctx: typer.Context,
    file: File = None,
    known_at: KnownAt = None,
    script: Annotated[
        bool, typer.Option("--script", help="Print the program that checks such a file; it needs only Python 3.11.")
    ] = False,
    user: User = None,
) -> None:
    """Write what was believed at a time, with the words that prove it, as a file that anybody can check."""
    if script:
        from memoryos_graph.transfer import verify_evidence

        print(Path(verify_evidence.__file__).read_text(encoding="utf-8"), end="")
        return
    with_memory(user_of(ctx, user), lambda m: _write(file, lambda: m.evidence(known_at=known_at)))


async def _write(file: Path | None, pieces: Callable[[], AsyncIterator[bytes]]) -> None:
    from memoryos_graph.errors import TryAgain

    for left in range(TRIES, 0, -1):
        try:
            with _written(file) as to:
                async for piece in pieces():
                    to.write(piece)
            return
        except TryAgain as exc:
            if file is None or left == 1:
                raise
            note(f"{exc.detail}; once more")


@contextmanager
def _written(file: Path | None) -> Iterator[IO[bytes]]:
    """Stdout, or a file that takes its place when all is written, readable by its owner only."""
    if file is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = file.with_name(f"{file.name}.part")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        with draft.open("wb") as to:
            yield to
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def import_export(ctx: typer.Context, file: Path, user: User, output: Output) -> None:
    """Write an export back into an empty memory."""

    async def work(memory: UserMemory) -> Imported:
        with busy("writing the memory back"):
            return await memory.import_(file)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: _told(result))
    if not result.same_key:
        note("the file was made with another secret key: its events and receipts can't be proved here")


def import_package(ctx: typer.Context, folder: Path, tz: str | None, no_work: bool, user: User, output: Output) -> None:
    """Take over a data folder of the published MemoryOS package."""

    async def work(memory: UserMemory) -> PackageImported:
        with busy("taking the folder over"):
            result = await memory.import_package(folder, tz=tz)
            if not no_work:
                await drain(memory)
            return result

    result = with_memory(user_of(ctx, user), work)
    counts = {"created": result.created, "already there": result.already_there, "forgotten": result.forgotten}
    said = [f"{count} {what}" for what, count in counts.items() if count or what != "forgotten"]
    said += [f"{result.facts} facts", *(f"left out: {count} {why}" for why, count in result.left_out.items())]
    print_result(result, format_of(ctx, output), lambda: ", ".join(said))


def _told(result: Imported) -> str:
    if result.already_there:
        return "already there: nothing was written"
    nodes, joined = sum(result.nodes.values()), sum(result.relationships.values())
    turns, facts = result.nodes.get("Page", 0), result.nodes.get("Fact", 0)
    return f"{turns} turns, {facts} facts; {nodes} nodes, {joined} relationships"
