"""The memory of AI assistants as a graph in Neo4j: traceable to its words, correctable, forgettable with proof."""

from .contract import TurnIn
from .errors import MemoryosError
from .service import MemoryService, UserMemory
from .settings import Settings, load_settings

__all__ = ["MemoryService", "MemoryosError", "Settings", "TurnIn", "UserMemory", "load_settings"]
