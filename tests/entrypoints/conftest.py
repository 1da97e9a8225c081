"""The command line in this process: real parsing, real database, our embedder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from memoryos_graph.entrypoints.cli import console, main

from ..conftest import FakeEmbedder


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its results."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Cli = Callable[..., Ran]


@pytest.fixture
def cli(cli_env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """`cli("facts", "--user", …)` runs a command to its end."""
    for name, value in cli_env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("memoryos_graph.bootstrap.SentenceTransformerEmbedder", lambda *_: FakeEmbedder())

    def run(*args: str) -> Ran:
        console.out.cache_clear()
        console.err.cache_clear()
        monkeypatch.setattr(sys, "argv", ["memoryos", *args])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as exc:
            code = int(exc.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def ana(cli: Cli, user_id: str) -> Cli:
    """As `cli`, for a fresh user."""

    def run(*args: str) -> Ran:
        return cli("--user", user_id, *args)

    return run
