from __future__ import annotations

import tomllib
from pathlib import Path

import memoryos_graph

ROOT = Path(memoryos_graph.__file__).parent.parent


def test_every_folder_with_code_or_data_is_a_package_of_the_wheel() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = set()
    for top, name in (
        ("memoryos_graph", "memoryos_graph"),
        ("api", "memoryos_graph.api"),
        ("cypher", "memoryos_graph.cypher"),
    ):
        folders = [ROOT / top, *(p for p in (ROOT / top).rglob("*") if p.is_dir() and p.name != "__pycache__")]
        for folder in folders:
            if any(p.suffix in (".py", ".cypher", ".lock", ".jsonl", ".md") for p in folder.iterdir()):
                found.add(".".join([name, *folder.relative_to(ROOT / top).parts]))
    assert found == listed


def test_public_names_are_sorted_and_all_there() -> None:
    names = memoryos_graph.__all__
    assert names == sorted(names)
    for name in names:
        assert getattr(memoryos_graph, name) is not None
