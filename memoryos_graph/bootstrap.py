"""Settings become a Context; the only place that chooses implementations."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .clock import Clock
from .context import Context
from .domain.secret import Secret
from .errors import SetupError
from .llm.embedder import Embedder, SentenceTransformerEmbedder
from .llm.provider import Provider
from .llm.rules import RulesProvider
from .llm.tokens import CharacterCounter, ModelCounter, TokenCounter
from .settings import Settings, load_settings
from .store import managed
from .store.connection import Connection
from .store.cypher_files import Line
from .store.schema import SCHEMA_VERSION, Meta, prepare
from .store.store import Store
from .visits import VisitBuffer

if TYPE_CHECKING:
    from .llm.endpoint import Endpoint

OPENAI_URL = "https://api.openai.com/v1"


@asynccontextmanager
async def open_context(
    settings: Settings | None = None,
    *,
    embedder: Embedder | None = None,
    provider: Provider | None = None,
    clock: Clock | None = None,
    on_progress: Callable[[str], None] | None = None,
    any_model: bool = False,
) -> AsyncIterator[Context]:
    """The doors of one process, open until the block ends; `any_model`: also where vectors are of another model.

    Raises SetupError with the remedy, DatabaseUnavailable.
    """
    settings = settings or load_settings()
    clock = clock or Clock()
    secret = load_secret(settings)
    async with AsyncExitStack() as stack:
        gate = asyncio.Semaphore(settings.llm_parallel_calls)
        embedder = embedder or await _open_embedder(settings, gate, stack)
        provider = provider or await _open_provider(settings, gate, stack)
        connection = await stack.enter_async_context(open_connection(settings, on_progress=on_progress))
        meta = Meta(SCHEMA_VERSION, embedder.model_id, embedder.dimension, secret.mac("check", "secret key"))
        await prepare(connection, meta, clock.now(), any_model=any_model)
        yield Context(
            store=Store(connection),
            provider=provider,
            embedder=embedder,
            clock=clock,
            settings=settings,
            secret=secret,
            visits=VisitBuffer(),
            tokens=_counter(embedder),
        )


async def _open_provider(settings: Settings, gate: asyncio.Semaphore, stack: AsyncExitStack) -> Provider:
    """The rules, or the model that the settings name."""
    if settings.llm == "rules" or settings.llm_model is None:
        return RulesProvider()
    endpoint = await _open_endpoint("llm", settings, gate, stack)
    from .llm.openai_provider import model_provider

    return model_provider(
        endpoint, settings.llm_model, settings.llm_answer_model, prompt_tokens=settings.llm_prompt_tokens
    )


async def _open_embedder(settings: Settings, gate: asyncio.Semaphore, stack: AsyncExitStack) -> Embedder:
    """The embedding server if one is set, else a model in this process, loaded when it is first needed."""
    embedder: Embedder
    model, dimension, options = settings.embedding_model, settings.embedding_dimension, settings.embedding_options
    if settings.embedding_base_url is None:
        embedder = SentenceTransformerEmbedder(model, dimension, options)
    else:
        endpoint = await _open_endpoint("embedding", settings, gate, stack)
        from .llm.endpoint_embedder import EndpointEmbedder

        embedder = EndpointEmbedder(endpoint, model, dimension, settings.embedding_window_tokens, options)
    if not embedder.dimension:
        await embedder.embed(["how long is a vector?"], "query")  # the first one tells
    return embedder


def _counter(embedder: Embedder) -> TokenCounter:
    """The tokenizer of the model in this process, if there is one."""
    load = getattr(embedder, "tokenizer", None)
    return CharacterCounter() if load is None else ModelCounter(embedder.model_id, load)


async def _open_endpoint(
    name: Literal["llm", "embedding"], settings: Settings, gate: asyncio.Semaphore, stack: AsyncExitStack
) -> Endpoint:
    by_name = {
        "llm": (settings.llm_base_url, settings.llm_api_key),
        "embedding": (settings.embedding_base_url, settings.embedding_api_key),
    }
    base_url, api_key = by_name[name]

    def make() -> Endpoint:
        from .llm.endpoint import Endpoint  # it imports `openai`, which takes a second or two

        return Endpoint(
            name=name,
            base_url=base_url or OPENAI_URL,
            api_key=api_key.get_secret_value() if api_key else None,
            timeout_s=settings.llm_timeout_s,
            max_tries=settings.llm_max_tries,
            gate=gate,
        )

    endpoint = await asyncio.to_thread(make)
    stack.push_async_callback(endpoint.close)
    return endpoint


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
