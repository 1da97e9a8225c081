"""What happens to the server when something is killed; each test kills real processes."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from memoryos_graph.errors import SetupError
from memoryos_graph.store import managed
from memoryos_graph.store.managed.archive import Archive
from memoryos_graph.store.managed.client import plan_for

from .conftest import Folder, eventually, is_alive, run, supervisor_of


def mapped_files(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


async def test_killed_java_is_started_again_on_its_port_with_its_data(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    run(server, "CREATE (:Kept {n: 1})")
    first = shared_folder.pid()
    os.kill(first, signal.SIGKILL)
    again = await shared_folder.acquire()
    assert again.uri == server.uri
    assert shared_folder.pid() != first
    assert managed.status(shared_folder.path).restarts == 1
    assert run(again, "MATCH (k:Kept {n: 1}) RETURN count(*)") == [[1]]
    server.lease.release()
    again.lease.release()


async def test_killed_supervisor_takes_java_along_and_the_next_client_recovers(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    run(server, "CREATE (:Kept {n: 2})")
    java = shared_folder.pid()
    os.kill(supervisor_of(java), signal.SIGKILL)
    await eventually(lambda: not shared_folder.is_served())
    again = await shared_folder.acquire()  # while the old Java still closes its files
    assert not is_alive(java)
    assert again.uri == server.uri
    assert run(again, "MATCH (k:Kept {n: 2}) RETURN count(*)") == [[1]]
    server.lease.release()
    again.lease.release()


async def test_server_leaves_when_its_folder_is_deleted(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    java = shared_folder.pid()
    supervisor = supervisor_of(java)
    shutil.rmtree(shared_folder.path)
    await eventually(lambda: not is_alive(java) and not is_alive(supervisor))
    server.lease.release()


async def test_damaged_archive_of_classes_does_not_stop_a_start(
    folder: Folder, jars_2026: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plan = await plan_for(folder.path, jars_dir=jars_2026)
    for layer in Archive(plan).layers:
        layer.parent.mkdir(parents=True, exist_ok=True)
        layer.write_bytes(os.urandom(100_000))
    server = await folder.acquire(jars_dir=jars_2026)
    assert run(server, "RETURN 1") == [[1]]
    server.lease.release()


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_archive_of_classes_is_made_and_used(
    folder: Folder, jars_2026: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plan = await plan_for(folder.path, jars_dir=jars_2026)
    assert Archive(plan).make()
    with pytest.raises(SetupError):
        await folder.acquire(jars_dir=jars_2026, heap_mb=1)  # a death of another cause costs no archive
    server = await folder.acquire(jars_dir=jars_2026)
    assert str(Archive(plan).layers[1]) in mapped_files(folder.pid())
    server.lease.release()
