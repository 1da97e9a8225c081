"""The service as processes of its own, as the README starts it."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from .model_server import Scene


def without_torch(env: dict[str, str], scene: Scene) -> dict[str, str]:
    """Let the processes embed at the scripted server, so that a start takes a second."""
    return env | {"MEMORYOS_EMBEDDING_BASE_URL": scene.base_url}


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@asynccontextmanager
async def serving(env: dict[str, str], port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """`memoryos serve` as a process; killed with SIGKILL at the end, as after any crash."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "memoryos_graph",
        "serve",
        env=env | {"MEMORYOS_PORT": str(port), "MEMORYOS_WORKER_POLL_S": "0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client, asyncio.timeout(90):
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get("/healthz")).status_code == 200:
                        break
                assert process.returncode is None, "the service ended at its start"
                await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
            await process.wait()
