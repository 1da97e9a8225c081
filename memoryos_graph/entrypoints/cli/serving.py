"""Serving HTTP, and the keys that open it."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from . import render
from .console import Format, note, print_json, print_result
from .options import Output, format_of
from .session import run_async, settings, with_service

if TYPE_CHECKING:
    from memoryos_graph.contract import KeyCreated, KeyList, KeyOut
    from memoryos_graph.service import MemoryService

keys = typer.Typer(help="Keys of the HTTP service.", no_args_is_help=True)


class Scope(StrEnum):
    """What a key allows."""

    READ = "read"
    WRITE = "write"
    FORGET = "forget"
    ADMIN = "admin"


def serve(
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on. (default: 127.0.0.1)")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Port to listen on. (default: 8000)")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Load the sample conversation first, if the user demo has nothing yet.")
    ] = False,
) -> None:
    """Answer HTTP requests and do the background work, until Ctrl-C."""
    from memoryos_graph.entrypoints.serve import serve as serve_http

    chosen = settings(host=host, port=port)
    if demo:
        from .demo import load_at_first_start

        run_async(load_at_first_start(chosen))
    serve_http(chosen, _say)


def _say(text: str) -> None:
    """What happens, and once the service listens, what to do next."""
    note(text)
    if text.startswith("listening on "):
        address = text.removeprefix("listening on ")
        note(f"try {address}/docs, or in another terminal `{sys.argv[0]} demo`; Ctrl-C ends it")


def version(ctx: typer.Context, output: Output = None) -> None:
    """Print the version."""
    from importlib.metadata import version as version_of

    number = version_of("memoryos-graph")
    if format_of(ctx, output) is Format.JSON:
        print_json({"version": number})
    else:
        print(number)


@keys.command()
def create(
    ctx: typer.Context,
    label: Annotated[str, typer.Argument(help="What the key is for, to tell it from others.", show_default=False)],
    for_user: Annotated[
        list[str] | None, typer.Option("--for", help="A user it opens; may be repeated. (default: all users)")
    ] = None,
    scope: Annotated[
        list[Scope] | None, typer.Option("--scope", help="What it allows; may be repeated. (default: read and write)")
    ] = None,
    output: Output = None,
) -> None:
    """Make a key and print it: the only time it is shown. From the first key on, every request needs one."""
    scopes = [one.value for one in scope or (Scope.READ, Scope.WRITE)]

    async def work(service: MemoryService) -> KeyCreated:
        return await service.create_key(label, for_user or "*", scopes)

    made = run_async(with_service(work))
    form = format_of(ctx, output)
    if form is Format.TABLE:
        note("keep it, it is not shown again; send it as `Authorization: Bearer …`")
        print(made.token)
    else:
        print_json(made)


@keys.command(name="list")
def list_keys(ctx: typer.Context, output: Output = None) -> None:
    """List the keys, never their secrets."""

    async def work(service: MemoryService) -> KeyList:
        return await service.keys()

    result = run_async(with_service(work))
    print_result(result, format_of(ctx, output), lambda: render.keys(result.items))


@keys.command()
def revoke(
    ctx: typer.Context,
    key_id: Annotated[str, typer.Argument(help="Its id in `memoryos keys list`.", show_default=False)],
    output: Output = None,
) -> None:
    """End a key for good."""

    async def work(service: MemoryService) -> KeyOut:
        return await service.revoke_key(key_id)

    result = run_async(with_service(work))
    print_result(result, format_of(ctx, output), lambda: render.keys([result]))
