"""Reads and writes of one user: every write under the lock of that user's node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from ..errors import UserBusy
from .connection import Connection, Tx

T = TypeVar("T")

WRITERS_PER_USER = 2
LOCK_WAIT_S = 5.0


class _Turnstile:
    """Lets two writers of one user through: one works, the next is already waiting at the database."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(WRITERS_PER_USER)


class Store:
    """The graph of all users, one user at a time."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._turnstiles: WeakValueDictionary[str, _Turnstile] = WeakValueDictionary()

    async def close(self) -> None:
        """Give the connections back."""
        await self.connection.close()

    async def read(self, user_id: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a read transaction; it may run twice, so it computes only from what it reads."""
        return await self.connection.read(work)

    async def write(self, user_id: str, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in a write transaction; its first query must take the lock on the User node.

        Waits in this process for the user's other writers, so that one busy user leaves connections to the others.
        Raises UserBusy after 5 s of waiting: nothing was written.
        """
        async with self._place(user_id):
            return await self.connection.write(work)

    @asynccontextmanager
    async def _place(self, user_id: str) -> AsyncIterator[None]:
        turnstile = self._turnstiles.setdefault(user_id, _Turnstile())
        try:
            async with asyncio.timeout(LOCK_WAIT_S):
                await turnstile.places.acquire()
        except TimeoutError:
            raise UserBusy() from None
        try:
            yield
        finally:
            turnstile.places.release()
