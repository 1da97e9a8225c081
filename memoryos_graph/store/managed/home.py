"""The folder of one managed server: its paths, its password, and the small files its processes talk through."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memoryos_graph.errors import MemoryosError, SetupError

USER = "neo4j"
FREE_MIN_BYTES = 200_000_000  # below this Neo4j starts, then fails every statement and hangs when told to stop
AUTH_ROUNDS = 1024


@dataclass(frozen=True)
class Running:
    """What a live supervisor says about its server; `state` is starting, ready or stopping."""

    state: str
    version: str
    port: int
    pid: int
    restarts: int = 0

    @property
    def uri(self) -> str:
        """The address for the driver."""
        return f"bolt://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Failure:
    """Why the last supervisor gave up. `attempt` tells one failure from another."""

    attempt: str
    code: str
    detail: str


@dataclass(frozen=True)
class Erased:
    """What became of a request to overwrite deleted things on disk; `code` and `detail` say why it was not done."""

    request: str
    records: int = 0
    bytes: int = 0
    index_files: int = 0
    code: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Home:
    """Paths of one server. Nothing here is read by Neo4j but `conf`, `data`, `logs`, `import`, `plugins` and `tmp`."""

    root: Path

    @property
    def run(self) -> Path:
        """Locks, password and state; never in Neo4j's hands."""
        return self.root / "run"

    @property
    def lease_lock(self) -> Path:
        """Shared by the clients; the supervisor tries it exclusively to learn whether any is alive."""
        return self.run / "lease.lock"

    @property
    def supervisor_lock(self) -> Path:
        """Held by the one live supervisor."""
        return self.run / "supervisor.lock"

    @property
    def start_lock(self) -> Path:
        """Held by the one client that starts a supervisor."""
        return self.run / "start.lock"

    @property
    def stop_request(self) -> Path:
        """Its presence tells the supervisor to stop the server whoever uses it."""
        return self.run / "stop"

    @property
    def keep_marker(self) -> Path:
        """Its presence tells the supervisor to stay without clients."""
        return self.run / "keep"

    @property
    def erase_request(self) -> Path:
        """Its presence tells the supervisor to overwrite deleted things while Java is stopped, as often as it takes."""
        return self.run / "erase"

    @property
    def erase_lock(self) -> Path:
        """Held by the one client that asks for it."""
        return self.run / "erase.lock"

    @property
    def logs(self) -> Path:
        """Neo4j's transaction logs."""
        return self.root / "data/transactions/neo4j"

    @property
    def conf(self) -> Path:
        """Folder of neo4j.conf."""
        return self.root / "conf"

    @property
    def tmp(self) -> Path:
        """Java's temporary folder, emptied at each start."""
        return self.root / "tmp"

    @property
    def console_log(self) -> Path:
        """What the last Java wrote to its console."""
        return self.root / "logs" / "console.log"

    @property
    def supervisor_log(self) -> Path:
        """What the supervisors wrote."""
        return self.root / "logs" / "supervisor.log"

    @property
    def store_lock(self) -> Path:
        """Neo4j's own lock on its data."""
        return self.root / "data" / "databases" / "store_lock"

    def create(self) -> None:
        """Make the folder, private to this user, and see that it can be written.

        Raises SetupError (`not_writable`, `disk_full`).
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.run, self.root / "logs"):
                folder.mkdir(exist_ok=True, mode=0o700)
            self._write_private(self.run / "write-test", secrets.token_hex())
        except OSError as exc:
            raise SetupError(
                f"the folder {self.root} can not be written ({exc.strerror}); "
                "give this user the right, or set data_dir to another folder",
                code="not_writable",
            ) from exc
        if shutil.disk_usage(self.root).free < FREE_MIN_BYTES:
            raise SetupError(
                f"less than {FREE_MIN_BYTES // 1_000_000} MB are free for {self.root}; "
                "make room, or set data_dir to a folder on another disk",
                code="disk_full",
            )

    def prepare_for_neo4j(self) -> None:
        """Make Neo4j's folders, and before the first start the password."""
        for name in ("data", "import", "plugins", "conf"):
            (self.root / name).mkdir(exist_ok=True, mode=0o700)
        shutil.rmtree(self.tmp, ignore_errors=True)
        self.tmp.mkdir(mode=0o700)
        if not (self.root / "data/dbms/auth.ini").exists() and not (self.root / "data/databases/system").exists():
            self._choose_password()

    def password(self) -> str:
        """The generated password. Raises SetupError (`wrong_password`) when its file is gone."""
        try:
            return (self.run / "password").read_text(encoding="utf-8").strip()
        except OSError as exc:
            raise wrong_password(self) from exc

    def _choose_password(self) -> None:
        # What `neo4j-admin dbms set-initial-password` writes, without its Java start of 3–5 s; after the first start
        # the admin command reports success and does nothing.
        password = secrets.token_urlsafe(24)
        self._write_private(self.run / "password", password)
        salt = secrets.token_bytes(32)
        digest = hashlib.sha256(salt + password.encode()).digest()
        for _ in range(AUTH_ROUNDS - 1):
            digest = hashlib.sha256(digest).digest()
        (self.root / "data/dbms").mkdir(exist_ok=True, mode=0o700)
        line = f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{AUTH_ROUNDS}:\n"
        self._write_private(self.root / "data/dbms/auth.ini", line)

    def running(self) -> Running | None:
        """What the supervisor last said; true only while one is alive."""
        found = _read_json(self.run / "server.json")
        return Running(**found) if found else None

    def say(self, running: Running | None) -> None:
        """Tell clients about the server; None when there is no more."""
        if running is None:
            (self.run / "server.json").unlink(missing_ok=True)
        else:
            self._write_private(self.run / "server.json", json.dumps(asdict(running)))

    def failure(self) -> Failure | None:
        """Why the last supervisor gave up, if it did."""
        found = _read_json(self.run / "failure.json")
        return Failure(**found) if found else None

    def say_failure(self, error: MemoryosError) -> None:
        """Leave the reason for the clients that wait."""
        failure = Failure(secrets.token_hex(8), error.code, error.detail)
        self._write_private(self.run / "failure.json", json.dumps(asdict(failure)))

    def request_erase(self, request: str) -> None:
        """Ask the supervisor; an interrupted one is done by the next."""
        self._write_private(self.erase_request, request)

    def say_erased(self, erased: Erased) -> None:
        """Tell the client what was done, then take the request away."""
        self._write_private(self.run / "erased.json", json.dumps(asdict(erased)))
        self.erase_request.unlink(missing_ok=True)

    def erased(self) -> Erased | None:
        """What was done last."""
        found = _read_json(self.run / "erased.json")
        return Erased(**found) if found else None

    def last_port(self) -> int | None:
        """The port of the last run, kept so that drivers opened before a restart find the server again."""
        try:
            return int((self.run / "port").read_text())
        except (OSError, ValueError):
            return None

    def remember_port(self, port: int) -> None:
        """Use this port next time too."""
        self._write_private(self.run / "port", str(port))

    def disk_bytes(self) -> int:
        """Bytes of all files of the server."""
        total = 0
        for folder, _, names in os.walk(self.root):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size
                except FileNotFoundError:
                    continue  # Neo4j rotates its files while we look
        return total

    def _write_private(self, path: Path, text: str) -> None:
        part = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def wrong_password(home: Home) -> SetupError:
    """The error for a password file that is gone or does not fit the data."""
    return SetupError(
        f"Neo4j in {home.root} does not accept the password in {home.run / 'password'}; "
        "put the file back that belongs to this data, or set data_dir to a new folder",
        code="wrong_password",
    )


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
