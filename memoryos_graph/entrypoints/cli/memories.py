"""`memoryos eval review` and `replay`: what was written, judged by a person or beside an earlier version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import FAILED, Format, out, print_json, shown
from .options import Output, User, format_of, user_of
from .session import run_async, with_memory, with_service

if TYPE_CHECKING:
    from memoryos_graph.contract import FactOut
    from memoryos_graph.service import MemoryService
    from memoryos_graph.user_memory import UserMemory


def review(
    ctx: typer.Context,
    sample: Annotated[int, typer.Option("--sample", min=1, max=1000, help="How many facts and traits.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Another seed is another sample.")] = 1,
    user: User = None,
    output: Output = None,
) -> None:
    """A sheet of facts and traits with their words, for a person to tick; in Markdown, or as JSON."""
    user_id = user_of(ctx, user)

    async def work(memory: UserMemory) -> list[FactOut]:
        from memoryos_graph.eval.review import sample as draw

        return await draw(memory, sample, seed)

    facts = with_memory(user_id, work)
    if format_of(ctx, output) is Format.JSON:
        print_json(facts)
    else:
        from memoryos_graph.eval.review import sheet

        print(shown(sheet(user_id, facts, seed)), end="")


def replay(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Turns as JSON Lines.", show_default=False)],
    against: Annotated[
        Path | None, typer.Option("--against", exists=True, dir_okay=False, help="A snapshot to compare with.")
    ] = None,
    write: Annotated[Path | None, typer.Option("--write", dir_okay=False, help="Keep the snapshot here.")] = None,
    output: Output = None,
) -> None:
    """Live through a recorded user again, and show what the memory became differently; it fails when something did."""
    if against is None and write is None:
        raise typer.BadParameter("--against or --write is needed")

    async def work(service: MemoryService) -> dict[str, Any]:
        from memoryos_graph.eval import replay as replaying

        before = replaying.read_snapshot(against) if against else None
        snapshot = await replaying.replay(service, path)
        if write is not None:
            replaying.write_snapshot(snapshot, write)
        return replaying.differences(before, snapshot) if before else {}

    found = run_async(with_service(work))
    if against is not None:
        if format_of(ctx, output) is Format.JSON:
            print_json(found)
        else:
            from .render import differences

            out().print(differences(found))
    if found:
        raise typer.Exit(FAILED)
