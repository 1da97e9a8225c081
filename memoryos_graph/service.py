"""MemoryService: the one door that HTTP, Python and the command line go through, for what concerns all users."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from . import readiness
from .access import Access, Keys
from .audit import doctor as examining
from .context import Context
from .contract import (
    CypherQueryList,
    DoctorReport,
    KeyCreated,
    KeyList,
    KeyOut,
    KeyRequest,
    Readiness,
    Reembedded,
    ResidueCost,
    ResidueErased,
    UserId,
)
from .contract.checking import checked, invalid
from .curation import residue
from .errors import MemoryosError
from .explore import named
from .pipeline import reembedding
from .scheduler.timetable import Timetable
from .scheduler.worker import Worker
from .settings import Settings, load_settings
from .user_memory import Answers, UserMemory

_USER_ID: TypeAdapter[str] = TypeAdapter(UserId)


class MemoryService:
    """The memory of all users; one per process.

    `async with MemoryService.open(settings) as memory: await memory.user("ana").remember(...)`
    """

    def __init__(self, ctx: Context, worker: Worker, timetable: Timetable | None = None) -> None:
        self.ctx = ctx
        self._worker = worker
        self._timetable = timetable or Timetable(ctx, worker)
        self._keys = Keys(ctx)
        self._answers = Answers()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        worker: bool = True,
        on_progress: Callable[[str], None] | None = None,
        **parts: Any,
    ) -> AsyncIterator[MemoryService]:
        """Connect to Neo4j (the managed server without NEO4J_URI), bring the schema up to date, start the worker.

        `worker=False` leaves background work to other processes. `parts` may replace `embedder`, `provider`, `clock`.
        Raises SetupError with the remedy, DatabaseUnavailable.
        """
        from .bootstrap import open_context  # bootstrap chooses implementations; this module knows none

        async with open_context(settings, on_progress=on_progress, **parts) as ctx:
            background = Worker(ctx)
            timetable = Timetable(ctx, background)
            if worker:
                background.start()
                timetable.start()
            service = cls(ctx, background, timetable)
            try:
                yield service
            finally:
                await service._answers.finish()
                await timetable.stop()
                await background.stop()
                await background.flush()

    @staticmethod
    async def reembed(
        settings: Settings | None = None,
        *,
        on_progress: Callable[[str], None] | None = None,
        on_vectors: Callable[[int, int], None] | None = None,
        **parts: Any,
    ) -> Reembedded:
        """Change the vectors of the database to the embedding model of the settings. See pipeline.reembedding.reembed.

        `on_vectors` is told how many are done, of how many. Raises SetupError, ModelError, TryAgain.
        """
        from .bootstrap import open_context

        async with open_context(settings, on_progress=on_progress, any_model=True, **parts) as ctx:
            return await reembedding.reembed(ctx, on_progress=on_vectors)

    @staticmethod
    async def residue_cost(
        settings: Settings | None = None, *, on_progress: Callable[[str], None] | None = None
    ) -> ResidueCost:
        """What `erase_residue` would cost now. Raises SetupError."""
        return await residue.residue_cost(settings or load_settings(), on_progress=on_progress)

    @staticmethod
    async def erase_residue(
        settings: Settings | None = None, *, on_progress: residue.Progress | None = None
    ) -> ResidueErased:
        """Overwrite on disk what was deleted before; the managed server is away for some seconds.

        See curation.residue.erase_residue. Raises SetupError, TryAgain.
        """
        return await residue.erase_residue(settings or load_settings(), on_progress=on_progress)

    @staticmethod
    def cypher_queries() -> CypherQueryList:
        """The named queries for people, with what they tell and take."""
        return named.named_queries()

    def user(self, user_id: str) -> UserMemory:
        """The memory of one user, who need not exist yet. Raises InvalidInput for an id that can't be one."""
        try:
            return UserMemory(self.ctx, _USER_ID.validate_python(user_id, strict=True), self._worker, self._answers)
        except ValidationError as exc:
            raise invalid(exc, "user_id") from exc

    async def authenticate(self, token: str | None) -> Access:
        """What the bearer of a key may do; everything while no key was ever made. Raises AccessDenied."""
        return await self._keys.authenticate(token)

    async def has_keys(self) -> bool:
        """Whether a key was ever made: then every call over HTTP needs one."""
        return await self._keys.exist()

    async def create_key(self, label: str, users: Sequence[str] | Literal["*"], scopes: Sequence[str]) -> KeyCreated:
        """A new key for users ("*" means all) and scopes (read, write, forget, admin); the secret is shown once."""
        given = users if isinstance(users, str) else list(users)
        return await self._keys.create(checked(KeyRequest, {"label": label, "users": given, "scopes": list(scopes)}))

    async def keys(self) -> KeyList:
        """All keys without their secrets, oldest first."""
        return await self._keys.listed()

    async def revoke_key(self, key_id: str) -> KeyOut:
        """End a key; it may work for 1.5 s longer. Raises NotFound."""
        return await self._keys.revoke(key_id)

    async def readiness(self) -> Readiness:
        """Whether each part can do its work. See readiness.readiness."""
        return await readiness.readiness(self.ctx, self._worker, self._timetable)

    async def doctor(self, *, fix: bool = False, user: str | None = None) -> DoctorReport:
        """Check the database and all users, or only one; with `fix` mend what can be mended. See audit.doctor."""
        return await examining.doctor(self.ctx, fix=fix, user_id=user and self.user(user).user_id)

    async def metrics(self) -> bytes:
        """What this process has done, and what is due and parked in the database, in Prometheus's text format."""
        try:
            left = await readiness.work_left(self.ctx)
        except MemoryosError:
            return self.ctx.metrics.text(up=False)
        return self.ctx.metrics.text(up=True, due=left["due"], parked=left["parked"])
