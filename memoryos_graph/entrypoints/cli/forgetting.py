"""`forget`, which shows its plan and asks, and `receipt`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memoryos_graph.domain.forgetting import ReasonCode

from .console import FAILED, Format, err, fail, out, print_result, shown
from .options import Output, User, format_of, user_of
from .session import run_async, with_memory, with_service

if TYPE_CHECKING:
    from memoryos_graph.contract import ForgetPlan, Receipt, ReceiptCheck, ReceiptList
    from memoryos_graph.service import MemoryService
    from memoryos_graph.user_memory import UserMemory

WHAT = {
    "goes": "goes",
    "loses_words": "loses words",
    "made_anew": "made anew",
    "stays": "stays",
    "holds_again": "holds again",
    "also_said_in": "also said in, kept unless --also",
}

receipt = typer.Typer(help="Receipts: proof of what was forgotten.", no_args_is_help=True)


def forget(
    ctx: typer.Context,
    page: Annotated[list[str] | None, typer.Option("--page", help="Id of a turn; may be repeated.")] = None,
    fact: Annotated[list[str] | None, typer.Option("--fact", help="Id of a fact; may be repeated.")] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="With --fact: black its words out where they stand.")
    ] = False,
    conversation: Annotated[str | None, typer.Option("--conversation", help="All of a conversation.")] = None,
    query: Annotated[str | None, typer.Option("--query", help="All turns with these words.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="All turns from this time on.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="All turns before this time.")] = None,
    assistant: Annotated[str | None, typer.Option("--assistant", help="All turns with an assistant.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All of the user.")] = False,
    also: Annotated[list[str] | None, typer.Option("--also", help="A turn of “also said in” that goes, too.")] = None,
    reason: Annotated[
        str, typer.Option("--reason", help=f"One of {', '.join(get_args(ReasonCode))}.")
    ] = "user_request",
    reference: Annotated[str | None, typer.Option("--reference", help="A short code of yours for the receipt.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    user: User = None,
    output: Output = None,
) -> None:
    """Show what would be forgotten, ask, and forget it for good, with a receipt."""
    given: dict[str, Any] = {
        "pages": page or None,
        "facts": fact or None,
        "redact": redact,
        "conversation_id": conversation,
        "query": query,
        "since": since,
        "until": until,
        "assistant_id": assistant,
        "everything": everything,
        "reason_code": reason,
        "reference": reference,
    }
    form = format_of(ctx, output)

    async def work(service: MemoryService) -> Receipt:
        memory = service.user(user_of(ctx, user))
        plan = await memory.forget(**{name: value for name, value in given.items() if value not in (None, False)})
        if not yes:
            (err() if form is Format.JSON else out()).print(plan_table(plan))
            if not typer.confirm("forget this for good?", err=True):
                fail("nothing was forgotten", FAILED)
        return await memory.confirm_forget(plan.plan_id, also=also or [])

    done = run_async(with_service(work))
    print_result(done, form, lambda: receipt_text(done))


@receipt.command("list")
def list_receipts(ctx: typer.Context, user: User = None, output: Output = None) -> None:
    """List the receipts of a user, newest first."""

    async def work(memory: UserMemory) -> ReceiptList:
        return await memory.receipts()

    found = with_memory(user_of(ctx, user), work)
    print_result(found, format_of(ctx, output), lambda: Group(*map(receipt_text, found.items)))


ReceiptId = Annotated[str, typer.Argument(metavar="RECEIPT", help="Id of a receipt.", show_default=False)]


@receipt.command("show")
def show(ctx: typer.Context, receipt_id: ReceiptId, user: User = None, output: Output = None) -> None:
    """Show one receipt."""

    async def work(memory: UserMemory) -> Receipt:
        return await memory.receipt(receipt_id)

    found = with_memory(user_of(ctx, user), work)
    print_result(found, format_of(ctx, output), lambda: receipt_text(found))


@receipt.command("verify")
def verify(
    ctx: typer.Context,
    receipt_id: ReceiptId,
    text: Annotated[str | None, typer.Option("--text", help="Look for these words, too; they are not kept.")] = None,
    user: User = None,
    output: Output = None,
) -> None:
    """Look again whether it is all still gone; fails when something came back."""

    async def work(memory: UserMemory) -> ReceiptCheck:
        return await memory.verify_receipt(receipt_id, text=text)

    check = with_memory(user_of(ctx, user), work)
    print_result(check, format_of(ctx, output), lambda: check_text(check))
    if check.status in ("came_back", "forged"):
        raise typer.Exit(FAILED)


def plan_table(plan: ForgetPlan) -> RenderableType:
    """What a plan does, as far as its first items show."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in ("what", "kind", "id"):
        table.add_column(column, no_wrap=True)
    table.add_column("words", overflow="fold")
    for item in plan.items:
        through = f" (also in {', '.join(item.through)})" if item.through else ""
        table.add_row(WHAT[item.what], item.kind, item.id, shown(" ".join(item.text.split())) + through)
    counted = [
        f"{WHAT[what]}: {', '.join(f'{n} {kind}' for kind, n in of.items())}" for what, of in plan.counts.items()
    ]
    rest = [Text("only the first are shown", "dim")] if plan.next_cursor else []
    return Group(table, *rest, Text("; ".join(counted), "bold"))


def _of_kind(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {kind}{'' if n == 1 else 's'}" for kind, n in kinds.items())


def _named(name: str, count: int) -> str:
    return (name.removesuffix("s") if count == 1 else name).replace("_", " ")


def receipt_text(found: Receipt) -> RenderableType:
    """A receipt in a few lines."""
    counts = ", ".join(f"{n} {_named(name, n)}" for name, n in found.counts.items() if n)
    lines = [
        Text.assemble("receipt ", (found.receipt_id, "bold"), f", {found.at:%Y-%m-%d %H:%M:%S}Z, {found.reason_code}"),
        Text(f"  {counts or 'nothing'}"),
    ]
    if found.residue == "files":
        lines.append(Text("  files on disk may still hold the words until `memoryos db erase-residue`", "dim"))
    return Group(*lines)


def check_text(check: ReceiptCheck) -> RenderableType:
    """What a check found."""
    if check.status == "absent":
        return Text("absent: nothing of it is there", "green")
    if check.status == "said_elsewhere":
        return Text(f"absent; said elsewhere in {', '.join(check.said_elsewhere)}", "yellow")
    found = f"came back: {', '.join(check.came_back)}" if check.came_back else "the receipt was changed"
    return Text(found, "bold red")
