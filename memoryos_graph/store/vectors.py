"""Of which model the vectors in the graph are, and how far a change of the model is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..errors import ModelChanged
from .connection import Row


class Stage(StrEnum):
    """A change of the embedding model: vectors of the next one are built; they are searched, and some are missing; the
    old ones are removed."""

    NONE = ""
    BUILDING = "building"
    CATCHING_UP = "catching_up"
    CLEARING = "clearing"


@dataclass(frozen=True)
class Model:
    """An embedding model, as far as the database knows it."""

    name: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} numbers)"


@dataclass(frozen=True)
class Vectors:
    """The model whose vectors are searched, and the next one while its vectors are built."""

    model: Model
    stage: Stage
    next: Model | None

    @classmethod
    def of(cls, row: Row) -> Vectors:
        """From a row of `vectors_now`."""
        following = Model(row["next_model"], row["next_dimension"]) if row["next_model"] else None
        return cls(Model(row["embedding_model"], row["embedding_dimension"]), Stage(row["reembed"]), following)


def ensure_model(stored: Row | None, mine: Model, *, or_next: bool = False) -> None:
    """Refuse to write vectors of a model that the database no longer has, or with `or_next` is not about to have.

    `stored` are properties of Meta, read under a lock of the user (case N4). Raises ModelChanged.
    """
    if stored is None or mine == Model(stored["embedding_model"], stored["embedding_dimension"]):
        return
    if or_next and mine == Model(stored["next_model"], stored["next_dimension"]):
        return
    raise ModelChanged()
