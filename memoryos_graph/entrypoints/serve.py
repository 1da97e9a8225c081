"""The HTTP service as a process."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import uvicorn
from uvicorn.importer import import_from_string

from memoryos_graph.access import check_binding
from memoryos_graph.errors import SetupError
from memoryos_graph.service import MemoryService
from memoryos_graph.settings import Settings

APP = "memoryos_graph.api.app:create_app"
SHUTDOWN_S = 10  # what requests at hand may still take after a signal
_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def serve(settings: Settings, on_progress: Callable[[str], None] | None = None) -> NoReturn:
    """Answer HTTP requests and do the background work until a signal; then finish requests at hand and end the process.

    Raises SetupError: `keys_needed` (beyond the loopback address without any key), `port_taken`, `bad_setting`, and
    what MemoryService.open raises.
    """
    _log_to_stderr()
    runner = asyncio.Runner()
    try:
        with suppress(asyncio.CancelledError):
            runner.run(_serve(settings, on_progress))
    except BaseException:
        runner.close()
        raise
    logging.shutdown()
    os._exit(0)  # all is closed; a normal exit would wait for a thread that loads or asks a model for nobody


async def _serve(settings: Settings, on_progress: Callable[[str], None] | None) -> None:
    served = _cancelled_by_signals()
    with _bound(settings) as listener:
        async with MemoryService.open(settings, on_progress=on_progress) as memory:
            check_binding(settings, await memory.has_keys())
            config = uvicorn.Config(
                import_from_string(APP)(service=memory),
                log_config=None,
                access_log=False,  # limits.Frame logs the route instead of the path
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_S,
            )
            if on_progress:
                on_progress(f"listening on {_url(settings)}")
            served.set()
            await uvicorn.Server(config).serve(sockets=[listener])


def _cancelled_by_signals() -> asyncio.Event:
    """Let signals cancel this task until the event is set; then uvicorn takes them, and repeats them at its end."""
    task, loop, served = asyncio.current_task(), asyncio.get_running_loop(), asyncio.Event()
    assert task is not None

    def end(signum: int, frame: FrameType | None) -> None:
        if not served.is_set():
            loop.call_soon_threadsafe(task.cancel)

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, end)
    return served


def _bound(settings: Settings) -> socket.socket:
    """The address, reserved before anything is started; nothing can connect before the server listens."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as exc:
        raise SetupError("setting host: not an address of this machine", code="bad_setting") from exc
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as exc:
        listener.close()
        raise SetupError(
            f"port {settings.port} can't be used ({exc.strerror}); stop the program that has it, or set MEMORYOS_PORT",
            code="port_taken",
        ) from exc
    return listener


def _url(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


class FieldFormatter(logging.Formatter):
    """One line per record: time, level, logger, message, and its fields as name=value."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        return " ".join([super().format(record), *(f"{name}={value}" for name, value in fields.items())])


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FieldFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name, level in (("memoryos_graph", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
