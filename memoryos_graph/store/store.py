"""Reads and writes of one user: every write under the lock of that user's node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from ..errors import UserBusy
from .connection import STATEMENT_TIMEOUT_S, Connection, Tx
from .free import Check, FreeQuery, FreeRows, run_free

T = TypeVar("T")

WRITERS_PER_USER = 2
LOCK_WAIT_S = 5.0


class _Turnstile:
    """Lets some through at a time. Two writers of one user: one works, the next already waits at the database."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)


class Store:
    """The graph of all users, one user at a time."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._turnstiles: WeakValueDictionary[str, _Turnstile] = WeakValueDictionary()
        self._askers: WeakValueDictionary[str, _Turnstile] = WeakValueDictionary()

    async def close(self) -> None:
        """Give the connections back."""
        await self.connection.close()

    async def read(self, user_id: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a read transaction; it may run twice, so it computes only from what it reads."""
        return await self.connection.read(work)

    async def write(
        self, user_id: str, work: Callable[[Tx], Awaitable[T]], *, timeout_s: float = STATEMENT_TIMEOUT_S
    ) -> T:
        """Run `work` in a write transaction; its first query must take the lock on the User node.

        Waits in this process for the user's other writers, so that one busy user leaves connections to the others.
        Raises UserBusy after 5 s of waiting, and DatabaseUnavailable after `timeout_s` of work: nothing was written.
        """
        async with _place(self._turnstiles, user_id, WRITERS_PER_USER):
            return await self.connection.write(work, timeout_s=timeout_s)

    async def read_free(self, user_id: str, query: FreeQuery, check: Check) -> FreeRows:
        """Run a query of the caller's own, one at a time for a user in this process. See store.free.run_free.

        Raises UserBusy after 5 s of waiting.
        """
        async with _place(self._askers, user_id, 1):
            return await run_free(self.connection, user_id, query, check)


@asynccontextmanager
async def _place(turnstiles: WeakValueDictionary[str, _Turnstile], user_id: str, places: int) -> AsyncIterator[None]:
    turnstile = turnstiles.setdefault(user_id, _Turnstile(places))
    try:
        async with asyncio.timeout(LOCK_WAIT_S):
            await turnstile.places.acquire()
    except TimeoutError:
        raise UserBusy() from None
    try:
        yield
    finally:
        turnstile.places.release()
