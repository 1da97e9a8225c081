"""What is known and why: search, facts, segments, counts."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memoryos_graph.domain.claim import FactKind
from memoryos_graph.domain.fact import FactStatus
from memoryos_graph.domain.page import Side

from . import render
from .console import USAGE, busy, fail, print_result
from .options import AsOf, Cursor, KnownAt, Limit, Output, User, format_of, user_of
from .session import with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import (
        FactHistory,
        FactList,
        SearchResult,
        SegmentDetail,
        SegmentList,
        Stats,
        TurnDetail,
        Why,
    )
    from memoryos_graph.user_memory import UserMemory


class Kind(StrEnum):
    """What search can give."""

    PAGE = "page"
    FACT = "fact"
    SEGMENT = "segment"


class Mode(StrEnum):
    """How search ranks."""

    HYBRID = "hybrid"
    FLAT = "flat"
    MEMORYOS = "memoryos"


class Included(StrEnum):
    """What search leaves out unless it is asked for."""

    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


def search(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, max=200, help="At most so many pages and facts.")] = 10,
    top_m: Annotated[int, typer.Option("--top-m", "-m", min=1, max=50, help="At most so many segments.")] = 5,
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Only this kind, repeatable. (default: page, fact)")
    ] = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="The whole recipe, vectors only, or the gate of the published MemoryOS.")
    ] = Mode.HYBRID,
    conversation: Annotated[str | None, typer.Option("--conversation", help="Only of this conversation.")] = None,
    assistant: Annotated[str | None, typer.Option("--assistant", help="Only of this assistant.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only with this tag; repeat it for several.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only what was said from then on.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only what was said before.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    include: Annotated[
        list[Included] | None, typer.Option("--include", help="Also what was replaced, or archived.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", min=1, help="At most so many tokens of text.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score.")] = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Find pages, facts and segments by meaning, words and time."""
    options: dict[str, Any] = {
        "top_k": top_k,
        "top_m": top_m,
        "kinds": [one.value for one in kind or (Kind.PAGE, Kind.FACT)],
        "mode": mode.value,
        "conversation_id": conversation,
        "assistant_id": assistant,
        "tags": tag or [],
        "since": since,
        "until": until,
        "as_of": as_of,
        "known_at": known_at,
        "include": [one.value for one in include or ()],
        "budget_tokens": budget_tokens,
        "explain": explain,
    }

    async def work(memory: UserMemory) -> SearchResult:
        with busy("searching"):
            return await memory.search(" ".join(query), **options)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.hits(result, explain=explain))


def why(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(metavar="FACT_OR_PAGE", help="Id of a fact or of a page.", show_default=False)],
    user: User = None,
    output: Output = None,
) -> None:
    """Show where a fact comes from, or all that came of a page."""

    async def work(memory: UserMemory) -> Why | TurnDetail:
        from memoryos_graph.errors import NotFound

        try:
            return await memory.why(id)
        except NotFound:
            pass
        try:
            return await memory.turn(id)
        except NotFound:
            raise NotFound("this user has no fact and no page with this id") from None

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.why(result))


def facts(
    ctx: typer.Context,
    kind: Annotated[FactKind | None, typer.Option("--kind", help="Only facts of this kind.")] = None,
    status: Annotated[
        FactStatus | None, typer.Option("--status", help="Only facts of this status. (default: current)")
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", "-a", help="Facts of every status, also what is no longer true.")
    ] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    origin: Annotated[Side | None, typer.Option("--origin", help="Only what this speaker says.")] = None,
    stale: Annotated[bool | None, typer.Option("--stale/--fresh", help="Only those that ask to be confirmed.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    user: User = None,
    output: Output = None,
) -> None:
    """List facts, newest first, each with the words that say so: those of now, or of another moment."""
    if all and status:
        fail("--all and --status exclude each other", USAGE)
    wanted = None if all else (status or FactStatus.CURRENT).value

    async def work(memory: UserMemory) -> FactList:
        return await memory.facts(
            kind=kind,
            status=wanted,
            as_of=as_of,
            known_at=known_at,
            origin=origin,
            stale=stale,
            limit=limit,
            cursor=cursor,
        )

    result = with_memory(user_of(ctx, user), work)
    scope = [f"no {wanted or ''} facts".replace("  ", " "), f"of {user_of(ctx, user)}"]
    empty = " ".join(scope + ([f"of kind {kind.value}"] if kind else []))
    print_result(result, format_of(ctx, output), lambda: render.facts(result, empty=empty))


def history(
    ctx: typer.Context,
    fact_id: Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact.", show_default=False)],
    user: User = None,
    output: Output = None,
) -> None:
    """Show what a fact replaced, what replaced it, and what disagrees with it."""

    async def work(memory: UserMemory) -> FactHistory:
        return await memory.fact_history(fact_id)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.history(result))


def segments(
    ctx: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[SEGMENT]", help="Only this one, with its pages.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    user: User = None,
    output: Output = None,
) -> None:
    """List topics with their heat and its parts; or one topic with its pages."""
    if id is None:
        _list_segments(ctx, limit, cursor, user, output)
        return

    async def work(memory: UserMemory) -> SegmentDetail:
        return await memory.segment(id)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.segment(result))


def _list_segments(ctx: typer.Context, limit: int, cursor: str | None, user: User, output: Output) -> None:
    async def work(memory: UserMemory) -> SegmentList:
        return await memory.segments(limit=limit, cursor=cursor)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.segments(result))


def stats(ctx: typer.Context, user: User = None, output: Output = None) -> None:
    """Count what a user has."""

    async def work(memory: UserMemory) -> Stats:
        return await memory.stats()

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.stats(result))
