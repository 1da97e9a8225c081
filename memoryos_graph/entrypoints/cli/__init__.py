"""The command `memoryos`: parse, call one method of the service, print. One file per group of commands.

    app.py       the commands and their order in the help
    console.py   what goes to stdout and stderr, errors, exit codes
    session.py   from a command to the memory of a user
    render.py    results as tables and trees

Results go to stdout, everything else to stderr. Exit codes: 0, 1 (it failed), 2 (wrong usage).
Heavy modules are imported inside the commands, so that `memoryos --help` is quick.
"""

from __future__ import annotations


def main() -> None:
    """Run one command and exit."""
    from .app import run

    run()
