"""What a user lets the memory keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from .console import print_result
from .options import Output, User, format_of, user_of
from .session import with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import PolicyOut
    from memoryos_graph.user_memory import UserMemory

Remember = Annotated[
    str | None,
    typer.Option("--remember", help="The mode of turns that name none: auto, session_only or never_long_term."),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="CLASS=ACTION", help="Such as health=ask; actions: store, ask, session_only, redact, never."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="WHAT=DAYS", help="Such as mtm_days=365, past_facts_days, answers_days; 0 keeps."),
]
Stale = Annotated[
    int | None,
    typer.Option("--stale-after-days", min=0, help="Days unused until a fact asks to be confirmed; 0 never."),
]


def policy(
    ctx: typer.Context,
    remember: Remember = None,
    classes: Classes = None,
    keep: Keep = None,
    stale_after_days: Stale = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Show what a user lets the memory keep, and change what is given."""
    given = {"remember": remember, "stale_after_days": stale_after_days}
    changed = {name: value for name, value in given.items() if value is not None}
    actions, days = _pairs(classes, "--class"), _pairs(keep, "--keep")

    async def work(memory: UserMemory) -> PolicyOut:
        now = await memory.policy()
        if not (changed or actions or days):
            return now
        whole: dict[str, Any] = now.model_dump(mode="json") | changed
        whole["classes"] |= actions
        whole["retention"] |= days
        return await memory.set_policy(**whole)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: _table(result))


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    pairs = [one.partition("=") for one in given or ()]
    if any(not name or not value for name, _, value in pairs):
        raise typer.BadParameter("name=value is expected", param_hint=option)
    return {name: value for name, _, value in pairs}


def _table(result: PolicyOut) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_row("turns", result.remember)
    for kind, action in result.classes.items():
        table.add_row(kind, action.value)
    for name, days in result.retention.model_dump().items():
        table.add_row(name.removesuffix("_days").replace("_", " "), f"{days} days" if days else "kept")
    stale = result.stale_after_days
    table.add_row("stale", f"after {stale} days" if stale else "never")
    return table
