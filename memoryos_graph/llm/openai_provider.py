"""The Provider on any OpenAI-compatible server: one request for a batch, unless it is too long or its reply was cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..domain.claim import Claim
from ..domain.page import Page
from ..errors import ModelError, ModelReplyInvalid
from . import prompt as prompts
from .chat import Ask, Chat, Cut, Ledger, Message
from .endpoint import Endpoint
from .notes import ClaimNote, PageNote
from .parts import AnswerParts
from .parts import as_data as answer_data
from .prompt import Prompt
from .proposals import claims_of
from .provider import BatchReading, OnText, Reply, Topic, Written
from .readings import page_notes, reading, topics_of
from .replies import Unfit, without_reasoning
from .shapes import CLAIMS, READING, Shape
from .windows import Shown, as_data, halves, requests, shown

T = TypeVar("T")
MAX_TOKENS = 4096  # of a reply, reasoning included
MORE_TOKENS = 16384  # once, after a reply was cut
MOST_SPLITS = 3  # times that the pages of one request are cut in two, if that didn't help
_SHOWN_BACK = 4000

_Read = Callable[[str, bool], T]


@dataclass
class _Work:
    """One call of the provider: what it asks for, the requests it made, and whether it asked for a repair already."""

    prompt: Prompt
    shape: Shape[Any]
    ledger: Ledger = field(init=False)
    repaired: bool = False
    max_tokens: int = MAX_TOKENS

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.prompt.hash)


class OpenAIProvider:
    """Reads pages with `chat`, writes answers with `answer_chat`; about `prompt_tokens` of pages to a request.

    Raises ModelUnavailable and ModelReplyInvalid with the calls made, and never anything that repeats words of users.
    """

    def __init__(self, chat: Chat, answer_chat: Chat, *, prompt_tokens: int) -> None:
        self._chat = chat
        self._answer_chat = answer_chat
        self._prompt_tokens = prompt_tokens

    async def read_batch(self, pages: Sequence[Page], before: dict[str, Page]) -> Reply[BatchReading]:
        """Continuity, topics and chain summaries. Cost: one request, more only for long pages or bad replies."""
        work = _Work(prompts.read_batch(), READING)
        parts = await self._in_parts(work, pages, _topics_and_notes, before)
        found: list[Topic] = []
        notes: dict[int, PageNote] = {}
        for part_topics, part_notes in parts:
            found.extend(part_topics)
            notes = part_notes | notes
        value = await asyncio.to_thread(reading, pages, before, found, notes)
        return self._reply(value, work)

    async def propose_claims(self, pages: Sequence[Page]) -> Reply[tuple[Claim, ...]]:
        """Claims with quotes, looked up in the stored text. Cost: as read_batch; none without pages."""
        work = _Work(prompts.propose_claims(), CLAIMS)
        parts = await self._in_parts(work, pages, _notes)
        notes = [note for part in parts for note in part]
        return self._reply(await asyncio.to_thread(claims_of, notes, pages), work)

    async def answer(self, parts: AnswerParts, on_text: OnText | None = None) -> Reply[Written]:
        """The answer model's text, as it wrote it: nothing is taken out of what people see. One request.

        Raises ModelUnavailable, and ModelReplyInvalid for an empty, refused or cut answer.
        """
        prompt = prompts.answer()
        ledger = Ledger(prompt.hash)
        messages = prompt.messages(await asyncio.to_thread(answer_data, parts), "The memory and the question")
        with _WithCalls(ledger):
            try:
                ask = Ask(messages=messages, max_tokens=MAX_TOKENS)
                text, place = await self._answer_chat.text(ask, ledger, on_text)
            except Cut as exc:
                detail = "the context is too long for the model" if exc.prompt else "the model's answer was cut"
                raise ModelReplyInvalid(detail, code="model_reply_cut") from None
            if not without_reasoning(text):
                ledger.mark(place, "empty")
                raise ModelReplyInvalid("the model's answer was empty", code="model_reply_empty")
        return Reply(Written(text), self._answer_chat.model, ledger.prompt_hash, tuple(ledger.calls))

    def _reply(self, value: T, work: _Work) -> Reply[T]:
        return Reply(value, self._chat.model, work.prompt.hash, tuple(work.ledger.calls))

    async def _in_parts(
        self,
        work: _Work,
        pages: Sequence[Page],
        read: Callable[[_Work, Sequence[Shown], str, bool], T],
        before: Mapping[str, Page] | None = None,
    ) -> list[T]:
        """What each request gave, in the order of the pages however the requests complete (case U55)."""
        entries = await asyncio.to_thread(shown, pages, self._prompt_tokens)
        with _WithCalls(work.ledger):
            jobs = (
                self._of_entries(work, part, read, before, MOST_SPLITS)
                for part in requests(entries, self._prompt_tokens)
            )
            return [value for values in await _all(jobs) for value in values]

    async def _of_entries(
        self,
        work: _Work,
        entries: Sequence[Shown],
        read: Callable[[_Work, Sequence[Shown], str, bool], T],
        before: Mapping[str, Page] | None,
        splits: int,
    ) -> list[T]:
        """One request for these entries, or one for each half when the reply is cut even with more room (case L6)."""
        messages = work.prompt.messages(await asyncio.to_thread(as_data, entries, before))
        try:
            return [await self._structured(work, messages, lambda text, last: read(work, entries, text, last))]
        except Cut as exc:
            both = halves(entries) if splits else None
            if both is None:
                detail = "the pages are too long for the model" if exc.prompt else "the model's reply was cut"
                raise ModelReplyInvalid(detail, code="model_reply_cut") from None
        jobs = (self._of_entries(work, half, read, before, splits - 1) for half in both)
        return [value for values in await _all(jobs) for value in values]

    async def _structured(self, work: _Work, messages: list[Message], read: _Read[T]) -> T:
        """A reply of the shape asked for. Raises Cut, ModelReplyInvalid after at most one repair for the whole work."""
        text, place = await self._text(work, messages)
        try:
            return await asyncio.to_thread(read, text, work.repaired)
        except Unfit as unfit:
            work.ledger.mark(place, unfit.code)
            if work.repaired:
                raise _invalid(unfit) from None
            work.repaired = True
            messages = [*messages, *_repair(text, unfit)]
        text, place = await self._text(work, messages)
        try:
            return await asyncio.to_thread(read, text, True)
        except Unfit as unfit:
            work.ledger.mark(place, unfit.code)
            raise _invalid(unfit) from None

    async def _text(self, work: _Work, messages: list[Message]) -> tuple[str, int]:
        """The text of a reply; one that was cut is asked for again with more room, once for the whole work."""
        try:
            return await self._chat.text(_ask(work, messages), work.ledger)
        except Cut as exc:
            if exc.prompt or work.max_tokens == MORE_TOKENS or not self._chat.can_limit:
                raise
            work.max_tokens = MORE_TOKENS
            return await self._chat.text(_ask(work, messages), work.ledger)


class _WithCalls:
    """Lets a ModelError that leaves the block carry the calls made so far."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, exc: BaseException | None, trace: object) -> None:
        if isinstance(exc, ModelError):
            exc.calls = tuple(self._ledger.calls)


