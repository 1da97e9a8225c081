"""Questions: an answer with what it rests on, and the parts of a prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import render_answers
from .console import USAGE, busy, fail, print_result
from .options import AsOf, KnownAt, NoWork, Output, User, format_of, user_of
from .session import drain, with_memory

if TYPE_CHECKING:
    from memoryos_graph.contract import AnswerResult, ContextResult
    from memoryos_graph.user_memory import UserMemory

Question = Annotated[list[str], typer.Argument(help="The question.", show_default=False)]
TopK = Annotated[int, typer.Option("--top-k", "-k", min=1, max=200, help="At most so many results as evidence.")]
Budget = Annotated[int, typer.Option("--budget-tokens", min=200, help="Tokens that all parts may take.")]
Conversation = Annotated[
    str | None, typer.Option("--conversation", help="The thread whose recent turns are told. (default: all)")
]
Assistant = Annotated[str, typer.Option("--assistant", help="Who is asked.")]

answers = typer.Typer(help="Answers given before.", no_args_is_help=True)


def context(
    ctx: typer.Context,
    query: Question,
    top_k: TopK = 10,
    budget_tokens: Budget = 4_000,
    conversation: Conversation = None,
    assistant: Assistant = "assistant",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Gather what a prompt about a question needs: persona, evidence, recent turns, what disagrees."""

    async def work(memory: UserMemory) -> ContextResult:
        with busy("searching"):
            return await memory.context(
                " ".join(query),
                top_k=top_k,
                budget_tokens=budget_tokens,
                conversation_id=conversation,
                assistant_id=assistant,
                as_of=as_of,
                known_at=known_at,
            )

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_answers.context(result))


def answer(
    ctx: typer.Context,
    query: Question,
    top_k: TopK = 10,
    budget_tokens: Budget = 4_000,
    conversation: Conversation = None,
    assistant: Assistant = "assistant",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    relationship: Annotated[str, typer.Option("--relationship", help="Who the assistant is to the user.")] = "",
    style_hint: Annotated[str, typer.Option("--style-hint", help="How to sound, and how long to be.")] = "",
    system: Annotated[str, typer.Option("--system", help="Instructions of the application.")] = "",
    metadata: Annotated[str, typer.Option("--metadata", help="The situation, as a JSON object.")] = "{}",
    id: Annotated[str | None, typer.Option("--id", help="Your id of the turn; makes a repeat harmless.")] = None,
    store: Annotated[bool, typer.Option("--store/--no-store", help="Remember the turn and its answer.")] = True,
    no_work: NoWork = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Answer a question from memory, with what the answer rests on."""
    given = {
        "top_k": top_k,
        "budget_tokens": budget_tokens,
        "conversation_id": conversation,
        "assistant_id": assistant,
        "as_of": as_of,
        "known_at": known_at,
        "relationship": relationship,
        "style_hint": style_hint,
        "system": system,
        "metadata": _object(metadata),
        "id": id,
        "store": store,
    }

    async def work(memory: UserMemory) -> AnswerResult:
        with busy("answering"):
            result = await memory.answer(" ".join(query), **given)
        if store and not no_work:
            await drain(memory)
        return result

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_answers.answer(result))


@answers.command()
def show(
    ctx: typer.Context,
    answer_id: Annotated[str, typer.Argument(metavar="ANSWER", help="Id of an answer.", show_default=False)],
    user: User = None,
    output: Output = None,
) -> None:
    """Show what was asked, said and used."""

    async def work(memory: UserMemory) -> AnswerResult:
        return await memory.get_answer(answer_id)

    result = with_memory(user_of(ctx, user), work)
    print_result(result, format_of(ctx, output), lambda: render_answers.answer(result))


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        fail("--metadata must be a JSON object", USAGE)
