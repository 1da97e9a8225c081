"""What documents say and the code must agree with; nothing is started here."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from memoryos_graph import Settings
from memoryos_graph.settings import PREFIX

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def _variables() -> dict[str, str]:
    """The main environment variable of each setting, with its default as text."""
    found = {}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = PREFIX + name.upper() if alias is None else str(getattr(alias, "choices", [alias])[0])
        found[variable] = "" if field.default_factory or field.default is None else str(field.default)
    return found


def test_every_setting_is_in_the_table_with_its_default() -> None:
    table = re.findall(r"^\| (`[A-Z].*?) \| (.*?) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    defaults = {}
    for names, values in table:
        variables = [name for name in re.findall(r"`(\w+)`", names) if name != "NEO4J_USERNAME"]
        defaults |= dict(zip(variables, [value.strip("` ") for value in values.split(",")] + [""] * 3, strict=False))
    wanted = _variables()
    assert wanted.keys() == defaults.keys()
    for variable, default in wanted.items():
        if default and default != "None":
            given = defaults[variable]
            assert given in (default, default.lower()) or float(given) == float(default), variable


def test_the_changelog_begins_with_this_version() -> None:
    (newest, *_) = re.findall(r"^## \[(\S+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert newest == project["version"] == version("memoryos-graph")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_in_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", document.read_text()):
        path, _, anchor = target.partition("#")
        found = document.parent / path if path else document
        assert found.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", found.read_text(), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles], target


def test_every_make_target_is_explained() -> None:
    text = (ROOT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert set(phony.split()) == set(re.findall(r"^([a-z]+):.*## \S", text, re.MULTILINE))