def model_provider(
    endpoint: Endpoint, model: str, answer_model: str | None = None, *, prompt_tokens: int
) -> OpenAIProvider:
    """A provider on one server: a model for reading, and one for answers (default: the same)."""
    chat = Chat(endpoint, model)
    return OpenAIProvider(
        chat, chat if answer_model in (None, model) else Chat(endpoint, str(answer_model)), prompt_tokens=prompt_tokens
    )


def _ask(work: _Work, messages: list[Message]) -> Ask:
    return Ask(messages=messages, max_tokens=work.max_tokens, schema_name=work.shape.name, schema=work.shape.schema)


def _topics_and_notes(
    work: _Work, entries: Sequence[Shown], text: str, last: bool
) -> tuple[list[Topic], dict[int, PageNote]]:
    items, whole = work.shape.read(text, last=last)
    return topics_of(items, {entry.number: entry.page for entry in entries}, last=last), page_notes(whole)


def _notes(work: _Work, entries: Sequence[Shown], text: str, last: bool) -> list[ClaimNote]:
    return work.shape.read(text, last=last)[0]


def _repair(text: str, unfit: Unfit) -> list[Message]:
    """What the second request adds: the reply, and what is wrong with it."""
    said = [{"role": "assistant", "content": text[:_SHOWN_BACK]}] if text.strip() else []
    wrong = f"This reply can't be used. {unfit.why} Reply again with the JSON object that was asked for, nothing else."
    return [*said, {"role": "user", "content": wrong}]


def _invalid(unfit: Unfit) -> ModelReplyInvalid:
    return ModelReplyInvalid(f"the model's reply does not fit what was asked: {unfit.code}")


async def _all(jobs: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order; when one job fails the others are ended before its error goes on."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
