"""Sharing a server between processes, and what clients are told when there can be none."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import socket
from pathlib import Path

import pytest

from memoryos_graph.errors import SetupError
from memoryos_graph.store import managed

from .conftest import (
    Folder,
    eventually,
    holding_store_lock,
    is_alive,
    listening_addresses,
    make_read_only,
    mode_of,
    run,
)


async def test_four_at_once_share_one_server_and_it_leaves_after_the_last(folder: Folder) -> None:
    clients = [folder.client() for _ in range(4)]
    try:
        uris = await asyncio.gather(*[asyncio.to_thread(client.stdout.readline) for client in clients if client.stdout])
        assert len(set(uris)) == 1
        assert uris[0].startswith("bolt://127.0.0.1:")
        pid = folder.pid()
        for client in clients[:3]:
            client.kill()
        await asyncio.sleep(1.5)  # longer than idle_s: one client is left
        assert managed.status(folder.path).ready
    finally:
        for client in clients:
            client.kill()
            client.communicate()
    await folder.has_left()
    assert not is_alive(pid)


async def test_folders_and_files_are_private(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    assert mode_of(server.home) == 0o700
    assert mode_of(server.home / "run" / "password") == 0o600
    server.lease.release()


async def test_server_listens_on_loopback_only(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    assert set(listening_addresses(shared_folder.pid())) == {"127.0.0.1"}
    server.lease.release()


async def test_status_tells_about_a_server_and_about_none(shared_folder: Folder, tmp_path: Path) -> None:
    server = await shared_folder.acquire()
    found = managed.status(shared_folder.path)
    assert (found.running, found.ready, found.uri, found.version) == (True, True, server.uri, server.version)
    assert found.disk_bytes > 0
    server.lease.release()
    none = managed.status(tmp_path)
    assert (none.running, none.ready, none.uri, none.pid, none.disk_bytes) == (False, False, None, None, 0)
    assert not (tmp_path / "neo4j-2026").exists()


async def test_kept_server_stays_without_clients_until_it_is_stopped(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    managed.keep(shared_folder.path)
    server.lease.release()
    await asyncio.sleep(2)  # longer than idle_s
    pid = shared_folder.pid()
    assert is_alive(pid)
    assert await asyncio.to_thread(managed.stop, shared_folder.path)
    assert not is_alive(pid)
    assert not managed.status(shared_folder.path).kept
    assert not await asyncio.to_thread(managed.stop, shared_folder.path)


async def test_stop_ends_a_server_that_is_in_use_and_its_user_gets_it_back(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    assert await asyncio.to_thread(managed.stop, shared_folder.path)
    again = await shared_folder.acquire()
    assert again.uri == server.uri
    assert run(again, "RETURN 1") == [[1]]
    server.lease.release()
    again.lease.release()


async def test_password_file_that_does_not_fit_is_said_at_once(shared_folder: Folder) -> None:
    server = await shared_folder.acquire()
    password_file = server.home / "run" / "password"
    password_file.write_text("another")
    with pytest.raises(SetupError) as caught:
        await shared_folder.acquire()
    assert caught.value.code == "wrong_password"
    server.lease.release()
    await asyncio.to_thread(managed.stop, shared_folder.path)
    with pytest.raises(SetupError) as caught:
        await shared_folder.acquire()
    assert caught.value.code == "wrong_password"
    assert str(password_file) in caught.value.detail
    assert not shared_folder.is_served()
    password_file.write_text(server.password)


async def test_taken_port_is_named(folder: Folder) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SetupError, match=str(port)) as caught:
            await folder.acquire(port=port)
    assert caught.value.code == "port_taken"


async def test_data_in_use_by_another_process_is_said(folder: Folder) -> None:
    lock = folder.path / "neo4j-2026" / "data" / "databases" / "store_lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with holding_store_lock(lock), pytest.raises(SetupError) as caught:
        await folder.acquire()
    assert caught.value.code == "folder_in_use"


async def test_server_that_dies_at_start_is_quoted(folder: Folder) -> None:
    with pytest.raises(SetupError, match="heap") as caught:
        await folder.acquire(heap_mb=1)
    assert caught.value.code == "server_died"
    with pytest.raises(SetupError, match="heap"):
        await folder.acquire(heap_mb=1)


async def test_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match="file") as caught:
        await managed.acquire(tmp_path / "file")
    assert caught.value.code == "not_writable"


async def test_disk_that_is_nearly_full_is_said(small_disk: Path) -> None:
    with pytest.raises(SetupError, match="200 MB") as caught:
        await managed.acquire(small_disk)
    assert caught.value.code == "disk_full"


async def test_read_only_folder_is_named(small_disk: Path) -> None:
    make_read_only(small_disk)
    with pytest.raises(SetupError, match=str(small_disk)) as caught:
        await managed.acquire(small_disk)
    assert caught.value.code == "not_writable"


async def test_cancelled_and_late_callers_give_their_lease_back(folder: Folder) -> None:
    with pytest.raises(SetupError) as caught:
        await folder.acquire(timeout_s=0.1)
    assert caught.value.code == "start_timeout"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(folder.acquire(), 0.1)
    with (folder.path / "neo4j-2026" / "run" / "lease.lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(file, fcntl.LOCK_UN)
    shutil.rmtree(folder.path)
    await eventually(lambda: not folder.is_served())


@pytest.mark.parametrize("line", [managed.Line.NEO4J_5])
async def test_the_other_line_starts_beside(folder: Folder, line: managed.Line) -> None:
    server = await folder.acquire(line=line, maven_url=None)
    version = run(server, "CALL dbms.components() YIELD versions RETURN versions[0]")
    assert version == [[server.version]]
    assert server.home == folder.path / "neo4j-5"
    server.lease.release()
