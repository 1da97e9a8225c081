"""Keys: who may call the service, for which users, and for what."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import secrets
from dataclasses import dataclass

from .context import Context
from .contract import KeyCreated, KeyList, KeyOut, KeyRequest, KeyScope
from .errors import AccessDenied, NotFound, SetupError
from .settings import Settings
from .store.connection import Row, Tx

TOKEN_PREFIX = "mos_"
CACHE_S = 1.5  # a revoked key works this long at most
KEYS_REMEDY = "make a key with `memoryos keys create`"


@dataclass(frozen=True)
class Access:
    """What a caller may do. `users` None means every user; `keyless` that the service has no keys at all."""

    users: frozenset[str] | None
    scopes: frozenset[KeyScope]
    keyless: bool = False

    def check(self, user_id: str, scope: KeyScope) -> None:
        """Raises AccessDenied (`forbidden`) unless this user and this scope are allowed."""
        if self.users is not None and user_id not in self.users:
            raise AccessDenied("this key is not for this user", authenticated=True)
        if scope not in self.scopes:
            raise AccessDenied(f"this key does not have the scope {scope}", authenticated=True)


KEYLESS = Access(None, frozenset({"read", "write", "forget", "admin"}), keyless=True)


class Keys:
    """The stored keys. Look-ups read all of them at most once in 1.5 s, however many requests come."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._rows: list[Row] = []
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def create(self, request: KeyRequest) -> KeyCreated:
        """Store a new key and give its secret, which can't be read again. One statement."""
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        everyone = request.users == "*"
        key = {
            "key_id": self._ctx.clock.new_id(),
            "key_hash": _hash(token),
            "label": request.label,
            "all_users": everyone,
            "users": [] if everyone else sorted(set(request.users)),
            "scopes": sorted(set(request.scopes)),
            "created_at": self._ctx.clock.now(),
        }

        async def write(tx: Tx) -> None:
            await tx.run("create_key", key=key)

        await self._ctx.store.connection.write(write)
        self._read_at = float("-inf")
        return KeyCreated(token=token, **_shown(key))

    async def listed(self) -> KeyList:
        """All keys, also revoked ones, oldest first. One statement."""
        return KeyList(items=[KeyOut(**_shown(row)) for row in await self._read()], next_cursor=None)

    async def revoke(self, key_id: str) -> KeyOut:
        """End a key; other processes notice within 1.5 s. One statement. Raises NotFound."""
        now = self._ctx.clock.now()

        async def write(tx: Tx) -> Row | None:
            return await tx.one("revoke_key", key_id=key_id, now=now)

        row = await self._ctx.store.connection.write(write)
        if row is None:
            raise NotFound("there is no such key")
        self._read_at = float("-inf")
        return KeyOut(**_shown(row["key"]))

    async def exist(self) -> bool:
        """Whether a key was ever made: revoking the last one locks the service, it does not open it."""
        return bool(await self._known())

    async def authenticate(self, token: str | None) -> Access:
        """What the bearer of this token may do; everything while there are no keys.

        Only hashes are compared, so that the time taken tells nothing. Raises AccessDenied (`unauthenticated`).
        """
        rows = await self._known()
        if not rows:
            return KEYLESS
        if token is None:
            raise AccessDenied("a key is needed: Authorization: Bearer …", authenticated=False)
        row = {row["key_hash"]: row for row in rows if not row.get("revoked_at")}.get(_hash(token))
        if row is None:
            raise AccessDenied("this key is not valid", authenticated=False)
        return Access(None if row["all_users"] else frozenset(row["users"]), frozenset(row["scopes"]))

    async def _known(self) -> list[Row]:
        async with self._reading:
            now = asyncio.get_running_loop().time()
            if now - self._read_at > CACHE_S:
                self._rows = await self._read()
                self._read_at = now
            return self._rows

    async def _read(self) -> list[Row]:
        async def read(tx: Tx) -> list[Row]:
            return await tx.run("keys_listed")

        return [row["key"] for row in await self._ctx.store.connection.read(read)]


def check_binding(settings: Settings, has_keys: bool) -> None:
    """Refuse to listen beyond this machine while anybody could call. Raises SetupError (`keys_needed`)."""
    if not has_keys and not is_loopback(settings.host):
        raise SetupError(
            f"setting host: without any key the service listens on the loopback address only; {KEYS_REMEDY}, "
            "or set MEMORYOS_HOST to 127.0.0.1",
            code="keys_needed",
        )


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine and cannot be reached from another."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _shown(key: Row) -> Row:
    names = ("key_id", "label", "scopes", "created_at")
    users = "*" if key["all_users"] else key["users"]
    return {name: key[name] for name in names} | {"users": users, "revoked_at": key.get("revoked_at")}
