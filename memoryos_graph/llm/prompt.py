"""The prompts: files with our tables filled in, each known by the hash of its text and schema."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ..domain.claim import FactKind
from ..domain.predicates import PREDICATES, Policy
from ..domain.traits import TRAITS, Group, offered
from .chat import Message
from .shapes import CLAIMS, READING, Shape

_ONE_AT_A_TIME = (Policy.SINGLE, Policy.FIXED)
_GROUPS: tuple[Group, ...] = ("personality", "assistant", "interests")


@dataclass(frozen=True)
class Prompt:
    """What the system message says, and the hash of it and of the schema of the reply."""

    text: str
    hash: str

    def messages(self, data: str, name: str = "Pages") -> list[Message]:
        """The messages of a first request; `data` is what is to be read, `name` what it holds."""
        return [{"role": "system", "content": self.text}, {"role": "user", "content": f"{name}, as data:\n{data}"}]


@cache
def read_batch() -> Prompt:
    """The prompt for continuity, topics and keywords."""
    return _prompt(_file(READING.name), READING)


@cache
def propose_claims() -> Prompt:
    """The prompt for claims, with the predicates and those traits that may be inferred."""
    text = _file(CLAIMS.name).replace("{predicates}", _predicates()).replace("{traits}", _traits())
    return _prompt(text, CLAIMS)


@cache
def answer() -> Prompt:
    """The prompt for an answer in prose."""
    text = _file("answer")
    return Prompt(text, hash_of(text))


def hash_of(text: str, schema: dict[str, Any] | None = None) -> str:
    """SHA-256 of a prompt with its schema."""
    return hashlib.sha256(f"{text}\n{json.dumps(schema, sort_keys=True)}".encode()).hexdigest()


def _prompt(text: str, shape: Shape[Any]) -> Prompt:
    return Prompt(text, hash_of(text, shape.schema))


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


def _predicates() -> str:
    about_user = (one for one in PREDICATES.values() if one.kind in (FactKind.PROFILE, FactKind.KNOWLEDGE))
    return ", ".join(one.name + ("*" if one.policy in _ONE_AT_A_TIME else "") for one in about_user)


def _traits() -> str:
    groups = (f"{group}: {', '.join(map(_marked, offered(group)))}" for group in _GROUPS)
    return "\n  ".join(groups)


def _marked(name: str) -> str:
    return name + ("!" if TRAITS[name].careful else "")
