"""How Neo4j is configured and called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryos_graph.store.cypher_files import Line

from .home import Home
from .jars import read_lock

VERSIONS = {Line.NEO4J_2026: "2026.08.1", Line.NEO4J_5: "5.26.30"}
MAIN = {
    Line.NEO4J_2026: "org.neo4j.server.Neo4jCommunity",
    Line.NEO4J_5: "org.neo4j.server.CommunityEntryPoint",
}
SETTINGS = {
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "server.memory.pagecache.size": "64m",
    "db.memory.transaction.max": "256m",  # 10,000 pages with vectors in one transaction do not fit in 64m
    "db.lock.acquisition.timeout": "5s",
    "db.logs.query.enabled": "OFF",  # the default logs parameters, which are user text
    "db.tx_log.preallocate": "false",  # with the two below the data folder is 2 MB instead of 517 MB
    "db.tx_log.rotation.size": "1M",
    "db.tx_log.rotation.retention_policy": "keep_none",  # also what lets forgotten text leave the disk
    "db.checkpoint.interval.time": "60s",
    "server.directories.run": "tmp",  # its pid file, which nothing reads
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "internal.server.bolt.thread_pool_shutdown_wait_time": "200ms",  # SIGTERM takes 1 s instead of 10 s
    "internal.server.bolt.connection_shutdown_wait_time": "200ms",
}
SETTINGS_2026 = {"dbms.fleet_manager.enabled": "false", "server.fleet_discovery.enabled": "false"}
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")  # without java.nio vector indexes never populate
VECTOR_MODULE = "jdk.incubator.vector"


@dataclass(frozen=True)
class Plan:
    """All a supervisor needs to know; it travels as one argument of its command line."""

    home: Path
    line: Line
    jars_dir: Path
    archives_dir: Path
    java: str
    java_major: int
    java_identity: str
    vector_module: bool
    port: int | None
    heap_mb: int
    idle_s: float
    fast_start: bool

    def to_json(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """From the command line."""
        fields = json.loads(text)
        paths = {name: Path(fields[name]) for name in ("home", "jars_dir", "archives_dir")}
        return cls(**{**fields, **paths, "line": Line(fields["line"])})


def write_conf(home: Home, line: Line, port: int) -> None:
    """Write neo4j.conf. An unknown key stops the server, so each line gets its own."""
    settings = {
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        **SETTINGS,
        **(SETTINGS_2026 if line is Line.NEO4J_2026 else {}),
    }
    text = "".join(f"{name}={value}\n" for name, value in settings.items())
    (home.conf / "neo4j.conf").write_text(text, encoding="utf-8")


def class_path(plan: Plan) -> list[Path]:
    """The jars by name: in other orders a `Class-Path` inside one of them makes Java refuse its archive."""
    return sorted(plan.jars_dir / jar.name for jar in read_lock(VERSIONS[plan.line]))


def command(plan: Plan, home: Home, archive_options: Sequence[str] = ()) -> list[str]:
    """The command line of the server.

    There is no ExitOnOutOfMemoryError: a reader's query would end the server; without it the query fails and it lives.
    """
    return [
        plan.java,
        *memory_options(plan.heap_mb),
        *archive_options,
        f"-Djava.io.tmpdir={home.tmp}",
        f"-XX:ErrorFile={home.root / 'logs' / 'java-crash.log'}",
        *_module_options(plan),
        "-cp",
        ":".join(str(jar) for jar in class_path(plan)),
        MAIN[plan.line],
        f"--home-dir={home.root}",
        f"--config-dir={home.conf}",
        "--console-mode",
    ]


def memory_options(heap_mb: int) -> list[str]:
    """Heap and what makes a short-lived server start fast: one collector thread, the quick compiler only."""
    return [
        f"-Xms{min(128, heap_mb)}m",
        f"-Xmx{heap_mb}m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
    ]


def _module_options(plan: Plan) -> list[str]:
    options = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    options.append("--enable-native-access=ALL-UNNAMED")
    if plan.vector_module:
        options.append(f"--add-modules={VECTOR_MODULE}")
    if plan.java_major >= 24:
        options += ["-Dio.netty.tryReflectionSetAccessible=true", "--sun-misc-unsafe-memory-access=allow"]
    return options
