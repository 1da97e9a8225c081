"""Background work: run it now, see what was run."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from . import render
from .console import note, print_result, progress
from .options import Cursor, Limit, Output, User, format_of, user_of
from .session import WorkBars, drain, run_async, settings, with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import Maintenance, RunList, RunOut
    from memoryos_graph.user_memory import UserMemory


class Step(StrEnum):
    """What can be run."""

    INDEX = "index"
    MIGRATE = "migrate"
    PROMOTE = "promote"
    ARCHIVE = "archive"
    ALL = "all"


class State(StrEnum):
    """What became of a run; parked is what is not tried again by itself for now."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    PARKED = "parked"


runs = typer.Typer(invoke_without_command=True, help="List what was run, newest first; or retry what failed.")


def run(
    ctx: typer.Context,
    step: Annotated[Step, typer.Argument(help="Which step.", show_default=False)],
    force: Annotated[
        bool | None,
        typer.Option(
            "--force/--no-force",
            help="Migrate all of short-term memory and promote whatever the heat; or only what is due. "
            "(default: force for all)",
            show_default=False,
        ),
    ] = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Index, migrate, promote and archive now instead of waiting for the service."""

    async def work(memory: UserMemory) -> Maintenance:
        with progress() as bars:
            return await memory.maintain(step.value, force=force, on_run=WorkBars(bars))

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.runs(result.runs))


def reembed(ctx: typer.Context, output: Output = None) -> None:
    """Change all vectors to those of the embedding model that is set now. If it is stopped, run it again to go on."""
    from memoryos_graph.service import MemoryService

    with progress() as bars:
        task = bars.add_task("reembed", total=None)

        def count(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        result = run_async(MemoryService.reembed(settings(), on_progress=note, on_vectors=count))
    print_result(result, format_of(ctx, output), lambda: render.reembedded(result))


@runs.callback()
def list_runs(
    ctx: typer.Context,
    state: Annotated[State | None, typer.Option("--state", help="Only runs in this state.")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
    user: User = None,
    output: Output = None,
) -> None:
    """List what was run, newest first; or retry what failed."""
    if ctx.invoked_subcommand is not None:
        return

    async def work(memory: UserMemory) -> RunList:
        return await memory.runs(state=state.value if state else None, limit=limit, cursor=cursor)

    result = with_memory(user_of(ctx, user), work)
    whose = f"no runs of {user_of(ctx, user)}" + (f" in state {state.value}" if state else "")
    print_result(result, format_of(ctx, output), lambda: render.runs(result.items, result.next_cursor, empty=whose))


@runs.command()
def retry(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a failed or parked run.", show_default=False)],
    user: User = None,
    output: Output = None,
) -> None:
    """Try again what a run failed at, now and with all its attempts; show what was run."""

    async def work(memory: UserMemory) -> list[RunOut]:
        await memory.retry(run)
        return await drain(memory)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.runs(result))
