"""`memoryos eval`: how well the memory finds, on data sets whose answers are known."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import Format, note, out, print_json, progress
from .options import Output, format_of
from .session import run_async, with_service

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from memoryos_graph.eval.cases import Dataset
    from memoryos_graph.eval.run import Report
    from memoryos_graph.service import MemoryService

evaluations = typer.Typer(help="How well the memory finds and answers, measured.", no_args_is_help=True)


class EvalMode(StrEnum):
    """Which memory is measured."""

    HYBRID = "hybrid"
    MEMORYOS = "memoryos"
    FLAT = "flat"
    FULL = "full"
    NONE = "none"


Mode = Annotated[
    EvalMode,
    typer.Option("--mode", help="The whole recipe, the published gate, vectors only, all pages in order, no memory."),
]


Answers = Annotated[bool, typer.Option("--answers", help="Also answer each question, by the provider of the settings.")]
OutDir = Annotated[
    Path | None,
    typer.Option("--out", file_okay=False, help="A folder for the figures as JSON, and a page with all modes in it."),
]


@evaluations.command()
def locomo(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The LoCoMo file.", show_default=False)],
    mode: Mode = EvalMode.HYBRID,
    page_turns: Annotated[int, typer.Option("--page-turns", min=1, max=2, help="Messages in one page.")] = 2,
    conversations: Annotated[
        str | None, typer.Option("--conversations", help="Ids of conversations, with commas between. (default: all)")
    ] = None,
    answers: Answers = False,
    out_dir: OutDir = None,
    output: Output = None,
) -> None:
    """Evidence recall and speed on LoCoMo, without any language model."""
    only = [name.strip() for name in conversations.split(",")] if conversations else None

    def load() -> Dataset:
        from memoryos_graph.eval import locomo as files

        return files.dataset(path, 2 if page_turns == 2 else 1, only)

    _evaluate(load, mode, answers, out_dir, format_of(ctx, output))


@evaluations.command()
def gvd(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The users' file.", show_default=False)],
    questions: Annotated[Path, typer.Option("--questions", exists=True, dir_okay=False, help="The questions' file.")],
    gold: Annotated[
        Path | None,
        typer.Option("--gold", exists=True, dir_okay=False, help="Which pages answer: without it, no recall."),
    ] = None,
    mode: Mode = EvalMode.HYBRID,
    answers: Answers = False,
    out_dir: OutDir = None,
    output: Output = None,
) -> None:
    """Evidence recall and speed on the GVD files of MemoryBank, Chinese or English."""

    def load() -> Dataset:
        from memoryos_graph.eval import gvd as files

        return files.dataset(path, questions, gold)

    _evaluate(load, mode, answers, out_dir, format_of(ctx, output))


def _evaluate(load: Callable[[], Dataset], mode: EvalMode, answers: bool, out_dir: Path | None, form: Format) -> None:
    async def work(service: MemoryService) -> Report:
        from memoryos_graph.eval.run import evaluate

        with progress() as bars:
            return await evaluate(service, load(), mode=mode.value, answers=answers, on_progress=_Phases(bars))

    report = run_async(with_service(work))
    if out_dir is not None:
        from memoryos_graph.eval.results import write

        note(f"written: {write(report, out_dir)}")
    _print(report, form)


class _Phases:
    """One bar for each phase."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase)
        self._bars.update(self._tasks[phase], completed=done, total=total)


def _print(report: Report, form: Format) -> None:
    if form is Format.JSON:
        print_json(report)
    else:
        from .render import figures

        out().print(figures(_short(report.model_dump(mode="json"))))


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """Lists of places as their lengths: the places are in the JSON."""
    return {
        name: _short(value)
        if isinstance(value, dict)
        else len(value)
        if name not in _KEPT and isinstance(value, list)
        else value
        for name, value in result.items()
    }


_KEPT = ("conversations",)
