"""The program around the commands: help, version, settings, database, keys, measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path

import pytest

from memoryos_graph import MemoryService
from memoryos_graph.store.managed import ManagedServer

from ..graph import ask
from .conftest import Cli

COMMANDS = (
    *("serve", "demo", "version", "db", "remember", "import", "search", "why", "facts", "segments", "turns", "stats"),
    *("run", "runs", "keys", "eval", "bench"),
)
DATA = Path(__file__).parent.parent / "data"


def test_help_loads_nothing_heavy() -> None:
    heavy = [
        "neo4j",
        "numpy",
        "torch",
        "fastapi",
        "httpx",
        "openai",
        "rjieba",
        "memoryos_graph.service",
        "memoryos_graph.user_memory",
        "memoryos_graph.contract",
    ]
    program = f"import sys, memoryos_graph.entrypoints.cli.app; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "[]\n"


def test_the_package_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "memoryos_graph", "version"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == f"{version('memoryos-graph')}\n"


def test_every_command_has_a_help(cli: Cli) -> None:
    ran = cli("--help")
    for name in COMMANDS:
        assert f" {name} " in ran.out
        assert cli(name, "--help").code == 0


def test_an_unknown_setting_stops_with_its_name(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYOS_SHORT_TERM_CAPACTIY", "5")
    ran = cli("stats")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memoryos: unknown setting MEMORYOS_SHORT_TERM_CAPACTIY")
    assert len(ran.err.splitlines()) == 1


def test_an_unreachable_database_is_told_in_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    ran = cli("stats")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)


def test_the_shell_runs_cypher(cli: Cli, user_id: str) -> None:
    cli("remember", "Hello.", "--user", user_id, "--no-work")
    query = f"MATCH (p:Page {{user_id: '{user_id}'}}) RETURN p.user_input AS said, p AS page"
    (row,) = cli("db", "shell", query, "-o", "json").json["rows"]
    assert (row["said"], row["page"]["user_id"]) == ("Hello.", user_id)
    assert "Hello." in cli("db", "shell", query).out
    refused = cli("db", "shell", "MATCH (p:Page RETURN p")
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (1, "", 1)
    assert "Invalid input" in refused.err


def test_the_managed_server_is_not_started_beside_your_own(cli: Cli) -> None:
    for name in ("start", "stop", "status"):
        ran = cli("db", name)
        assert (ran.code, ran.out) == (1, "")
        assert "NEO4J_URI" in ran.err


def test_db_start_keeps_the_server_until_stop(
    cli: Cli, server: ManagedServer, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEO4J_URI")
    assert server.home.is_relative_to(data_dir.resolve())
    line = server.home.name.removeprefix("neo4j-")
    monkeypatch.setenv("MEMORYOS_MANAGED_LINE", line)
    try:
        started = cli("db", "start", "-o", "json").json
        assert (started["ready"], started["kept"], started["uri"]) == (True, True, server.uri)
        assert "stays until" in cli("db", "status").out
    finally:
        (server.home / "run" / "keep").unlink(missing_ok=True)


@pytest.fixture
async def no_keys(service: MemoryService) -> AsyncIterator[None]:
    """The database without keys, before and after."""
    await ask(service, "MATCH (k:ApiKey) DELETE k")
    yield
    await ask(service, "MATCH (k:ApiKey) DELETE k")


@pytest.mark.usefixtures("no_keys")
def test_keys_are_made_listed_and_revoked(cli: Cli) -> None:
    assert "no keys" in cli("keys", "list").out
    made = cli("keys", "create", "laptop", "--for", "ana", "--scope", "read")
    assert made.out.startswith("mos_")
    assert len(made.out.split()) == 1
    (key,) = cli("keys", "list", "-o", "json").json["items"]
    assert (key["label"], key["users"], key["scopes"], key["revoked_at"]) == ("laptop", ["ana"], ["read"], None)
    assert made.out.strip() not in json.dumps(key)
    assert cli("keys", "revoke", key["key_id"], "-o", "json").json["revoked_at"] is not None
    assert cli("keys", "revoke", "no-such-key").code == 1


def test_eval_prints_figures(cli: Cli) -> None:
    figures = cli(
        "eval", "locomo", str(DATA / "locomo_small.json"), "--mode", "flat", "--page-turns", "1", "-o", "json"
    ).json
    assert (figures["dataset"], figures["mode"], figures["page_turns"]) == ("locomo", "flat", 1)
    assert set(figures["recall"]) == {"5", "10", "20"}
    assert "recall.10" in cli("eval", "locomo", str(DATA / "locomo_small.json")).out
