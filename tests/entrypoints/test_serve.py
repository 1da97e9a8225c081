"""The service as a process: it answers, logs no path, ends cleanly, and says why it can't start."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from ..processes import free_port

PROGRAM = """
import sys
from memoryos_graph import load_settings
from memoryos_graph.entrypoints.serve import serve
from memoryos_graph.errors import SetupError
try:
    serve(load_settings(host=sys.argv[1], port=sys.argv[2]), lambda text: print(text, file=sys.stderr))
except SetupError as exc:
    sys.exit(f"{exc.code}: {exc.detail}")
"""
READY_S = 60.0
END_S = 30.0


@contextlib.asynccontextmanager
async def _served(env: dict[str, str], log: Path, host: str, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, host, str(port), env=env, stdout=out, stderr=out
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _until_ready(http: httpx.AsyncClient, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(READY_S):
        while process.returncode is None:
            with contextlib.suppress(httpx.TransportError):
                if (await http.get("/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.1)


async def test_serve_answers_and_ends_cleanly_on_a_signal(cli_env: dict[str, str], tmp_path: Path) -> None:
    log, port = tmp_path / "log", free_port()
    async with _served(cli_env, log, "127.0.0.1", port) as process:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            await _until_ready(http, process)
            answer = await http.get(
                "/v1/users/secret%2Fname%20%E6%9D%8E/turns?id=secret", headers={"X-Request-ID": "secret"}
            )
            assert (answer.status_code, answer.json()["items"]) == (200, [])
            assert (await http.get("/v1/users/%2e%2e/turns")).status_code == 422
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), END_S) == 0
    text = log.read_text()
    assert f"listening on http://127.0.0.1:{port}" in text
    assert "route=/v1/users/{user_id}/turns status=200" in text
    assert "secret" not in text
    assert "Traceback" not in text


async def test_serve_beyond_loopback_without_keys_is_refused(cli_env: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with _served(cli_env, log, "0.0.0.0", free_port()) as process:
        assert await asyncio.wait_for(process.wait(), READY_S) == 1
    assert log.read_text().splitlines()[-1].startswith("keys_needed: setting host")


async def test_serve_on_a_taken_port_is_refused_with_the_remedy(cli_env: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with _served(cli_env, log, "127.0.0.1", port) as process:
            assert await asyncio.wait_for(process.wait(), READY_S) == 1
    assert log.read_text().splitlines()[-1].startswith(f"port_taken: port {port}")
