"""Locks that end with their process: no pid files, nothing stale after a kill."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memoryos_graph.errors import SetupError

if sys.platform != "win32":
    import fcntl


def require_posix() -> None:
    """Raises SetupError (`platform`) where there are no such locks."""
    if sys.platform == "win32":
        raise SetupError(
            "the managed Neo4j runs on Linux and macOS only; start a Neo4j yourself and set NEO4J_URI", code="platform"
        )


class Lease:
    """A lock on a file, held until `release` or until the process that took it has died in any way."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self._path = path

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def still_there(self) -> bool:
        """Whether the locked file is still the one at its path: false after somebody deleted the folder."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except OSError:
            return False


def try_lock(path: Path, *, shared: bool = False) -> Lease | None:
    """The lock if it is free now, else None; many may share it, or one has it alone."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return Lease(descriptor, path)


def is_held(path: Path) -> bool:
    """Whether a process has the lock for itself."""
    if not path.exists():
        return False
    lease = try_lock(path, shared=True)
    if lease is None:
        return True
    lease.release()
    return False


def java_holds(path: Path) -> bool:
    """Whether another process holds a record lock on the file, as Java's FileChannel.lock takes it."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    finally:
        os.close(descriptor)
    return False
