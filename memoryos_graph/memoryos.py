"""`Memoryos`, the class of the published MemoryOS package, over the memory in Neo4j: it renames and waits."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .contract import FactOut, SearchResult, Why
from .domain.citations import cleaned
from .errors import InvalidInput, TryAgain
from .service import MemoryService
from .settings import Settings, load_settings
from .user_memory import UserMemory

T = TypeVar("T")

NO_PROFILE = "None"  # what the published package says
TIME_FORMAT = "%Y-%m-%d %H:%M:%S"
BATCH = 5
MOST_HITS = 200
TRIES = 5


class Memoryos:
    """The memory of one user with one assistant; synchronous, for any number of threads and processes.

    `data_storage_path` is the home of the managed database; with NEO4J_URI that server is used instead. Without a key
    and URL the offline rules read and answer. `timezone` is that of times without an offset, and of those given back.
    Each turn is stored before anything else, then what is due is done before the call returns; what fails is tried
    again later, and its turns stay. Instances of a process share a thread, and a service if their settings are equal.
    Raises SetupError with the remedy, InvalidInput that names the parameter.
    """

    def __init__(
        self,
        user_id: str,
        openai_api_key: str,
        data_storage_path: str | os.PathLike[str],
        openai_base_url: str | None = None,
        assistant_id: str = "default_assistant_profile",
        short_term_capacity: int = 10,
        mid_term_capacity: int = 2000,
        long_term_knowledge_capacity: int = 100,
        retrieval_queue_capacity: int = 7,
        mid_term_heat_threshold: float = 5.0,
        mid_term_similarity_threshold: float = 0.6,
        llm_model: str = "gpt-4o-mini",
        embedding_model_name: str = "all-MiniLM-L6-v2",
        embedding_model_kwargs: dict[str, Any] | None = None,
        *,
        timezone: str = "UTC",
    ) -> None:
        self.user_id = user_id
        self.assistant_id = assistant_id
        self.data_storage_path = str(Path(data_storage_path).expanduser().absolute())
        self.retrieval_queue_capacity = retrieval_queue_capacity
        if not 1 <= retrieval_queue_capacity <= MOST_HITS:
            raise InvalidInput("retrieval_queue_capacity", f"retrieval_queue_capacity must be from 1 to {MOST_HITS}")
        self._zone = _zone(timezone)
        asks_a_model = bool((openai_api_key or "").strip() or (openai_base_url or "").strip())
        self._settings = load_settings(
            data_dir=Path(self.data_storage_path),
            llm="model" if asks_a_model else None,
            llm_api_key=openai_api_key or None,
            llm_base_url=openai_base_url or None,
            llm_model=llm_model,
            short_term_capacity=short_term_capacity,
            migration_batch=short_term_capacity if 0 < short_term_capacity < BATCH else None,
            mid_term_capacity=mid_term_capacity,
            knowledge_capacity=long_term_knowledge_capacity,
            heat_threshold=mid_term_heat_threshold,
            similarity_threshold=mid_term_similarity_threshold,
            promotion_min_pages=1,  # as in the published package, heat alone decides
            embedding_model=embedding_model_name,
            embedding_options=embedding_model_kwargs,
        )
        self._run(_opened)

    def add_memory(
        self,
        user_input: str,
        agent_response: str,
        timestamp: str | datetime | None = None,
        meta_data: dict[str, Any] | None = None,
    ) -> None:
        """Store a turn, and do what is due: it survives any crash when this returns. Raises InvalidInput, TryAgain."""
        turn = {
            "user_input": user_input,
            "assistant_response": agent_response,
            "assistant_id": self.assistant_id,
            "event_time": self._moment(timestamp),
            "metadata": _plain(meta_data),
        }

        async def add(memory: UserMemory) -> None:
            await memory.remember([turn])
            await self._work(memory)

        self._run(add)

    def get_response(
        self,
        query: str,
        relationship_with_user: str = "friend",
        style_hint: str = "",
        user_conversation_meta_data: dict[str, Any] | None = None,
    ) -> str:
        """Answer from memory, without the markers of its citations, and remember the turn.

        Raises InvalidInput, ModelError, TryAgain: an error is never given, or stored, as an answer.
        """
        options = {
            "relationship": relationship_with_user,
            "style_hint": style_hint,
            "metadata": _plain(user_conversation_meta_data),
            "assistant_id": self.assistant_id,
            "top_k": self.retrieval_queue_capacity,
            "idempotency_key": uuid4().hex,  # asked again, it is still one turn
        }

        async def answer(memory: UserMemory) -> str:
            try:
                answered = await _patiently(lambda: memory.answer(query, **options))
                return cleaned(answered.text, ()).text
            finally:
                await self._work(memory)

        return self._run(answer)

    def get_user_profile_summary(self) -> str:
        """What is known of the user, rendered from facts; "None" while nothing is."""
        return self._run(_profile_text) or NO_PROFILE

    def get_assistant_knowledge_summary(self) -> list[dict[str, str]]:
        """What this assistant said of itself: `knowledge`, `timestamp` in the zone given, `fact_id` to ask `why`."""

        async def known(memory: UserMemory) -> list[FactOut]:
            facts = [fact for fact in (await memory.profile()).assistant if fact.kind.startswith("assistant")]
            pages = {source.page_id for fact in facts for source in fact.sources}
            said_by = {page_id: (await memory.turn(page_id)).assistant_id for page_id in sorted(pages)}
            return [f for f in facts if any(said_by[s.page_id] == self.assistant_id for s in f.sources)]

        return [
            {
                "knowledge": fact.text,
                "timestamp": fact.recorded_at.astimezone(self._zone).strftime(TIME_FORMAT),
                "fact_id": fact.fact_id,
            }
            for fact in self._run(known)
        ]

    def force_mid_term_analysis(self) -> None:
        """Migrate what is in short-term memory, and read all that is unread for facts, whatever the heat.

        Raises ModelError: what was read before stays.
        """

        async def force(memory: UserMemory) -> None:
            await memory.maintain("all", force=True)

        self._run(force)

    def get_memory_stats(self) -> dict[str, Any]:
        """How much is in each memory, with the keys of the published package."""

        async def count(memory: UserMemory) -> dict[str, Any]:
            stats = await memory.stats()
            return {
                "user_id": self.user_id,
                "short_term_count": stats.pages["stm"],
                "mid_term_sessions_count": sum(stats.heat_histogram.values()),
                "has_user_profile": bool(await _profile_text(memory)),
            }

        return self._run(count) | {"assistant_knowledge_count": len(self.get_assistant_knowledge_summary())}

    def facts(self, **options: Any) -> list[FactOut]:
        """What is known, newest first, each with the words it comes from. Options as UserMemory.facts."""

        async def listed(memory: UserMemory) -> list[FactOut]:
            return (await memory.facts(**options)).items

        return self._run(listed)

    def why(self, fact_id: str) -> Why:
        """The tree fact → quote → page. Raises NotFound."""

        async def asked(memory: UserMemory) -> Why:
            return await memory.why(fact_id)

        return self._run(asked)

    def search(self, query: str, **options: Any) -> SearchResult:
        """Find pages and facts, `retrieval_queue_capacity` of them unless `top_k` says otherwise. Calls no model."""

        async def found(memory: UserMemory) -> SearchResult:
            return await memory.search(query, **{"top_k": self.retrieval_queue_capacity, **options})

        return self._run(found)

    def __repr__(self) -> str:
        who = f"user_id={self.user_id!r} assistant_id={self.assistant_id!r}"
        return f"<Memoryos {who} data_path={self.data_storage_path!r}>"

    def _run(self, work: Callable[[UserMemory], Awaitable[T]]) -> T:
        return _process().run(self._settings, self.user_id, work)

    async def _work(self, memory: UserMemory) -> None:
        async with _process().working[self.user_id]:
            await memory.work()

    def _moment(self, timestamp: str | datetime | None) -> datetime | None:
        if timestamp is None or timestamp == "":
            return None
        try:
            moment = timestamp if isinstance(timestamp, datetime) else datetime.fromisoformat(timestamp.strip())
        except (AttributeError, ValueError):
            raise InvalidInput("timestamp", "timestamp is not a time such as 2024-03-01 18:30:00") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=self._zone)


class _Process:
    """The thread of this process with one loop, and the services that are open on it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.working: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._opening = asyncio.Lock()
        self._services: list[tuple[Settings, MemoryService]] = []
        self._open = AsyncExitStack()
        self._thread = threading.Thread(target=self.loop.run_forever, name="memoryos", daemon=True)
        self._thread.start()

    def run(self, settings: Settings, user_id: str, work: Callable[[UserMemory], Awaitable[T]]) -> T:
        """Do some work on the loop and wait for it, whatever loop runs in the calling thread."""

        async def body() -> T:
            service = await self._service(settings)
            return await work(service.user(user_id))

        future = asyncio.run_coroutine_threadsafe(body(), self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _service(self, settings: Settings) -> MemoryService:
        async with self._opening:
            for known, service in self._services:
                if known == settings:
                    return service
            opened = await self._open.enter_async_context(MemoryService.open(settings, worker=False))
            self._services.append((settings, opened))
            return opened

    def close(self) -> None:
        """Close the services and end the thread."""
        asyncio.run_coroutine_threadsafe(self._open.aclose(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


_lock = threading.Lock()
_current: _Process | None = None
_of_parents: list[_Process] = []  # kept, so that nothing of theirs is closed by the garbage collector of a child


def _process() -> _Process:
    global _current
    with _lock:
        if _current is None:
            _current = _Process()
        return _current


def _after_fork() -> None:
    """In a child the thread is not there: the next call opens everything anew."""
    global _lock, _current
    _lock = threading.Lock()
    if _current is not None:
        _of_parents.append(_current)
    _current = None


@atexit.register
def close_all() -> None:
    """Close what Memoryos has open in this process; the next call opens it again. Done by itself at exit."""
    global _current
    with _lock:
        closing, _current = _current, None
    if closing is not None:
        closing.close()


os.register_at_fork(after_in_child=_after_fork)


async def _opened(memory: UserMemory) -> None:
    """Nothing more: the service is open, and the user id is one that can be."""


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask again where other threads or processes have changed the memory while the answer was written."""
    for _ in range(TRIES - 1):
        try:
            return await ask()
        except TryAgain as exc:
            await asyncio.sleep(exc.retry_after_s)
    return await ask()


async def _profile_text(memory: UserMemory) -> str:
    return (await memory.profile()).text


def _plain(metadata: Any) -> Any:
    """Metadata as JSON has it; what JSON does not know becomes text, as in the published package."""
    return json.loads(json.dumps(metadata or {}, ensure_ascii=False, default=str))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput("timezone", "timezone is not a zone of the IANA database, such as Europe/Oslo") from None
