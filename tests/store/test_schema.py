from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from memoryos_graph import MemoryService, Settings, load_settings
from memoryos_graph.bootstrap import open_connection
from memoryos_graph.errors import SetupError
from memoryos_graph.store.connection import _line_of, translate
from memoryos_graph.store.cypher_files import Line, load
from memoryos_graph.store.schema import Meta, check_meta

from ..conftest import FakeEmbedder
from ..graph import ask

META = Meta(1, "all-MiniLM-L6-v2", 384, "check")


async def _drop_schema(settings: Settings) -> None:
    async with open_connection(settings) as connection:
        server = load("server", connection.line)
        for row in await connection.statement(server["show_indexes"].text):
            drop = server["drop_constraint" if row["constraint"] else "drop_index"]
            await connection.statement(drop.text, name=row["name"])
        await connection.statement("MATCH (m:Meta) DELETE m")


@pytest.fixture
async def empty_schema(settings: Settings) -> AsyncIterator[None]:
    """The run's database without any index; it is whole again afterwards."""
    await _drop_schema(settings)
    yield
    await _drop_schema(settings)
    async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()):
        pass


@pytest.mark.engine
async def test_case_n2_four_processes_start_at_once_on_an_empty_database(
    empty_schema: None, settings: Settings, cli_env: dict[str, str]
) -> None:
    program = (
        "import asyncio\n"
        "from memoryos_graph import MemoryService\n"
        "async def main():\n"
        "    async with MemoryService.open(worker=False) as memory:\n"
        "        print((await memory.readiness()).parts['neo4j'].ok)\n"
        "asyncio.run(main())\n"
    )
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, env=cli_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in started:
        out, err = await process.communicate()
        assert (process.returncode, out) == (0, b"True\n"), err.decode()


@pytest.mark.engine
async def test_case_n3_a_second_start_says_nothing(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()):
            pass
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_case_n4_a_wrong_dimension_is_refused_with_both_numbers(settings: Settings) -> None:
    class Wide(FakeEmbedder):
        dimension = 768

    with pytest.raises(SetupError, match=r"384.*768.*MEMORYOS_EMBEDDING_MODEL") as caught:
        async with MemoryService.open(settings, worker=False, embedder=Wide()):
            pass
    assert caught.value.code == "wrong_dimension"


def test_a_newer_database_is_refused_with_both_numbers() -> None:
    with pytest.raises(SetupError, match=r"version 9, this program knows 1: upgrade"):
        check_meta(Meta(9, "all-MiniLM-L6-v2", 384, "check"), META)


def test_another_model_of_the_same_dimension_is_refused() -> None:
    with pytest.raises(SetupError, match="other-model"):
        check_meta(Meta(1, "other-model", 384, "check"), META)


def test_another_secret_key_is_refused() -> None:
    with pytest.raises(SetupError, match="secret key"):
        check_meta(Meta(1, "all-MiniLM-L6-v2", 384, "other"), META)


@pytest.mark.engine
async def test_a_changed_index_is_built_again(settings: Settings, service: MemoryService) -> None:
    await ask(service, "DROP INDEX page_text")
    await ask(
        service,
        "CREATE FULLTEXT INDEX page_text FOR (n:Page) ON EACH [n.text] "
        "OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}",
    )
    async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()) as again:
        rows = await ask(again, "SHOW INDEXES YIELD name, properties, options WHERE name = 'page_text' RETURN *")
    assert rows[0]["properties"] == ["user_key", "text"]
    assert rows[0]["options"]["indexConfig"]["fulltext.analyzer"] == "english"


@pytest.mark.engine
async def test_case_n13_an_index_that_the_server_refuses_stops_the_start(
    empty_schema: None, settings: Settings
) -> None:
    class TooWide(FakeEmbedder):
        dimension = 5000

    with pytest.raises(Exception, match="Neo4j refused") as caught:
        async with MemoryService.open(settings, worker=False, embedder=TooWide()):
            pass
    assert "vector.dimensions" in str(caught.value.__cause__)


def test_case_n13_missing_rights_are_named() -> None:
    from neo4j.exceptions import Neo4jError

    error = Neo4jError._hydrate_neo4j(code="Neo.ClientError.Security.Forbidden", message="no")
    assert translate(error).code == "no_rights"


async def test_case_n12_a_database_that_is_absent_is_named(settings: Settings) -> None:
    elsewhere = settings.model_copy(update={"neo4j_database": "memory"})
    with pytest.raises(SetupError, match="NEO4J_DATABASE"):
        async with MemoryService.open(elsewhere, worker=False, embedder=FakeEmbedder()):
            pass


async def test_a_wrong_password_is_named(settings: Settings) -> None:
    wrong = load_settings(data_dir=settings.data_dir, neo4j_uri=settings.neo4j_uri, neo4j_password="wrong")
    with pytest.raises(SetupError, match="NEO4J_PASSWORD"):
        async with MemoryService.open(wrong, worker=False, embedder=FakeEmbedder()):
            pass


@pytest.mark.parametrize("version", ["4.4.30", "5.25.1", "2025.11.0"])
def test_case_n11_an_older_server_is_refused_with_the_least_versions(version: str) -> None:
    with pytest.raises(SetupError, match=r"5\.26 LTS, or 2026\.02"):
        _line_of(version)


def test_case_n11_both_lines_are_known() -> None:
    assert _line_of("5.26.30") is Line.NEO4J_5
    assert _line_of("2026.08.1") is Line.NEO4J_2026


def test_case_n15_three_loops_one_after_the_other(settings: Settings) -> None:
    async def once() -> bool:
        async with MemoryService.open(settings, worker=True, embedder=FakeEmbedder()) as memory:
            return (await memory.readiness()).parts["neo4j"].ok

    def run_all() -> list[bool]:
        return [asyncio.run(once()) for _ in range(3)]

    import threading

    results: list[bool] = []
    thread = threading.Thread(target=lambda: results.extend(run_all()))
    thread.start()
    thread.join()
    assert results == [True] * 3
