"""The process that owns one server: `python -m memoryos_graph.store.managed.supervisor PLAN` (started by `acquire`).

It starts Java, restarts it when it died, and stops it when no client holds a lease for a while or a stop is requested.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from memoryos_graph.errors import MemoryosError, SetupError

from .archive import Archive
from .config import VERSIONS, Plan, command, write_conf
from .home import Erased, Home, Running, wrong_password
from .leases import Lease, java_holds, try_lock
from .probe import PasswordRefused, answers, free_port, is_free
from .residue import overwrite
from .server import Server

POLL_S = 0.2
START_POLL_S = 0.05
START_LIMIT_S = 300.0  # recovery of a large store after a crash takes its time
LOCK_WAIT_S = 2.0
ORPHAN_GRACE_S = 10.0  # a Java whose supervisor was killed ends by itself within about 2 s
ERASE_STOP_S = 120.0
RESTARTS = 5
RESTART_WINDOW_S = 600.0


class Leaving(Exception):
    """The server is no longer wanted."""


class Supervisor:
    """Owns one server from its start to its end; the caller holds the supervisor lock."""

    def __init__(self, plan: Plan, own_lock: Lease, born: float) -> None:
        self.plan = plan
        self.home = Home(plan.home)
        self.own_lock = own_lock
        self.born = born
        self.archive = Archive(plan)
        self.server: Server | None = None
        self.port = 0
        self.restarts: deque[float] = deque()
        self.idle_since: float | None = None
        self.no_client: Lease | None = None
        self.terminated = False

    def run(self) -> None:
        """Serve until the server is no longer wanted. Raises SetupError when it can not be started or kept alive."""
        self.home.say(None)
        self._forget_old_request()
        try:
            self.home.prepare_for_neo4j()
            self._wait_for_data()
            self.port = self._choose_port()
            write_conf(self.home, self.plan.line, self.port)
            self._start()
            self._watch()
        except Leaving:
            pass
        finally:
            self._stop()
        if self.plan.fast_start and self.own_lock.still_there():
            self.archive.make_later()

    def _forget_old_request(self) -> None:
        """Remove a stop request that an earlier supervisor did not live to see; one for us is younger than we are."""
        with contextlib.suppress(FileNotFoundError):
            if self.home.stop_request.stat().st_mtime < self.born:
                self.home.stop_request.unlink()

    def _choose_port(self) -> int:
        wanted = self.plan.port
        if wanted is not None:
            if not is_free(wanted):
                raise SetupError(
                    f"port {wanted} is taken by another program; set managed_port to a free one, or to none",
                    code="port_taken",
                )
            return wanted
        last = self.home.last_port()
        port = last if last is not None and is_free(last) else free_port()
        self.home.remember_port(port)
        return port

    def _wait_for_data(self) -> None:
        """Wait until a Java that a killed supervisor left has let go of the data; where it does not end, end it."""
        started = time.monotonic()
        while java_holds(self.home.store_lock):
            self._raise_if_unwanted()
            if time.monotonic() - started > ORPHAN_GRACE_S:
                raise SetupError(
                    f"another process uses the data in {self.home.root}; stop it, or set another data_dir",
                    code="folder_in_use",
                )
            if time.monotonic() - started > ORPHAN_GRACE_S / 3:
                _end_orphan(self.home)
            time.sleep(POLL_S)

    def _start(self) -> None:
        """Start Java and wait until it answers. Raises SetupError with the reason when it dies before."""
        archive = self.archive.options()
        try:
            self._start_java(archive)
        except SetupError as exc:
            if not archive or exc.code != "server_died":
                raise
            log(f"start without the archive of classes: {exc.detail}")
            self._start_java([])
            self.archive.discard()  # only now is it known that the archive was the cause
        else:
            if archive and self.server is not None and self.server.refused_archive():
                self.archive.discard()

    def _start_java(self, archive: Sequence[str]) -> None:
        self.server = Server(self.home, command(self.plan, self.home, archive))
        self._say("starting")
        deadline = time.monotonic() + START_LIMIT_S
        password = self.home.password()
        while not self._answers(password):
            self._raise_if_unwanted()
            if not self.server.is_alive():
                raise self.server.death()
            if time.monotonic() > deadline:
                raise SetupError(f"Neo4j did not answer within {START_LIMIT_S:.0f} s", code="start_timeout")
            time.sleep(START_POLL_S)
        self._say("ready")

    def _answers(self, password: str) -> bool:
        try:
            return answers(self.port, password)
        except PasswordRefused as exc:
            raise wrong_password(self.home) from exc

    def _watch(self) -> None:
        while True:
            self._raise_if_unwanted()
            self._raise_if_idle()
            if self.home.erase_request.exists():
                self._erase(self.home.erase_request.read_text(encoding="utf-8"))
            if self.server is not None and not self.server.is_alive():
                self._restart()
            time.sleep(POLL_S)

    def _erase(self, request: str) -> None:
        """Stop Java, overwrite deleted things in its files, start it again. Killed in between, the next repeats it."""
        assert self.server is not None
        self._say("starting")
        if self.server.stop(ERASE_STOP_S):
            try:
                done = Erased(request, **asdict(overwrite(self.home.root)))
            except (OSError, SetupError) as exc:
                done = Erased(request, code=getattr(exc, "code", "not_writable"), detail=str(exc))
        else:
            done = Erased(request, code="stop_timeout", detail=f"Neo4j did not stop within {ERASE_STOP_S:.0f} s")
        self.home.say_erased(done)
        try:
            self._start()
        except SetupError as exc:
            log(f"{exc.code}: {exc.detail}")
            self.server.stop()  # then it is started again as after any death

    def _restart(self) -> None:
        """Start Java again on the same port, later each time. Raises SetupError after too many deaths in a while."""
        while True:
            assert self.server is not None
            now = time.monotonic()
            while self.restarts and now - self.restarts[0] > RESTART_WINDOW_S:
                self.restarts.popleft()
            if len(self.restarts) >= RESTARTS:
                raise self.server.death()
            pause_s = 0.1 * 4 ** len(self.restarts)
            self.restarts.append(now)
            self._say("starting")
            if self.server.crashed():
                self.archive.discard()
            log(f"{self.server.death().detail}; restart {len(self.restarts)} of {RESTARTS} in {pause_s:.1f} s")
            self._pause(pause_s)
            self._wait_for_data()
            try:
                return self._start()
            except SetupError as exc:
                if exc.code not in ("server_died", "port_taken"):
                    raise
                self.server.stop()

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._raise_if_unwanted()
            time.sleep(START_POLL_S)

    def _raise_if_unwanted(self) -> None:
        if self.terminated or self.home.stop_request.exists() or not self.own_lock.still_there():
            raise Leaving

    def _raise_if_idle(self) -> None:
        """Leave when no client was alive for a while. The lease lock is kept until the end: nobody slips in between."""
        if self.home.keep_marker.exists():
            self.idle_since = None
            return
        alone = try_lock(self.home.lease_lock)
        if alone is None:
            self.idle_since = None
            return
        now = time.monotonic()
        self.idle_since = now if self.idle_since is None else self.idle_since
        if now - self.idle_since > self.plan.idle_s:
            self.no_client = alone
            raise Leaving
        alone.release()

    def _stop(self) -> None:
        """Stop Java, then tell that it is gone. Where the folder was deleted there is nobody to tell."""
        there = self.own_lock.still_there()
        if there and self.server is not None:
            self._say("stopping")
        if self.server is not None:
            self.server.stop()
        if there:
            self.home.say(None)
            self.home.stop_request.unlink(missing_ok=True)

    def _say(self, state: str) -> None:
        assert self.server is not None
        version = VERSIONS[self.plan.line]
        self.home.say(Running(state, version, self.port, self.server.pid, len(self.restarts)))


def _end_orphan(home: Home) -> None:
    """Ask the Java of a killed supervisor to stop, where the kernel did not (macOS): found by its command line."""
    marker = f"--home-dir={home.root} "
    listing = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,command="], capture_output=True, text=True, check=False)
    for line in listing.stdout.splitlines():
        pid, _, called = line.strip().partition(" ")
        if marker in called and "org.neo4j.server." in called:
            os.kill(int(pid), signal.SIGTERM)


def log(text: str) -> None:
    """One line for logs/supervisor.log."""
    print(time.strftime("%Y-%m-%dT%H:%M:%S"), text, file=sys.stderr, flush=True)


def _lock_for_a_life(path: Path) -> Lease | None:
    end = time.monotonic() + LOCK_WAIT_S  # somebody may look at the lock right now
    while (lock := try_lock(path)) is None and time.monotonic() < end:
        time.sleep(START_POLL_S)
    return lock


def main(argument: str) -> int:
    """Run one supervisor; 0 when it was not needed or not needed any more, 1 when the reason is in failure.json."""
    os.umask(0o077)
    plan = Plan.from_json(argument)
    home = Home(plan.home)
    born = time.time()
    lock = _lock_for_a_life(home.supervisor_lock)
    if lock is None:
        return 0
    supervisor = Supervisor(plan, lock, born)

    def terminate(*_: object) -> None:
        supervisor.terminated = True

    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGINT, terminate)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        supervisor.run()
    except MemoryosError as exc:
        log(f"{exc.code}: {exc.detail}")
        home.say_failure(exc)
        return 1
    except Exception as exc:
        traceback.print_exc()
        if lock.still_there():
            detail = f"the supervisor of Neo4j failed ({exc}); see {home.supervisor_log}"
            home.say_failure(SetupError(detail, code="server_died"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
