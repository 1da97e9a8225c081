"""Erasing on disk: what it costs, a question, and bars while it is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .console import USAGE, busy, fail, note, print_result, progress
from .options import Output, format_of
from .session import run_async, settings

if TYPE_CHECKING:
    from rich.progress import TaskID

    from memoryos_graph.contract import ResidueCost, ResidueErased

STEPS = {"log": "logs", "files": "files", "indexes": "indexes"}


def erase_residue(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    output: Output = None,
) -> None:
    """Erase on disk what was deleted: Neo4j leaves its bytes in its files. Stops and starts the managed server once.

    Says before what it costs. Can be stopped at any moment, and run again.
    """
    from memoryos_graph.service import MemoryService

    chosen = settings()
    with busy("looking how much there is"):
        cost = run_async(MemoryService.residue_cost(chosen, on_progress=note))
    note(_cost(cost))
    if not yes:
        if not sys.stdin.isatty():
            fail("nobody is there to ask: add --yes", USAGE)
        typer.confirm("Erase now?", abort=True, err=True)
    with progress() as bars:
        tasks: dict[str, TaskID] = {}

        def show(step: str, done: float, total: float) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(STEPS[step], total=total)
            bars.update(tasks[step], completed=done)

        result = run_async(MemoryService.erase_residue(chosen, on_progress=show))
    print_result(result, format_of(ctx, output), lambda: _done(result))


def _cost(cost: ResidueCost) -> str:
    return (
        f"{cost.nodes:,} nodes, {cost.bytes / 1e6:,.0f} MB on disk: nothing answers for about {cost.unavailable_s} s, "
        f"then search waits or is refused for about {cost.degraded_s} s while indexes are built; all else goes on"
    )


def _done(result: ResidueErased) -> str:
    return (
        f"erased on disk what was deleted before {result.erased_at:%Y-%m-%d %H:%M:%S} UTC: {result.bytes:,} bytes in "
        f"{result.records:,} records, the old transaction logs and all indexes, in {result.seconds:.0f} s"
    )
