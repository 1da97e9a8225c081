"""The managed Neo4j of this machine: start, stop, state, shell."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import erasing, render
from .console import Format, busy, fail, note, out, print_json
from .options import Output, format_of
from .session import run_async, settings

if TYPE_CHECKING:
    from memoryos_graph.settings import Settings
    from memoryos_graph.store.cypher_files import Line
    from memoryos_graph.store.managed import ServerStatus

PROMPT, MORE = "neo4j> ", "     > "

db = typer.Typer(help="The managed Neo4j of this machine.", no_args_is_help=True)
db.command()(erasing.erase_residue)


@db.command()
def start(ctx: typer.Context, output: Output = None) -> None:
    """Start Neo4j and let it run until `memoryos db stop`; fetches it at the first time."""
    chosen = _managed_settings()

    async def begin() -> None:
        from memoryos_graph.store import managed

        server = await managed.acquire(
            chosen.data_dir,
            line=_line(chosen),
            jars_dir=chosen.jars_dir,
            maven_url=chosen.maven_url,
            port=chosen.managed_port,
            on_progress=note,
        )
        managed.keep(chosen.data_dir, _line(chosen))
        server.lease.release()

    with busy("starting Neo4j"):
        run_async(begin())
    _print_status(_status(chosen), format_of(ctx, output))


@db.command()
def stop() -> None:
    """Stop Neo4j, whoever uses it. Data stays."""
    from memoryos_graph.store import managed

    chosen = _managed_settings()
    with busy("stopping Neo4j"):
        stopped = managed.stop(chosen.data_dir, line=_line(chosen))
    note("stopped" if stopped else "it was not running")


@db.command()
def status(ctx: typer.Context, output: Output = None) -> None:
    """Say whether Neo4j runs, where, and how much it takes. Starts nothing."""
    _print_status(_status(_managed_settings()), format_of(ctx, output))


@db.command()
def shell(
    query: Annotated[
        str | None, typer.Argument(help="Run this one statement; else ask for them, or read them from stdin.")
    ] = None,
    output: Output = None,
) -> None:
    """Run Cypher on the whole database, all users: for its owner only. Statements end with ';'."""
    chosen = settings()
    form = output or Format.TABLE
    if query is not None:
        statements = [query]
    elif not sys.stdin.isatty():
        statements = _statements(sys.stdin.read())
    else:
        _say_how_to_connect(chosen)
        run_async(_converse(chosen, form))
        return
    if not run_async(_run_all(chosen, statements, form)):
        raise typer.Exit(1)


def _managed_settings() -> Settings:
    chosen = settings()
    if chosen.neo4j_uri is not None:
        fail("NEO4J_URI is set, so your own server is used; start and stop that one, or unset NEO4J_URI")
    return chosen


def _line(chosen: Settings) -> Line:
    from memoryos_graph.store.cypher_files import Line

    return Line(chosen.managed_line)


def _status(chosen: Settings) -> ServerStatus:
    from memoryos_graph.store import managed

    return managed.status(chosen.data_dir, _line(chosen))


def _print_status(found: ServerStatus, form: Format) -> None:
    if form is Format.JSON:
        print_json(asdict(found) | {"home": str(found.home)})
    else:
        out().print(render.server(found))


def _say_how_to_connect(chosen: Settings) -> None:
    """For those who prefer another client."""
    if chosen.neo4j_uri is None:
        from memoryos_graph.store.managed.home import Home

        password = Home(_status(chosen).home).run / "password"
        note(f"for another client: user neo4j, the password is in {password}, the address in `memoryos db status`")
    note("end with :exit or Ctrl-D")


def _statements(text: str) -> list[str]:
    """Statements of a text: each ends with a semicolon at the end of a line, or with the text."""
    found, lines = [], []
    for line in text.splitlines():
        lines.append(line)
        if line.rstrip().endswith(";"):
            found.append("\n".join(lines).rstrip().removesuffix(";"))
            lines = []
    return [statement for statement in [*found, "\n".join(lines)] if statement.strip()]


async def _run_all(chosen: Settings, statements: list[str], form: Format) -> bool:
    """Run them in order up to the first that fails; whether all went well."""
    from memoryos_graph.bootstrap import open_connection

    async with open_connection(chosen, on_progress=note) as connection:
        for statement in statements:
            if not await _run_one(connection, statement, form):
                return False
    return True


async def _converse(chosen: Settings, form: Format) -> None:
    """Ask for statements until the person has enough."""
    import asyncio
    from contextlib import suppress

    from memoryos_graph.bootstrap import open_connection

    with suppress(ImportError):
        import readline  # noqa: F401 - makes input() remember lines
    async with open_connection(chosen, on_progress=note) as connection:
        lines: list[str] = []
        while True:
            try:
                line = await asyncio.to_thread(input, MORE if lines else PROMPT)
            except EOFError:
                return
            if not lines and line.strip().rstrip(";") in (":exit", ":quit", "exit", "quit"):
                return
            lines.append(line)
            if line.rstrip().endswith(";"):
                await _run_one(connection, "\n".join(lines).rstrip().removesuffix(";"), form)
                lines = []


async def _run_one(connection: Any, statement: str, form: Format) -> bool:
    """Run one statement and print its rows; the server's own words when it refuses."""
    from memoryos_graph.errors import MemoryosError

    try:
        found = await connection.statement(statement)
    except MemoryosError as exc:
        cause = exc.__cause__
        note(" ".join(str(getattr(cause, "message", None) or exc.detail).split()))
        return False
    plain = [{key: _plain(value) for key, value in row.items()} for row in found]
    if form is Format.JSON:
        print_json({"rows": plain})
    else:
        out().print(render.rows(plain))
    return True


def _plain(value: Any) -> Any:
    """Nodes and relationships as their properties, a path as its parts; vectors only as their length."""
    if hasattr(value, "relationships"):
        return [dict(part.items()) for part in (*value.nodes, *value.relationships)]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        vector = len(value) > 50 and isinstance(value[0], float)
        return f"{len(value)} numbers" if vector else [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
