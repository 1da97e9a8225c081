"""One run of the Java process: start it, stop it, and say why it died."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from memoryos_graph.errors import SetupError

from .home import Home

STOP_S = 30.0
CONSOLE_CHARACTERS = 200_000
PR_SET_PDEATHSIG = 1
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
SYMPTOMS = {
    "FileLockException": ("folder_in_use", "another process uses the data in {root}; stop it, or set another data_dir"),
    "PortBindException": ("port_taken", "another program took the port of Neo4j; start again, or set managed_port"),
    "No space left on device": ("disk_full", "the disk of {root} is full; make room and start again"),
}


PACKAGE_ROOT = Path(__file__).resolve().parents[3]


def module_command(module: str, argument: str) -> list[str]:
    """How a module of this package runs as a process; -P keeps files of the working directory from being imported."""
    return [sys.executable, "-P", "-m", f"{__package__}.{module}", argument]


def scrubbed_environment(extra: Sequence[str] = ()) -> dict[str, str]:
    """The few variables that a long-lived child needs; no keys, and no Java options of other programs."""
    return {name: os.environ[name] for name in (*KEPT_VARIABLES, *extra) if name in os.environ}


class Server:
    """A started Java process."""

    def __init__(self, home: Home, command: Sequence[str]) -> None:
        self.home = home
        with home.console_log.open("w", encoding="utf-8") as console:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                cwd=home.root,
                env=scrubbed_environment(),
                preexec_fn=_die_with(os.getpid()),
            )

    @property
    def pid(self) -> int:
        """Process id of Java."""
        return self._child.pid

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._child.poll() is None

    def stop(self, patience_s: float = STOP_S) -> bool:
        """End the process: asked first, killed when it does not listen (a server on a full disk does not).

        Says whether it ended by itself. A kill loses nothing that was acknowledged.
        """
        if self.is_alive():
            self._child.send_signal(signal.SIGTERM)
            try:
                self._child.wait(patience_s)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
                return False
        return True

    def crashed(self) -> bool:
        """Whether Java itself broke, as under a damaged archive; a kill is no crash."""
        return self._child.poll() in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL)

    def refused_archive(self) -> bool:
        """Whether Java went on without the archive of classes it was given."""
        with self.home.console_log.open(encoding="utf-8", errors="replace") as console:
            return "[cds" in console.read(2000)

    def death(self) -> SetupError:
        """Why it died, from what it wrote last."""
        console = self.home.console_log.read_text(encoding="utf-8", errors="replace")[-CONSOLE_CHARACTERS:]
        for symptom, (code, sentence) in SYMPTOMS.items():
            if symptom in console:
                return SetupError(sentence.format(root=self.home.root), code=code)
        lines = [line.strip() for line in console.splitlines()]
        telling = [line for line in lines if "ERROR" in line or "Caused" in line] or [line for line in lines if line]
        return SetupError(
            f"Neo4j ended with code {self._child.poll()}; see {self.home.console_log}. "
            f"It said: {' | '.join(telling[-3:])[:1000]}",
            code="server_died",
        )


def _die_with(parent: int) -> Callable[[], None] | None:
    """For the child between fork and exec: end cleanly when the supervisor dies, even by kill -9 (Linux only)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)  # loaded before the fork

    def ask_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask_kernel
