"""The server's jars: from a lock file to a folder in which every jar is the one that was locked.

Neo4j Community is GPLv3. It is fetched from the central repository when first needed, never bundled, and run as a
process of its own.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import httpx
import platformdirs

from memoryos_graph.errors import SetupError

from .home import FREE_MIN_BYTES
from .leases import Lease, try_lock

CONNECTIONS = 8
ATTEMPTS = 3
CHUNK_BYTES = 1 << 16
LOCK_POLL_S = 0.1

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Jar:
    """One line of a lock file."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """File name, the same in the repository and in our folder."""
        tail = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{tail}.jar"

    @property
    def repository_path(self) -> str:
        """Path below the address of a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"


def read_lock(version: str) -> list[Jar]:
    """The jars of one server version, sorted."""
    text = resources.files(__package__).joinpath("locks", f"neo4j-{version}.lock").read_text(encoding="utf-8")
    return [_parse(line) for line in text.splitlines()]


def _parse(line: str) -> Jar:
    coordinates, sha256, size = line.split()
    group, artifact, version, *classifier = coordinates.split(":")
    return Jar(group, artifact, version, "".join(classifier), sha256, int(size))


def cache_folder() -> Path:
    """The cache of this user, shared by all data folders."""
    return Path(platformdirs.user_cache_dir("memoryos-graph"))


def default_folder(version: str) -> Path:
    """Where the jars of a server version are kept unless told otherwise."""
    return cache_folder() / "jars" / version


async def ensure(version: str, folder: Path, maven_url: str | None, on_progress: Progress) -> list[Path]:
    """The verified jars of `version` in `folder`; what is missing or damaged is fetched, once for all processes.

    Finished jars stay when a fetch is interrupted. A complete folder is only read, so it may be read-only and offline.
    Raises SetupError (`jars_unavailable`, `jar_mismatch`, `not_writable`, `disk_full`).
    """
    jars = read_lock(version)
    wanting = await asyncio.to_thread(find_wanting, jars, folder)
    if wanting:
        lock = await _lock_folder(folder)
        try:
            wanting = await asyncio.to_thread(find_wanting, jars, folder)  # another process may have fetched them
            if wanting:
                await _fetch_all(version, wanting, folder, maven_url, on_progress)
        finally:
            lock.release()
    return [folder / jar.name for jar in jars]


def find_wanting(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    """The jars that are missing in `folder` or are not what was locked."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        good = pool.map(lambda jar: _is_locked_content(folder / jar.name, jar), jars)
        return [jar for jar, is_good in zip(jars, good, strict=True) if not is_good]


def _is_locked_content(path: Path, jar: Jar) -> bool:
    try:
        if path.stat().st_size != jar.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


async def _lock_folder(folder: Path) -> Lease:
    while (lease := _try_lock_folder(folder)) is None:
        await asyncio.sleep(LOCK_POLL_S)
    return lease


def _try_lock_folder(folder: Path) -> Lease | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return try_lock(folder / "fetch.lock")
    except OSError as exc:
        raise SetupError(
            f"the jars in {folder} are incomplete and it can not be written ({exc.strerror}); fill it, or set jars_dir",
            code="not_writable",
        ) from exc


async def _fetch_all(version: str, jars: Sequence[Jar], folder: Path, maven_url: str | None, say: Progress) -> None:
    size = sum(jar.size for jar in jars)
    if shutil.disk_usage(folder).free < size + FREE_MIN_BYTES:
        raise SetupError(f"no room in {folder} for {size // 1_000_000} MB of jars; set jars_dir", code="disk_full")
    say(
        f"fetching Neo4j Community {version} ({len(jars)} jars, {size // 1_000_000} MB); "
        "it is licensed under GPLv3 and runs as a process of its own"
    )
    url = maven_url or _central_repository()
    slots = asyncio.Semaphore(CONNECTIONS)
    async with httpx.AsyncClient(base_url=url.rstrip("/") + "/", timeout=60, follow_redirects=True) as http:

        async def fetch_in_turn(jar: Jar) -> None:
            async with slots:
                await _fetch(http, jar, folder)

        try:
            async with asyncio.TaskGroup() as group:
                for jar in jars:
                    group.create_task(fetch_in_turn(jar))
        except ExceptionGroup as errors:
            raise _first_cause(errors) from errors


def _first_cause(errors: ExceptionGroup[Exception]) -> Exception:
    first = errors.exceptions[0]
    return _first_cause(first) if isinstance(first, ExceptionGroup) else first


def _central_repository() -> str:
    try:
        import jgo
    except ImportError as exc:
        raise SetupError(
            "the jars of Neo4j are not here and no repository is known: pip install 'memoryos-graph[local]', or set "
            "maven_url or jars_dir",
            code="jars_unavailable",
        ) from exc
    return str(vars(jgo)["MAVEN_CENTRAL_URL"])  # imported there, not declared as exported


async def _fetch(http: httpx.AsyncClient, jar: Jar, folder: Path) -> None:
    """Fetch one jar, trying again when the network fails."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await _download(http, jar, folder)
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            if attempt == ATTEMPTS or isinstance(exc, httpx.InvalidURL | httpx.UnsupportedProtocol):
                raise _unavailable(jar, folder, exc) from exc
            await asyncio.sleep(0.3 * attempt)
        except OSError as exc:
            code = "disk_full" if exc.errno == errno.ENOSPC else "not_writable"
            raise SetupError(f"can not write to {folder} ({exc.strerror}); set jars_dir", code=code) from exc
    return None


async def _download(http: httpx.AsyncClient, jar: Jar, folder: Path) -> None:
    part = folder / f"{jar.name}.part"  # one writer: the folder is locked
    digest = hashlib.sha256()
    try:
        async with http.stream("GET", jar.repository_path) as response:
            response.raise_for_status()
            with part.open("wb") as file:
                async for chunk in response.aiter_bytes(CHUNK_BYTES):
                    digest.update(chunk)
                    file.write(chunk)
        if digest.hexdigest() != jar.sha256:
            raise SetupError(
                f"{jar.name} from the repository is not the jar that was locked (sha256 differs) and was not kept; "
                "check maven_url, or a proxy that changes downloads",
                code="jar_mismatch",
            )
        part.replace(folder / jar.name)
    finally:
        part.unlink(missing_ok=True)


def _unavailable(jar: Jar, folder: Path, cause: Exception) -> SetupError:
    if (folder / jar.name).exists():
        return SetupError(
            f"{folder / jar.name} is damaged (sha256 differs) and can not be fetched anew ({type(cause).__name__}); "
            "put the right one there",
            code="jar_mismatch",
        )
    return SetupError(
        f"{jar.name} is not in {folder} and can not be fetched ({type(cause).__name__}); "
        "check the network, or set maven_url to a mirror or jars_dir to a filled folder",
        code="jars_unavailable",
    )
