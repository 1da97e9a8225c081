"""The folder of jars: what is locked is what is there, from a repository, from a mirror, or without any network."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memoryos_graph.errors import SetupError
from memoryos_graph.store.managed import jars

from .conftest import NOWHERE

VERSION = "2026.08.1"
LOCK = jars.read_lock(VERSION)
SMALL = sorted(LOCK, key=lambda jar: jar.size)[:6]


class Mirror(ThreadingHTTPServer):
    """A repository on this machine that remembers what was asked of it."""

    def __init__(self, root: Path) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(root)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/repository"


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        assert isinstance(self.server, Mirror)
        self.server.asked.append(self.path)


@pytest.fixture
def mirror(jars_2026: Path, tmp_path: Path) -> Iterator[Mirror]:
    """A repository that holds the small jars."""
    root = tmp_path / "served"
    for jar in SMALL:
        path = root / "repository" / jar.repository_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((jars_2026 / jar.name).read_bytes())
    with Mirror(root) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def full(jars_2026: Path, tmp_path: Path) -> Path:
    """A complete folder of jars of its own."""
    target = tmp_path / "jars"
    target.mkdir()
    for jar in LOCK:
        _link(jars_2026 / jar.name, target / jar.name)
    return target


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())


def _damage(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()  # it may be a hard link
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def _silent(_: str) -> None:
    pass


async def test_full_folder_needs_no_network_and_says_nothing(full: Path) -> None:
    said: list[str] = []
    paths = await jars.ensure(VERSION, full, NOWHERE, said.append)
    assert [path.name for path in paths] == [jar.name for jar in LOCK]
    assert said == []


async def test_missing_and_damaged_jars_are_fetched_and_only_they(full: Path, mirror: Mirror) -> None:
    (full / SMALL[0].name).unlink()
    _damage(full / SMALL[1].name)
    said: list[str] = []
    await jars.ensure(VERSION, full, mirror.url, said.append)
    assert sorted(mirror.asked) == sorted(f"/repository/{jar.repository_path}" for jar in SMALL[:2])
    assert jars.find_wanting(LOCK, full) == []
    assert "GPLv3" in said[0]


async def test_parallel_callers_fetch_once(full: Path, mirror: Mirror) -> None:
    for jar in SMALL:
        (full / jar.name).unlink()
    await asyncio.gather(*[jars.ensure(VERSION, full, mirror.url, _silent) for _ in range(4)])
    assert len(mirror.asked) == len(SMALL)


async def test_jars_that_arrived_stay_when_another_fails(full: Path, mirror: Mirror) -> None:
    absent = max(LOCK, key=lambda jar: jar.size)
    for jar in (*SMALL, absent):
        (full / jar.name).unlink()
    with pytest.raises(SetupError, match=absent.name) as caught:
        await jars.ensure(VERSION, full, mirror.url, _silent)
    assert caught.value.code == "jars_unavailable"
    assert absent in jars.find_wanting(LOCK, full)
    assert len(jars.find_wanting(LOCK, full)) <= 1 + jars.CONNECTIONS
    assert not [name for name in os.listdir(full) if name.endswith(".part")]


async def test_other_content_from_the_repository_is_refused(full: Path, mirror: Mirror, tmp_path: Path) -> None:
    jar = SMALL[0]
    (full / jar.name).unlink()
    _damage(tmp_path / "served" / "repository" / jar.repository_path)
    with pytest.raises(SetupError, match=jar.name) as caught:
        await jars.ensure(VERSION, full, mirror.url, _silent)
    assert caught.value.code == "jar_mismatch"
    assert not (full / jar.name).exists()


async def test_damaged_jar_is_named_when_offline(full: Path) -> None:
    _damage(full / SMALL[0].name)
    with pytest.raises(SetupError, match=SMALL[0].name) as caught:
        await jars.ensure(VERSION, full, NOWHERE, _silent)
    assert caught.value.code == "jar_mismatch"


async def test_empty_folder_offline_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="jars_dir") as caught:
        await jars.ensure(VERSION, tmp_path / "new", NOWHERE, _silent)
    assert caught.value.code == "jars_unavailable"


async def test_full_disk_is_said_before_the_fetch(small_disk: Path) -> None:
    with pytest.raises(SetupError) as caught:
        await jars.ensure(VERSION, small_disk / "jars", NOWHERE, _silent)
    assert caught.value.code == "disk_full"


@pytest.mark.parametrize("version", ["2026.08.1", "5.26.30"])
def test_lock_files_hold_the_server_and_no_tests(version: str) -> None:
    lock = jars.read_lock(version)
    names = [jar.name for jar in lock]
    assert f"neo4j-{version}.jar" in names
    assert len(names) == len(set(names))
    assert all(jar.classifier != "tests" and len(jar.sha256) == 64 and jar.size > 0 for jar in lock)
