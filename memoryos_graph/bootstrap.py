"""Settings become a Context; the only place that chooses implementations."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from .clock import Clock
from .context import Context
from .domain.secret import Secret
from .errors import SetupError
from .llm.embedder import Embedder, SentenceTransformerEmbedder
from .llm.provider import Provider
from .llm.rules import RulesProvider
from .settings import Settings, load_settings
from .store import managed
from .store.connection import Connection
from .store.cypher_files import Line
from .store.schema import SCHEMA_VERSION, Meta, prepare
from .store.store import Store
from .visits import VisitBuffer


@asynccontextmanager
async def open_context(
    settings: Settings | None = None,
    *,
    embedder: Embedder | None = None,
    provider: Provider | None = None,
    clock: Clock | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> AsyncIterator[Context]:
    """The doors of one process, open until the block ends. Raises SetupError with the remedy, DatabaseUnavailable."""
    settings = settings or load_settings()
    clock = clock or Clock()
    embedder = embedder or SentenceTransformerEmbedder(settings.embedding_model, settings.embedding_dimension)
    secret = load_secret(settings)
    async with open_connection(settings, on_progress=on_progress) as connection:
        meta = Meta(SCHEMA_VERSION, embedder.model_id, embedder.dimension, secret.mac("check", "secret key"))
        await prepare(connection, meta, clock.now())
        yield Context(
            store=Store(connection),
            provider=provider or RulesProvider(),
            embedder=embedder,
            clock=clock,
            settings=settings,
            secret=secret,
            visits=VisitBuffer(),
        )


@asynccontextmanager
async def open_connection(
    settings: Settings, *, on_progress: Callable[[str], None] | None = None
) -> AsyncIterator[Connection]:
    """A connection to NEO4J_URI, or to the managed server of `data_dir`, up as long as somebody needs it."""
    lease = None
    uri, user = settings.neo4j_uri, settings.neo4j_user
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    if uri is None:
        server = await managed.acquire(
            settings.data_dir,
            line=Line(settings.managed_line),
            jars_dir=settings.jars_dir,
            maven_url=settings.maven_url,
            port=settings.managed_port,
            on_progress=on_progress,
        )
        uri, user, password, lease = server.uri, server.user, server.password, server.lease
    try:
        connection = await Connection.open(uri, user, password, settings.neo4j_database)
        try:
            yield connection
        finally:
            await connection.close()
    finally:
        if lease is not None:
            lease.release()


def load_secret(settings: Settings) -> Secret:
    """The key outside the database: the setting, or a 0600 file that is made once in `data_dir`.

    Raises SetupError (`not_writable`, `bad_setting`).
    """
    if settings.secret_key is not None:
        key = settings.secret_key.get_secret_value().encode()
        if len(key) < 32:
            raise SetupError("setting secret_key: at least 32 characters are needed", code="bad_setting")
        return Secret(key)
    path = settings.data_dir / "secret.key"
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_once(path)
        return Secret(path.read_bytes())
    except OSError as exc:
        raise SetupError(
            f"setting data_dir: the folder can't be written ({exc.strerror})", code="not_writable"
        ) from exc


def _make_once(path: Path) -> None:
    """Make the key file whole or not at all, also when several processes start at once."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(secrets.token_hex(32))
    try:
        os.link(draft, path)  # fails when another process was first: then its key counts
    except FileExistsError:
        pass
    finally:
        draft.unlink()
