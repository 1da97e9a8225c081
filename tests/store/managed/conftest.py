"""Servers of their own for the tests that kill them; the jars are the ones in the cache of this user."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

from memoryos_graph.store import managed
from memoryos_graph.store.managed import jars
from memoryos_graph.store.managed.config import VERSIONS
from memoryos_graph.store.managed.leases import is_held

NOWHERE = "http://127.0.0.1:9/"  # nothing listens there: a test that fetched from it would fail
CLIENT = """
import asyncio, sys, time
from pathlib import Path
from memoryos_graph.store import managed

async def main():
    server = await managed.acquire(Path(sys.argv[1]), maven_url=sys.argv[2], idle_s=1)
    print(server.uri, flush=True)
    time.sleep(600)

asyncio.run(main())
"""

HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


async def eventually(condition: Callable[[], bool], within_s: float = 30) -> None:
    """Wait for another process to do something."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            return sys.platform != "linux"
        return False


def mode_of(path: Path) -> int:
    """Permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def supervisor_of(java_pid: int) -> int:
    """The parent of Java."""
    shown = subprocess.run(["ps", "-o", "ppid=", "-p", str(java_pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout)


@dataclass
class Folder:
    """A data folder of one test, and what tests ask about it."""

    path: Path

    async def acquire(self, **over: object) -> managed.ManagedServer:
        return await managed.acquire(self.path, **{"maven_url": NOWHERE, "idle_s": 1, **over})  # type: ignore[arg-type]

    def pid(self) -> int:
        pid = managed.status(self.path).pid
        assert pid is not None
        return pid

    def is_served(self, line: managed.Line = managed.Line.NEO4J_2026) -> bool:
        return is_held(self.path / f"neo4j-{line.value}" / "run" / "supervisor.lock")

    async def has_left(self) -> None:
        """Wait until the supervisor and with it the server has left."""
        await eventually(lambda: not self.is_served())

    def client(self) -> subprocess.Popen[str]:
        """Another process that acquires the server, prints its address and stays."""
        command = [sys.executable, "-c", CLIENT, str(self.path), NOWHERE]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def listening_addresses(pid: int) -> list[str]:
    """Addresses on which a process waits for connections; skips the test where /proc does not tell."""
    if not Path("/proc/net/tcp").exists():
        pytest.skip("no /proc")
    links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    sockets = {link[8:-1] for link in links if link.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6"):
        for row in (line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]):
            if row[3] == "0A" and row[9] in sockets:  # 0A: listening
                found.append(_address(row[1].partition(":")[0]))
    return found


def _address(text: str) -> str:
    """An address of /proc/net: 32-bit groups in the byte order of the machine."""
    packed = b"".join(int(text[i : i + 8], 16).to_bytes(4, sys.byteorder) for i in range(0, len(text), 8))
    address = ipaddress.ip_address(packed)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


@contextlib.contextmanager
def holding_store_lock(path: Path) -> Iterator[None]:
    """Another process that uses the data, as a second Neo4j would."""
    other = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        yield
    finally:
        other.kill()
        other.communicate()


def run(server: managed.ManagedServer, statement: str) -> list[list[object]]:
    """Rows of one statement on the server."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password), telemetry_disabled=True) as driver:
        records, _, _ = driver.execute_query(statement, database_="neo4j")
        return [list(record.values()) for record in records]


@pytest.fixture(scope="session")
async def jars_2026() -> Path:
    """The filled folder of jars."""
    version = VERSIONS[managed.Line.NEO4J_2026]
    await jars.ensure(version, jars.default_folder(version), None, print)
    return jars.default_folder(version)


def _stop_all(path: Path) -> None:
    for line in managed.Line:
        managed.stop(path, line=line)


@pytest.fixture
async def folder(jars_2026: Path) -> AsyncIterator[Folder]:
    """An empty data folder."""
    path = Path(tempfile.mkdtemp(prefix="managed-"))
    yield Folder(path)
    await asyncio.to_thread(_stop_all, path)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
async def shared_folder(jars_2026: Path) -> AsyncIterator[Folder]:
    """A data folder whose server the tests of a module share; each acquires it, whatever the one before did to it."""
    path = Path(tempfile.mkdtemp(prefix="managed-"))
    yield Folder(path)
    await asyncio.to_thread(_stop_all, path)
    shutil.rmtree(path, ignore_errors=True)


def make_read_only(point: Path) -> None:
    """Remount a file system; skips the test where this user may not."""
    if subprocess.run(["mount", "-o", "remount,ro", str(point)], capture_output=True, check=False).returncode:
        pytest.skip("may not mount")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB; skipped where this user may not mount one."""
    point = tmp_path / "disk"
    point.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(point)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("may not mount")
    yield point
    subprocess.run(["umount", "-l", str(point)], check=True)
