"""A wheel holds everything, also what an editable install finds beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TREES = {"memoryos_graph": "memoryos_graph", "api": "memoryos_graph/api", "cypher": "memoryos_graph/cypher"}
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info")


def test_the_wheel_is_complete(tmp_path: Path) -> None:
    source, dist = tmp_path / "source", tmp_path / "dist"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for tree in TREES:
        shutil.copytree(ROOT / tree, source / tree, ignore=LEFT_OUT)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(dist), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=150)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (wheel,) = dist.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        (entry_points,) = [name for name in held if name.endswith("entry_points.txt")]
        assert "memoryos = memoryos_graph.entrypoints.cli:main" in archive.read(entry_points).decode()
    for tree, home in TREES.items():
        for path in (source / tree).rglob("*"):
            if path.is_file() and "build" not in path.parts:
                assert f"{home}/{path.relative_to(source / tree)}" in held
    for name in ("py.typed", "demo/conversation.jsonl", "store/managed/locks/neo4j-2026.08.1.lock", "api/app.py"):
        assert f"memoryos_graph/{name}" in held
    assert any(name.endswith(".cypher") for name in held)
    assert any(name.endswith("licenses/LICENSE") for name in held)
