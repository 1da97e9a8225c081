"""The memory of AI assistants as a graph in Neo4j: traceable to its words, correctable, forgettable with proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contract import TurnIn
    from .errors import MemoryosError
    from .memoryos import Memoryos
    from .service import MemoryService
    from .settings import Settings, load_settings
    from .user_memory import UserMemory

_HOMES = {
    "MemoryService": ".service",
    "Memoryos": ".memoryos",
    "MemoryosError": ".errors",
    "Settings": ".settings",
    "TurnIn": ".contract",
    "UserMemory": ".user_memory",
    "load_settings": ".settings",
}

__all__ = ["MemoryService", "Memoryos", "MemoryosError", "Settings", "TurnIn", "UserMemory", "load_settings"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that the command line and the supervisor start fast."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
