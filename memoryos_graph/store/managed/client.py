"""What other rooms call: use the server, keep it, ask about it, stop it."""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memoryos_graph.errors import SetupError
from memoryos_graph.store.cypher_files import Line

from . import jars
from .config import VECTOR_MODULE, VERSIONS, Plan
from .home import USER, Home, wrong_password
from .java import find_java
from .leases import Lease, is_held, require_posix, try_lock
from .probe import PasswordRefused, answers
from .server import PACKAGE_ROOT, module_command, scrubbed_environment

POLL_S = 0.05
HEAP_MB = 512
IDLE_S = 15.0


@dataclass(frozen=True)
class ManagedServer:
    """A server that answers, and stays while `lease` is held by this or another process."""

    uri: str
    user: str
    password: str
    version: str
    home: Path
    lease: Lease


@dataclass(frozen=True)
class ServerStatus:
    """What is known about a managed server without talking to it. `pid` is Java's."""

    home: Path
    running: bool
    ready: bool
    state: str
    kept: bool
    uri: str | None
    version: str
    pid: int | None
    restarts: int
    disk_bytes: int


def home_of(data_dir: Path, line: Line) -> Home:
    """The folder of the server of one line below the data folder."""
    return Home(_absolute(data_dir) / f"neo4j-{line.value}")


def _absolute(path: Path) -> Path:
    return path.expanduser().resolve()


async def acquire(
    data_dir: Path,
    *,
    line: Line = Line.NEO4J_2026,
    jars_dir: Path | None = None,
    maven_url: str | None = None,
    port: int | None = None,
    heap_mb: int = HEAP_MB,
    idle_s: float = IDLE_S,
    fast_start: bool = True,
    timeout_s: float = 180,
    on_progress: Callable[[str], None] | None = None,
) -> ManagedServer:
    """A server that answers, started when none runs, shared by all processes with the same `data_dir` and line.

    Counted for the one who starts it: `port`, `heap_mb`, `idle_s` (seconds without any client after which it stops) and
    `fast_start` (whether it may make the archive of archive.py). A fetch of jars is not part of `timeout_s`.
    Raises SetupError: `platform`, `not_writable`, `disk_full`, `no_java`, `jars_unavailable`, `jar_mismatch`,
    `port_taken`, `folder_in_use`, `wrong_password`, `server_died`, `start_timeout`. The lease is given back then.
    """
    require_posix()
    home = home_of(data_dir, line)
    home.create()
    say = on_progress or _silent
    make_plan = partial(
        plan_for,
        data_dir,
        line=line,
        jars_dir=jars_dir,
        maven_url=maven_url,
        port=port,
        heap_mb=heap_mb,
        idle_s=idle_s,
        fast_start=fast_start,
        on_progress=say,
    )
    return await _Entry(home, make_plan, timeout_s, say).enter()


def _silent(_: str) -> None:
    """No progress wanted."""


async def plan_for(
    data_dir: Path,
    *,
    line: Line = Line.NEO4J_2026,
    jars_dir: Path | None = None,
    maven_url: str | None = None,
    port: int | None = None,
    heap_mb: int = HEAP_MB,
    idle_s: float = IDLE_S,
    fast_start: bool = True,
    on_progress: Callable[[str], None] = _silent,
) -> Plan:
    """Find Java and get the jars: what a supervisor needs. Raises SetupError as `acquire` does."""
    java = await asyncio.to_thread(find_java, line)
    version = VERSIONS[line]
    folder = await asyncio.to_thread(_absolute, jars_dir or jars.default_folder(version))
    await jars.ensure(version, folder, maven_url, on_progress)
    return Plan(
        home=home_of(data_dir, line).root,
        line=line,
        jars_dir=folder,
        archives_dir=jars.cache_folder() / "java-archives",
        java=java.path,
        java_major=java.major,
        java_identity=java.identity,
        vector_module=VECTOR_MODULE in java.modules,
        port=port,
        heap_mb=heap_mb,
        idle_s=idle_s,
        fast_start=fast_start,
    )


