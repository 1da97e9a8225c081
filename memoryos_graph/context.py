"""What every room function needs, as its first argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .clock import Clock
from .llm.embedder import Embedder
from .llm.provider import Provider
from .llm.tokens import CharacterCounter, TokenCounter
from .metrics import Metrics
from .settings import Settings
from .visits import VisitBuffer

if TYPE_CHECKING:
    from .domain.secret import Secret
    from .store.store import Store


@dataclass(frozen=True)
class Context:
    """One process's doors: the store, the models, the clock, the settings, the key
    outside the database, the visits not written yet, the numbers of this process, and what counts tokens."""

    store: Store
    provider: Provider
    embedder: Embedder
    clock: Clock
    settings: Settings
    secret: Secret
    visits: VisitBuffer
    metrics: Metrics = field(default_factory=Metrics)
    tokens: TokenCounter = field(default_factory=CharacterCounter)
