"""`memoryos bench`: how fast things are."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import render
from .console import Format, note, out, print_json
from .options import Output, format_of
from .session import run_async, settings


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
