"""What the README tells people to type works as printed, on a real service process with the real model."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from memoryos_graph import MemoryService

from ..graph import ask, let_others_rest
from ..processes import free_port

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="the extra `embeddings` is not installed"),
]

ROOT = Path(__file__).parents[2]
READY_S = 400.0
PROGRAM = f"{sys.executable} -m memoryos_graph"


def _blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text()
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return found


@pytest.fixture(scope="module")
async def served(
    cli_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory, opened: MemoryService
) -> AsyncIterator[int]:
    """The service as `make run` starts it, with the sample conversation; gives its port."""
    await let_others_rest(opened)
    port = free_port()
    log = tmp_path_factory.mktemp("readme") / "log"
    command = [sys.executable, "-m", "memoryos_graph", "serve", "--demo", "--port", str(port)]
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(*command, env=cli_env, stdout=out, stderr=out)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http, asyncio.timeout(READY_S):
            while process.returncode is None:
                with suppress(httpx.TransportError):
                    if (await http.get("/readyz")).json()["parts"].get("embedder", {}).get("ok"):
                        break  # the model is loaded: a slow machine takes longer for it than a turn may be waited for
                await asyncio.sleep(0.2)
        assert process.returncode is None, log.read_text()
        await let_others_rest(opened, but="demo")  # a start makes all users due when the limits are not the last ones
        yield port
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
    assert process.returncode == 0
    assert "Traceback" not in log.read_text()


def _bash(text: str, env: dict[str, str], port: int) -> str:
    """Run a block as printed, but for the port and the place of the program."""
    script = text.replace(":8000", f":{port}").replace(".venv/bin/memoryos", PROGRAM)
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], env=env, capture_output=True, text=True, check=False, timeout=500
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _curls() -> list[str]:
    return [block for block in _blocks("README.md", "sh") if "curl" in block]


def test_the_three_curl_commands_work_as_printed(served: int, cli_env: dict[str, str]) -> None:
    for _ in range(4):  # a repeat is harmless, and waits again: a busy machine may take longer than the half minute
        add = json.loads(_bash(_curls()[0], cli_env, served))
        if add["state"] == "indexed":
            break
    search, provenance = (json.loads(_bash(block, cli_env, served)) for block in _curls()[1:3])
    assert (add["id"], add["state"]) == ("readme-1", "indexed")
    assert any("hazelnuts" in hit["text"] for hit in search["hits"][:2])
    assert all(hit["sources"] for hit in search["hits"])
    assert provenance["fact"]["object"] == "Bergen"
    assert provenance["pages"][0]["source"]["quote"] == "I moved to Bergen"
    assert [fact["object"] for fact in provenance["replaced"]] == ["Hamburg"]


def test_the_added_turn_becomes_a_traced_fact(served: int, cli_env: dict[str, str]) -> None:
    _bash(_curls()[0], cli_env, served)
    decoder, text = json.JSONDecoder(), _bash(_curls()[3], cli_env, served).strip()
    runs, end = decoder.raw_decode(text)
    facts: Any = decoder.decode(text[end:])
    assert all(run["state"] == "done" for run in runs["runs"])
    newest = facts["items"][0]
    assert (newest["predicate"], newest["sources"][0]["quote"]) == ("likes", "I love playing the cello")


def test_a_question_is_answered_with_its_source(served: int, cli_env: dict[str, str]) -> None:
    answer = json.loads(_bash(_curls()[4], cli_env, served))
    assert "hazelnuts" in answer["text"]
    assert any("hazelnuts" in one["quote"] for one in answer["citations"])
    assert (answer["extractive"], answer["abstained"]) == (True, False)


def test_the_commands_work_as_printed(served: int, cli_env: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("README.md", "sh") if "memoryos remember" in block]
    out = _bash(block, cli_env, served)
    assert "The user lives in Lisbon." in out
    assert "“I moved to Lisbon in May 2024”" in out


def test_a_fact_is_corrected_and_forgotten_as_printed(served: int, cli_env: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("README.md", "sh") if "memoryos --user pat correct" in block]
    out = _bash(block, cli_env, served)
    assert "in place of" in out
    assert "correction:" in out
    (block,) = [block for block in _blocks("README.md", "sh") if "memoryos --user pat forget" in block]
    out = _bash(block, cli_env, served)
    for part in ("1 page", "absent: nothing of it is there", "forgotten for good"):
        assert part in out


def test_the_graph_is_asked_as_printed(served: int, cli_env: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("README.md", "sh") if "memoryos --user me cypher" in block]
    out = _bash(block.replace("--user me", "--user demo"), cli_env, served)
    assert "learnt" in out
    assert "I moved to Bergen" in out


def test_the_demo_shows_what_came_of_the_sample(served: int, cli_env: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("README.md", "sh") if block.strip().endswith("memoryos demo")]
    out = _bash(block, cli_env, served)
    for part in (
        "The user is allergic to hazelnuts.",
        "superseded",
        "“I moved to Bergen”",
        "Search: 我的猫叫什么?",
        "年糕",
    ):
        assert part in out


@pytest.mark.parametrize("block", _blocks("README.md", "python"))
def test_the_python_of_the_readme_works_as_printed(served: int, cli_env: dict[str, str], block: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", block], env=cli_env, capture_output=True, text=True, check=False, timeout=300
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "The user is allergic to peanuts. – I'm allergic to peanuts\n"


@pytest.mark.parametrize("query", _blocks("docs/graph.md", "cypher"))
async def test_the_cypher_of_the_graph_document_runs(served: int, service: MemoryService, query: str) -> None:
    rows = await ask(service, query, user_id="demo")
    finds_nothing = any(
        part in query for part in ("NOT text CONTAINS", "ends: true", "CONFLICTS_WITH", "HAS_PASSAGE", "'correction'")
    )
    if "Answer" in query:  # asked by another test, or not yet
        return
    assert bool(rows) != finds_nothing
