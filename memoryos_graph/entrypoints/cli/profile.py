"""The profile: of now, of a version, of another moment; its versions, differences, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import render
from .console import print_result
from .options import AsOf, Cursor, KnownAt, Limit, Output, User, format_of, user_of
from .session import with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import ProfileDiff, ProfileOut, ProfileVersionList, RollbackOut
    from memoryos_graph.user_memory import UserMemory

profile = typer.Typer(
    help="What is known of a user, rendered from facts: now, of a version, or at another moment.",
    invoke_without_command=True,
)
VersionOrTime = Annotated[str, typer.Argument(help="A version, or a time with an offset.", show_default=False)]


@profile.callback()
def show(
    ctx: typer.Context,
    version: Annotated[int | None, typer.Option("--version", min=0, help="The profile of this version.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Show what is known of a user, rendered from facts."""
    if ctx.invoked_subcommand:
        return

    async def work(memory: UserMemory) -> ProfileOut:
        return await memory.profile(version=version, as_of=as_of, known_at=known_at)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.profile(result))


@profile.command()
def versions(
    ctx: typer.Context, limit: Limit = 50, cursor: Cursor = None, user: User = None, output: Output = None
) -> None:
    """List versions, newest first, with what each changed."""

    async def work(memory: UserMemory) -> ProfileVersionList:
        return await memory.profile_versions(limit=limit, cursor=cursor)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.profile_versions(result))


@profile.command()
def diff(
    ctx: typer.Context,
    start: VersionOrTime,
    end: Annotated[str | None, typer.Argument(help="The same; now without.", show_default=False)] = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Show what differs between two versions, or two times at which something was believed."""

    async def work(memory: UserMemory) -> ProfileDiff:
        return await memory.profile_diff(start, end)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.profile_diff(result))


@profile.command()
def rollback(
    ctx: typer.Context,
    version: Annotated[int, typer.Argument(min=0, help="The version to go back to.", show_default=False)],
    user: User = None,
    output: Output = None,
) -> None:
    """Make the facts of a version the current ones again; what was believed in between stays on record."""

    async def work(memory: UserMemory) -> RollbackOut:
        return await memory.profile_rollback(version)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.rolled_back(result))
