"""What was done to a memory, and whether the record of it is whole."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from memoryos_graph.domain.event import EventKind

from . import render_audit
from .console import FAILED, USAGE, fail, print_result
from .options import Cursor, Limit, Output, User, format_of, user_of, user_or_all
from .session import run_async, with_memory, with_service

if TYPE_CHECKING:
    from memoryos_graph.contract import AuditHead, AuditVerified, DoctorReport, EventList
    from memoryos_graph.service import MemoryService
    from memoryos_graph.user_memory import UserMemory

Kind = StrEnum("Kind", {kind.upper(): kind for kind in get_args(EventKind)})  # type: ignore[misc]

audit = typer.Typer(help="The chain of events: its head, and whether it is whole.", no_args_is_help=True)


def timeline(
    ctx: typer.Context,
    kind: Annotated[Kind | None, typer.Option("--kind", "-k", help="Only events of this kind.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    user: User = None,
    output: Output = None,
) -> None:
    """List what was done to a memory, newest first, with its numbers."""

    async def work(memory: UserMemory) -> EventList:
        return await memory.timeline(kind=kind.value if kind else None, limit=limit, cursor=cursor)

    result = with_memory(user_of(ctx, user), work)
    empty = f"no events of {user_of(ctx, user)}" + (f" of kind {kind.value}" if kind else "")
    print_result(result, format_of(ctx, output), lambda: render_audit.timeline(result, empty=empty))


@audit.command()
def head(ctx: typer.Context, user: User = None, output: Output = None) -> None:
    """Show the newest event as SEQ:HASH. Kept elsewhere it proves all events until then."""

    async def work(memory: UserMemory) -> AuditHead:
        return await memory.audit_head()

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_audit.head(result))


@audit.command()
def verify(
    ctx: typer.Context,
    head: Annotated[
        str | None, typer.Option("--head", metavar="SEQ:HASH", help="An earlier head that must still be part of it.")
    ] = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Walk the chain of events. Exit code 1 when it is not whole."""
    earlier = _head(head) if head else None

    async def work(memory: UserMemory) -> AuditVerified:
        return await memory.verify_audit(head=earlier)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_audit.verified(result))
    if not result.ok:
        raise typer.Exit(FAILED)


def doctor(
    ctx: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended without a loss, and check again.")
    ] = False,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user. (default: all)")] = None,
    output: Output = None,
) -> None:
    """Check the rules of the database, for all users. Exit code 1 when something is wrong."""
    named = user_or_all(ctx, user)

    async def work(service: MemoryService) -> DoctorReport:
        return await service.doctor(fix=fix, user=named)

    result = run_async(with_service(work))
    print_result(result, format_of(ctx, output), lambda: render_audit.report(result))
    if not result.ok:
        raise typer.Exit(FAILED)


def _head(text: str) -> dict[str, Any]:
    match = re.fullmatch(r"(\d{1,15}):([0-9a-f]{64}|)", text.strip())
    if match is None:
        fail("--head must be SEQ:HASH, as `memoryos audit head` shows it", USAGE)
    return {"seq": int(match[1]), "hash": match[2]}
