"""Decisions about facts: correct, change, retract, restore, confirm, pin, and facts stated by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import render
from .console import busy, print_result
from .options import NoWork, Output, User, format_of, user_of
from .session import drain, with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import Decided
    from memoryos_graph.user_memory import UserMemory

FactId = Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact.", show_default=False)]
Words = Annotated[list[str] | None, typer.Argument(metavar="[TEXT]", help="What is so, in your words.")]
Instead = Annotated[str | None, typer.Option("--object", help="What is so, in the words of the fact.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why; kept with the decision.")]
ValidFrom = Annotated[str | None, typer.Option("--valid-from", help="Since when it holds: a time with an offset.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="Only if the fact is of this version.")]


def correct(
    ctx: typer.Context,
    fact_id: FactId,
    text: Words = None,
    object: Instead = None,
    reason: Reason = None,
    valid_from: ValidFrom = None,
    version: Version = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Put right what was never so; the old fact stays readable."""
    given: dict[str, Any] = {"object": object, "reason": reason, "valid_from": valid_from, "version": version}
    _decide(ctx, lambda memory: memory.correct(fact_id, _joined(text), **given), no_work, user, output)


def change(
    ctx: typer.Context,
    fact_id: FactId,
    text: Words = None,
    object: Instead = None,
    reason: Reason = None,
    valid_from: ValidFrom = None,
    version: Version = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Say what took the place of a fact in the world, now or since --valid-from."""
    given: dict[str, Any] = {"object": object, "reason": reason, "valid_from": valid_from, "version": version}
    _decide(ctx, lambda memory: memory.change(fact_id, _joined(text), **given), no_work, user, output)


def retract(
    ctx: typer.Context,
    fact_id: FactId,
    reason: Reason = None,
    version: Version = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Take a fact back: it was never so."""
    _decide(ctx, lambda memory: memory.retract(fact_id, reason=reason, version=version), no_work, user, output)


def restore(
    ctx: typer.Context,
    fact_id: FactId,
    reason: Reason = None,
    version: Version = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Undo a correction, change or retraction of a fact: it holds again."""
    _decide(ctx, lambda memory: memory.restore(fact_id, reason=reason, version=version), no_work, user, output)


def confirm(
    ctx: typer.Context,
    fact_id: FactId,
    reason: Reason = None,
    version: Version = None,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Settle that a proposed fact holds, or one in conflict with others."""
    _decide(ctx, lambda memory: memory.confirm(fact_id, reason=reason, version=version), no_work, user, output)


def pin(
    ctx: typer.Context,
    fact_id: FactId,
    pinned: Annotated[bool, typer.Option("--pinned/--not-pinned", help="Keep it, or let it go.")] = True,
    version: Version = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Keep a fact however little it is used."""
    _decide(ctx, lambda memory: memory.pin(fact_id, pinned, version=version), True, user, output)


def state(
    ctx: typer.Context,
    text: Annotated[list[str], typer.Argument(help="The fact, in your words.", show_default=False)],
    predicate: Annotated[str | None, typer.Option("--predicate", help="What is said, such as lives_in.")] = None,
    object: Annotated[str | None, typer.Option("--object", help="Of what it is said, such as Oslo.")] = None,
    valid_from: ValidFrom = None,
    conversation: Annotated[str | None, typer.Option("--conversation", help="The conversation it belongs to.")] = None,
    assistant: Annotated[str, typer.Option("--assistant", help="The assistant it belongs to.")] = "assistant",
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """State a fact by hand."""
    given = {"predicate": predicate, "object": object, "valid_from": valid_from}
    where = {"conversation_id": conversation, "assistant_id": assistant}
    _decide(ctx, lambda memory: memory.state(" ".join(text), **given, **where), no_work, user, output)


def _joined(text: list[str] | None) -> str | None:
    return " ".join(text) if text else None


def _decide(
    ctx: typer.Context,
    deciding: Callable[[UserMemory], Awaitable[Decided]],
    no_work: bool,
    user: User,
    output: Output,
) -> None:
    async def work(memory: UserMemory) -> Decided:
        with busy("writing"):
            done = await deciding(memory)
            if not no_work:
                await drain(memory)
        return done

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render.decided(result))
