"""Overwriting what a managed server's files hold of deleted things: what the client asks of the supervisor.

renew the transaction log ──► request ──► Java stops, old logs go ──► records overwritten ──► Java starts
statements of the caller      client      supervisor                  residue.py              supervisor
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

from memoryos_graph.errors import SetupError, TryAgain
from memoryos_graph.store.cypher_files import Line

from .client import POLL_S, home_of
from .home import Erased
from .leases import is_held, require_posix, try_lock

WAIT_S = 3600.0


class Erasing:
    """The right of one process to erase in one folder, and the log files that were there at its begin."""

    def __init__(self, data_dir: Path, line: Line) -> None:
        """Raises TryAgain while another process does it."""
        require_posix()
        self._home = home_of(data_dir, line)
        self._home.create()
        lock = try_lock(self._home.erase_lock)
        if lock is None:
            raise TryAgain("another process erases in this folder; try again")
        self._lock = lock
        self._before = self._log_files()

    def close(self) -> None:
        """Let others."""
        self._lock.release()

    @property
    def log_is_renewed(self) -> bool:
        """Whether two log files have begun since: a full one is kept as long as the newest has hardly anything."""
        return max(self._log_files(), default=0) >= max(self._before, default=0) + 2

    @property
    def old_log_files(self) -> int:
        """How many log files of the begin are still there."""
        return len(self._before & self._log_files())

    async def overwrite(self) -> Erased:
        """Let the supervisor stop Java, overwrite, and start Java again; returns before it answers again.

        Raises SetupError: `store_format`, `not_writable`, `stop_timeout`, or `server_died` where others stopped it.
        """
        request = secrets.token_hex(8)
        self._home.request_erase(request)
        try:
            async with asyncio.timeout(WAIT_S):
                while (erased := self._home.erased()) is None or erased.request != request:
                    if not is_held(self._home.supervisor_lock):
                        raise SetupError("Neo4j was stopped meanwhile: run it again", code="server_died")
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise SetupError(f"it was not done within {WAIT_S:.0f} s: run it again", code="stop_timeout") from None
        finally:
            self._home.erase_request.unlink(missing_ok=True)
        if erased.code:
            raise SetupError(erased.detail, code=erased.code)
        return erased

    def _log_files(self) -> set[int]:
        return {int(path.suffix[1:]) for path in self._home.logs.glob("neostore.transaction.db.*")}
