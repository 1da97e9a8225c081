"""What goes where: results to stdout, all else to stderr, errors in one line."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    Printable = BaseModel | Sequence[BaseModel] | dict[str, Any]

FAILED = 1
USAGE = 2
PIPE_WIDTH = 160


class Format(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


@cache
def out() -> Console:
    """Stdout. Wide when it is no terminal, so that nothing is cut."""
    from rich.console import Console

    return _console(Console(highlight=False, soft_wrap=False))


@cache
def err() -> Console:
    """Stderr."""
    from rich.console import Console

    return _console(Console(highlight=False, stderr=True))


def _console(console: Console) -> Console:
    import os

    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def shown(text: str) -> str:
    """Text of a user as it may be printed: control characters, which could steer a terminal, become visible signs.

    The length stays, so that offsets hold.
    """
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"):
        return char
    if char in "\u200c\u200d":  # they join letters and emoji
        return char
    return chr(0x2400 + ord(char)) if ord(char) < 0x20 else "\ufffd"


def print_result(result: Printable, form: Format, table: Callable[[], RenderableType]) -> None:
    """Print a result as JSON, or as `table` makes it."""
    if form is Format.JSON:
        print_json(result)
    else:
        out().print(table())


def print_json(result: Printable) -> None:
    """Print plain JSON, without colours."""
    if isinstance(result, dict):
        value: Any = result
    elif isinstance(result, Sequence):
        value = [item.model_dump(mode="json") for item in result]
    else:
        value = result.model_dump(mode="json")
    print(json.dumps(value, ensure_ascii=False, indent=2))


def note(text: str) -> None:
    """One line for the person at the terminal."""
    print(f"memoryos: {shown(text)}", file=sys.stderr, flush=True)


def fail(text: str, code: int = FAILED) -> NoReturn:
    """Say what is wrong in one line, and end."""
    note(" ".join(text.split()))
    raise typer.Exit(code)


@contextmanager
def busy(text: str) -> Iterator[Callable[[str], None]]:
    """A spinner with a text that can be changed, on a terminal; elsewhere nothing."""
    console = err()
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.text import Text

    with console.status(Text(text)) as status:
        yield lambda changed: status.update(Text(changed))


@contextmanager
def progress() -> Iterator[Progress]:
    """Progress bars on stderr; nothing is shown when it is no terminal."""
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Count(ProgressColumn):
        """How many of how many, as far as that is known."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.completed:.0f}" + ("" if task.total is None else f"/{task.total:.0f}"), "green")

    console = err()
    columns = (TextColumn("{task.description:<10}"), BarColumn(), Count(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        yield bars
