"""The scripted model as a program of its own, and a service process that uses it by what it printed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import sys
from collections.abc import AsyncIterator

import httpx

STARTS_S = 60.0


@contextlib.asynccontextmanager
async def _program(env: dict[str, str], *args: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "memoryos_graph", *args, env=env, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _printed(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), STARTS_S)).decode()


async def test_it_prints_how_to_use_it_answers_and_ends_on_ctrl_c(cli_env: dict[str, str]) -> None:
    async with _program(cli_env, "demo", "--scripted-model") as process:
        line = await _printed(process)
        found = dict(re.findall(r"(\w+)=(\S+)", line))
        assert line.startswith("export ")
        assert found.keys() == {"MEMORYOS_LLM", "MEMORYOS_LLM_MODEL", "MEMORYOS_LLM_BASE_URL"}
        async with httpx.AsyncClient(base_url=found["MEMORYOS_LLM_BASE_URL"], timeout=30) as http:
            models = (await http.get("/models")).json()["data"]
            assert found["MEMORYOS_LLM_MODEL"] in {model["id"] for model in models}
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), STARTS_S) == 0


async def test_a_taken_port_is_told(cli_env: dict[str, str]) -> None:
    async with _program(cli_env, "demo", "--scripted-model") as first:
        port = re.findall(r":(\d+)/v1", await _printed(first))[0]
        async with _program(cli_env, "demo", "--scripted-model", "--port", port) as second:
            assert await asyncio.wait_for(second.wait(), STARTS_S) == 1


async def test_a_process_reads_pages_with_the_model_it_is_pointed_to(cli_env: dict[str, str], user_id: str) -> None:
    async with _program(cli_env, "demo", "--scripted-model") as model:
        env = cli_env | dict(re.findall(r"(\w+)=(\S+)", await _printed(model)))
        env["MEMORYOS_EMBEDDING_BASE_URL"] = env["MEMORYOS_LLM_BASE_URL"]
        async with _program(env, "--user", user_id, "remember", "I moved to Bergen.", "--no-work") as stored:
            assert await stored.wait() == 0
        async with _program(env, "--user", user_id, "run", "all", "-o", "json") as worked:
            out, _ = await worked.communicate()
        runs = json.loads(out)
        async with _program(env, "--user", user_id, "facts", "-o", "json") as listed:
            facts, _ = await listed.communicate()
    assert worked.returncode == 0, runs
    assert [fact["object"] for fact in json.loads(facts)["items"]] == ["Bergen"]
    assert "scripted" in json.dumps(runs)
