"""The commands, in the order of the help."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from . import (
    answering,
    audit,
    correcting,
    database,
    demo,
    evaluate,
    exploring,
    forgetting,
    measure,
    memories,
    policy,
    profile,
    reading,
    serving,
    transfer,
    turns,
    work,
)
from .console import FAILED, USAGE, note
from .options import Output, User

START, MEMORY, WORK, MEASURE = "Start", "Memory", "Work and keys", "Measure"

app = typer.Typer(
    name="memoryos",
    help="Memory of AI assistants as a graph in Neo4j: every fact can be traced to the words it came from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _common(user: User = None, output: Output = None) -> None:
    """Options of all commands; they may also stand after the command."""


app.command(rich_help_panel=START)(serving.serve)
app.command(rich_help_panel=START)(demo.demo)
app.add_typer(database.db, name="db", rich_help_panel=START)
app.command(rich_help_panel=MEMORY)(turns.remember)
app.command(name="import", rich_help_panel=MEMORY)(turns.import_file)
app.command(rich_help_panel=MEMORY)(transfer.export)
app.command(rich_help_panel=MEMORY)(transfer.evidence)
app.command(rich_help_panel=MEMORY)(reading.search)
app.command(rich_help_panel=MEMORY)(answering.context)
app.command(rich_help_panel=MEMORY)(answering.answer)
app.add_typer(answering.answers, name="answers", rich_help_panel=MEMORY)
app.command(rich_help_panel=MEMORY)(reading.why)
app.command(rich_help_panel=MEMORY)(reading.facts)
app.command(rich_help_panel=MEMORY)(reading.history)
for decision in (correcting.correct, correcting.change, correcting.retract, correcting.restore, correcting.confirm):
    app.command(rich_help_panel=MEMORY)(decision)
app.command(rich_help_panel=MEMORY)(correcting.pin)
app.command(rich_help_panel=MEMORY)(correcting.state)
app.add_typer(profile.profile, name="profile", rich_help_panel=MEMORY)
app.command(rich_help_panel=MEMORY)(policy.policy)
app.command(rich_help_panel=MEMORY)(forgetting.forget)
app.add_typer(forgetting.receipt, name="receipt", rich_help_panel=MEMORY)
app.command(rich_help_panel=MEMORY)(reading.segments)
app.command(name="turns", rich_help_panel=MEMORY)(turns.list_turns)
app.command(rich_help_panel=MEMORY)(reading.stats)
app.command(rich_help_panel=MEMORY)(exploring.cypher)
app.command(rich_help_panel=MEMORY)(audit.timeline)
app.add_typer(audit.audit, name="audit", rich_help_panel=MEMORY)
app.command(rich_help_panel=WORK)(work.run)
app.command(rich_help_panel=WORK)(work.reembed)
app.command(rich_help_panel=WORK)(audit.doctor)
app.add_typer(work.runs, name="runs", rich_help_panel=WORK)
app.add_typer(serving.keys, name="keys", rich_help_panel=WORK)
evaluate.evaluations.command()(memories.review)
evaluate.evaluations.command()(memories.replay)
app.add_typer(evaluate.evaluations, name="eval", rich_help_panel=MEASURE)
app.command(rich_help_panel=MEASURE)(measure.bench)
app.command(rich_help_panel=START)(serving.version)


def run() -> None:
    """Run one command; an error of ours becomes one line on stderr."""
    from memoryos_graph.errors import InvalidInput, MemoryosError, TooLarge

    from .session import quiet_libraries

    quiet_libraries()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except (InvalidInput, TooLarge) as exc:
        note(exc.detail)
        sys.exit(USAGE)
    except MemoryosError as exc:
        note(exc.detail)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        note("interrupted")
        sys.exit(FAILED)
