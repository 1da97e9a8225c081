"""Options and arguments that many commands have."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .console import Format

DEFAULT_USER = "me"

User = Annotated[
    str | None, typer.Option("--user", "-u", help=f"Whose memory. (default: {DEFAULT_USER})", show_default=False)
]
Output = Annotated[
    Format | None, typer.Option("--output", "-o", help="How to print results. (default: table)", show_default=False)
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="At most so many.")]
Cursor = Annotated[str | None, typer.Option(help="Where the list before ended: its next_cursor.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="What was true then: a time such as 2026-03-01T09:00:00Z.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", help="What was believed then: a time with an offset.")]
NoWork = Annotated[
    bool, typer.Option("--no-work", help="Only store; leave indexing, migration and promotion to a running service.")
]


def user_of(ctx: typer.Context, user: str | None) -> str:
    """The user of a command: given after it, before it, or the default."""
    return _given(ctx, user, "user") or DEFAULT_USER


def user_or_all(ctx: typer.Context, user: str | None) -> str | None:
    """The user that was named for a command; None for all."""
    named: str | None = _given(ctx, user, "user")
    return named


def format_of(ctx: typer.Context, output: Format | None) -> Format:
    """The output format of a command: given after it, before it, or a table."""
    return Format(_given(ctx, output, "output") or Format.TABLE)


def _given(ctx: typer.Context, value: Any, name: str) -> Any:
    return ctx.find_root().params.get(name) if value is None else value
