"""Figures: how well search finds, and how fast things are."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import render
from .console import Format, note, out, print_json, progress
from .options import Output, format_of
from .session import run_async, settings, with_service

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from memoryos_graph.eval.locomo import LocomoReport
    from memoryos_graph.service import MemoryService

evaluations = typer.Typer(help="How well search finds the evidence of questions.", no_args_is_help=True)


class EvalMode(StrEnum):
    """How search ranks."""

    HYBRID = "hybrid"
    FLAT = "flat"


@evaluations.callback()
def _evaluations() -> None:
    """Keeps `locomo` a command of its own while it is the only one."""


@evaluations.command()
def locomo(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The LoCoMo file.", show_default=False)],
    mode: Annotated[EvalMode, typer.Option("--mode", help="The whole recipe, or vectors only.")] = EvalMode.HYBRID,
    page_turns: Annotated[int, typer.Option("--page-turns", min=1, max=2, help="Messages in one page.")] = 2,
    conversations: Annotated[
        str | None, typer.Option("--conversations", help="Ids of conversations, with commas between. (default: all)")
    ] = None,
    output: Output = None,
) -> None:
    """Evidence recall and speed on LoCoMo, without any language model."""
    only = [name.strip() for name in conversations.split(",")] if conversations else None

    async def work(service: MemoryService) -> LocomoReport:
        from memoryos_graph.eval.locomo import evaluate_locomo

        with progress() as bars:
            return await evaluate_locomo(
                service,
                path,
                mode=mode.value,
                page_turns=2 if page_turns == 2 else 1,
                conversations=only,
                on_progress=_Phases(bars),
            )

    result = run_async(with_service(work))
    _print(result.model_dump(mode="json"), format_of(ctx, output))


class _Phases:
    """One bar for each phase."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase)
        self._bars.update(self._tasks[phase], completed=done, total=total)


def bench(
    ctx: typer.Context,
    parts: Annotated[
        list[str] | None, typer.Argument(help="Which parts, such as add or search. (default: all)")
    ] = None,
    output: Output = None,
) -> None:
    """Measure adding and searching against the bare driver, as ratios in one run."""
    from memoryos_graph.eval.bench import bench as measure

    result = run_async(measure(settings(), parts or None, on_progress=note))
    _print(result if isinstance(result, dict) else result.model_dump(mode="json"), format_of(ctx, output))


def _print(result: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(result)
    else:
        out().print(render.figures(result))
