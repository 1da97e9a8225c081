"""`export`, and `import` of what it wrote."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import neo4j

from .conftest import Cli


def test_a_folder_of_the_published_package_is_taken_over(ana: Cli, tmp_path: Path) -> None:
    turn = {"user_input": "I live in Bergen.", "agent_response": "Nice.", "timestamp": "2025-01-01 10:00:00"}
    (tmp_path / "short_term.json").write_text(json.dumps([turn]), encoding="utf-8")
    told = ana("import", str(tmp_path))
    assert (told.code, "the zone is needed" in told.err) == (2, True)
    assert ana("import", str(tmp_path), "--tz", "UTC").out == "1 created, 0 already there, 0 facts\n"
    (found,) = ana("turns", "-o", "json").json["items"]
    assert (found["origin"], found["event_time"], found["state"]) == ("import", "2025-01-01T10:00:00Z", "indexed")


def test_a_memory_is_written_to_a_file_checked_and_read_back(
    ana: Cli, tmp_path: Path, cli_env: dict[str, str], user_id: str
) -> None:
    file = tmp_path / "ana.jsonl"
    missing = ana("export", str(file))
    assert (missing.code, missing.err, list(tmp_path.iterdir())) == (1, "memoryos: there is nothing of this user\n", [])
    ana("remember", "I live in Bergen.", "--id", "t1")
    told = ana("export", str(file))
    assert (told.code, told.out, told.err) == (0, "", "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    whole = ana("export").out.splitlines()
    assert len(whole) == len(file.read_text().splitlines()) + 1  # the event of the export before
    command = [sys.executable, "-m", "memoryos_graph.transfer.verify_evidence", str(file)]
    assert subprocess.run(command, check=False).returncode == 0
    proof, script = tmp_path / "evidence.jsonl", tmp_path / "check.py"
    assert ana("evidence", str(proof)).code == 0
    script.write_text(ana("evidence", "--script").out, encoding="utf-8")
    alone = subprocess.run([sys.executable, "-I", str(script), str(proof)], capture_output=True, text=True, check=True)
    assert alone.stdout.startswith("whole: ")
    auth = (cli_env["NEO4J_USER"], cli_env["NEO4J_PASSWORD"])
    with neo4j.GraphDatabase.driver(cli_env["NEO4J_URI"], auth=auth, telemetry_disabled=True) as driver:
        driver.execute_query("MATCH (n {user_id: $id}) DETACH DELETE n", id=user_id, database_="neo4j")
    done = ana("import", str(file))
    assert done.out.startswith("1 turns, ")
    assert ana("import", str(file)).out == "already there: nothing was written\n"
    assert ana("turns", "-o", "json").json["items"][0]["user_input"] == "I live in Bergen."
    file.write_bytes(file.read_bytes().replace(b"Bergen", b"Bremen", 1))
    wrong = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (wrong.returncode, "was changed" in wrong.stdout) == (1, True)
    refused = ana("import", str(file))
    assert (refused.code, "was changed" in refused.err) == (2, True)
