"""What the pipeline asks of a provider, be it the offline rules or a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..domain.claim import Claim
from ..domain.page import Page
from ..domain.usage import ModelCall
from .parts import AnswerParts

T = TypeVar("T")
OnText = Callable[[str], None]
"""Told of each piece of a text as it comes."""


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A provider's value with the model calls it took (none for the rules) and where it comes from."""

    value: T
    model: str
    prompt_hash: str
    calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Continuity:
    """Whether a page goes on with the page before it in its conversation, with the score behind the verdict."""

    continues: bool
    score: float


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One subject of a batch: summary of at most 200 characters, at most 10 lower-case keywords, the pages about it."""

    summary: str
    keywords: tuple[str, ...]
    page_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BatchReading:
    """What a provider sees in a batch. `continuity` and `topics` cover every page; a page may be in several topics."""

    continuity: dict[str, Continuity]
    topics: tuple[Topic, ...]
    chain_summaries: dict[str, str]


@dataclass(frozen=True)
class Written:
    """An answer with its markers as they were written; `extractive` when it is made of words of the memory."""

    text: str
    extractive: bool = False


class Provider(Protocol):
    """Reads pages. Raises ModelError when it can't; never guesses, never returns an error as text."""

    async def read_batch(self, pages: Sequence[Page], before: dict[str, Page]) -> Reply[BatchReading]:
        """Continuity, topics and keywords of a batch, in seq order with embeddings and keywords.

        `before` maps a page id to the page before it in the same conversation (absent for a first page).
        `chain_summaries` of the reply maps the id of each page to one line that says what is going on there.
        """
        ...

    async def propose_claims(self, pages: Sequence[Page]) -> Reply[tuple[Claim, ...]]:
        """Statements that these pages carry, with verbatim quotes: about the user, the assistant, or from tools."""
        ...

    async def answer(self, parts: AnswerParts, on_text: OnText | None = None) -> Reply[Written]:
        """An answer to the question with the numbers of the items it rests on, [0] where they do not tell.

        One request. With `on_text` it streams; nothing that was told is ever taken back.
        """
        ...