@dataclass
class _Entry:
    """One call of `acquire`."""

    home: Home
    make_plan: Callable[[], Awaitable[Plan]]
    timeout_s: float
    say: Callable[[str], None]

    async def enter(self) -> ManagedServer:
        failure_before = self.home.failure()
        deadline = time.monotonic() + self.timeout_s
        lease = await self._lease(deadline)
        try:
            while True:
                if (server := await asyncio.to_thread(self._ready, lease)) is not None:
                    return server
                if not is_held(self.home.supervisor_lock):
                    failure = self.home.failure()
                    if failure is not None and failure != failure_before:
                        raise SetupError(failure.detail, code=failure.code)
                    deadline += await self._start_supervisor()
                self._raise_if_late(deadline)
                await asyncio.sleep(POLL_S)
        except BaseException:
            lease.release()
            raise

    async def _lease(self, deadline: float) -> Lease:
        """Share the lease lock; a supervisor that is leaving holds it until its server has stopped."""
        while (lease := try_lock(self.home.lease_lock, shared=True)) is None:
            self._raise_if_late(deadline)
            await asyncio.sleep(POLL_S)
        return lease

    def _ready(self, lease: Lease) -> ManagedServer | None:
        running = self.home.running()
        if running is None or running.state != "ready" or not is_held(self.home.supervisor_lock):
            return None
        password = self.home.password()
        try:
            if not answers(running.port, password):  # it may have died a moment ago
                return None
        except PasswordRefused as exc:
            raise wrong_password(self.home) from exc
        return ManagedServer(running.uri, USER, password, running.version, self.home.root, lease)

    async def _start_supervisor(self) -> float:
        """Start a supervisor unless another client is doing it; gives the seconds that getting the jars took."""
        turn = try_lock(self.home.start_lock)
        if turn is None:
            return 0.0
        try:
            if is_held(self.home.supervisor_lock):
                return 0.0
            before = time.monotonic()
            plan = await self.make_plan()
            fetched = time.monotonic()
            self.say(f"starting Neo4j {VERSIONS[plan.line]}")
            await self._spawn(plan)
            return fetched - before
        finally:
            turn.release()

    async def _spawn(self, plan: Plan) -> None:
        """Start the supervisor and wait until it has its lock, or has ended."""
        child = _spawn_supervisor(self.home, plan)
        while child.is_alive() and not is_held(self.home.supervisor_lock):
            await asyncio.sleep(POLL_S)

    def _raise_if_late(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise SetupError(
                f"Neo4j in {self.home.root} was not ready within {self.timeout_s:.0f} s; see its folder `logs`",
                code="start_timeout",
            )


def _spawn_supervisor(home: Home, plan: Plan) -> threading.Thread:
    """Start a supervisor that outlives this process. The thread ends with it and keeps it from becoming a zombie."""
    environment = scrubbed_environment(("PYTHONHOME", "VIRTUAL_ENV"))
    environment["PYTHONPATH"] = str(PACKAGE_ROOT)
    with home.supervisor_log.open("a", encoding="utf-8") as log:
        child = subprocess.Popen(
            module_command("supervisor", plan.to_json()),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home.root,
            env=environment,
            start_new_session=True,  # Ctrl-C in the client's terminal is not meant for it
        )
    reaper = threading.Thread(target=child.wait, daemon=True, name="memoryos-neo4j-supervisor")
    reaper.start()
    return reaper


def status(data_dir: Path, line: Line = Line.NEO4J_2026) -> ServerStatus:
    """What the server of this folder does now; starts nothing and writes nothing."""
    require_posix()
    home = home_of(data_dir, line)
    running = home.running() if is_held(home.supervisor_lock) else None
    return ServerStatus(
        home=home.root,
        running=running is not None,
        ready=running is not None and running.state == "ready",
        state=running.state if running else "stopped",
        kept=home.keep_marker.exists(),
        uri=running.uri if running else None,
        version=running.version if running else VERSIONS[line],
        pid=running.pid if running else None,
        restarts=running.restarts if running else 0,
        disk_bytes=home.disk_bytes(),
    )


def keep(data_dir: Path, line: Line = Line.NEO4J_2026) -> None:
    """Let the server stay without clients until `stop`; call it while holding a lease.

    The wish outlives a restart of the machine: the next client starts the server, and it stays again.
    """
    require_posix()
    home = home_of(data_dir, line)
    home.create()
    home.keep_marker.touch(mode=0o600)


def stop(data_dir: Path, *, line: Line = Line.NEO4J_2026, timeout_s: float = 60) -> bool:
    """Stop the server whoever uses it, and end `keep`. Blocks; False when none was running.

    Clients that still hold a lease meet a closed connection; their next `acquire` starts the server again.
    Raises SetupError (`stop_timeout`) when it is still there after `timeout_s`.
    """
    require_posix()
    home = home_of(data_dir, line)
    home.keep_marker.unlink(missing_ok=True)
    if not is_held(home.supervisor_lock):
        return False
    home.stop_request.touch(mode=0o600)
    deadline = time.monotonic() + timeout_s
    while is_held(home.supervisor_lock):
        if time.monotonic() > deadline:
            raise SetupError(f"Neo4j in {home.root} did not stop within {timeout_s:.0f} s", code="stop_timeout")
        time.sleep(POLL_S)
    return True
