"""Erasure on disk (I3, F9, F10): on servers of this file's own, since it stops them and reads their files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import neo4j.spatial
import neo4j.time
import pytest

from memoryos_graph import MemoryService, Settings, load_settings
from memoryos_graph.bootstrap import open_connection
from memoryos_graph.errors import SetupError, TryAgain
from memoryos_graph.store import managed
from memoryos_graph.store.managed.home import Home
from memoryos_graph.store.managed.residue import FORMAT, overwrite
from memoryos_graph.store.residue import residue_erased_at

from ..conftest import FakeEmbedder
from ..graph import ask
from ..pipeline.said import Said
from ..residue import Scanner
from ..store.managed.conftest import eventually, is_alive, supervisor_of
from .canaries import PLACES, canaries, tell

SHORT = [  # one for each way in which Neo4j packs short texts
    "4417 903.22,18",
    "2031-07-15 23:59",
    "QZXJWVKPHDRTBQ",
    "qzxjwvkphdrtbq",
    "qz.xjwv@kphd",
    "qz3.xj/wv?k=9",
    "Qz9Xj8Wv7Kp",
    "QzXj;Wv|Kph",
    "Qzßäöü9Äxj",
    "qz±¼½¾~§xjw",
    "鯨鱻龘驫",
    "dead0beef77cafe1234",
    "DEAD0BEEF77CAFE9876",
]
LONG = "zebrafishCANARY7 hides the treasure under the old oak " * 4
WIDE = "麤厵灥飝鱻馫" * 30
OVERWRITTEN = "wolverineCANARY8 stood here before something short did " * 3
WORD = "quokkaCANARY9"
DUMP = """MATCH (n) WHERE NOT n:Meta OPTIONAL MATCH (n)-[r]->(m)
          WITH n, collect([type(r), properties(r), elementId(m)]) AS out
          RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties, out ORDER BY id"""
INDEXES = "SHOW INDEXES YIELD name, state, type, options, owningConstraint ORDER BY name"


@pytest.fixture
async def own(line: managed.Line) -> AsyncIterator[Settings]:
    folder = Path(tempfile.mkdtemp(prefix="residue-"))
    yield load_settings(data_dir=folder, managed_line=line.value)
    await asyncio.to_thread(managed.stop, folder, line=line)
    shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[MemoryService]:
    async with MemoryService.open(settings, worker=False, embedder=FakeEmbedder()) as service:
        yield service


def home_of(settings: Settings) -> Home:
    return Home(settings.data_dir / f"neo4j-{settings.managed_line}")


async def stopped(settings: Settings) -> None:
    await asyncio.to_thread(managed.stop, settings.data_dir, line=managed.Line(settings.managed_line))


def env_of(settings: Settings) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORYOS_D", "NEO4J_", "OPENAI_"))}
    return kept | {"MEMORYOS_DATA_DIR": str(settings.data_dir), "MEMORYOS_MANAGED_LINE": settings.managed_line}


async def command(settings: Settings, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "memoryos_graph", "db", "erase-residue", *options),
        env=env_of(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    out, err = await process.communicate()
    return process.returncode, (out + err).decode()


def any_value(rng: random.Random) -> Any:
    """A value of any kind that a property can have, often of a length at which its form changes."""
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(
        seconds=rng.randrange(10**9), microseconds=rng.randrange(10**6)
    )
    n = rng.choice((0, 1, 2, 3, 5, 8, 13, 30, 63))
    whole = rng.choice((0, 1, -1, 127, 2**31, -(2**40), 2**57, -(2**63), 2**63 - 1))
    return rng.choice(
        [
            lambda: whole,
            lambda: rng.choice((0.0, 0.5, 1e300, rng.random())),
            lambda: bool(n % 2),
            lambda: "".join(rng.choices(rng.choice(SHORT), k=n)),
            lambda: rng.choice(("plain words " * 40, "鯨" * 90, "é" * 40, "x" * 119, "x" * 120, "x" * 121, "x" * 240)),
            lambda: [whole] * n,
            lambda: [rng.random() for _ in range(n)],
            lambda: [True] * n,
            lambda: ["a" * k for k in range(n)],
            lambda: bytes(rng.randrange(256) for _ in range(n)),
            lambda: moment,
            lambda: neo4j.time.DateTime.from_native(moment.replace(tzinfo=None)),
            lambda: moment.date() if n % 2 else date(9999, 12, 31),
            lambda: time(n % 24, 5, 7, n),
            lambda: neo4j.time.Duration(months=n, days=3, seconds=whole % 10**6, nanoseconds=5),
            lambda: neo4j.spatial.CartesianPoint((1.5, -2.5)),
            lambda: neo4j.spatial.WGS84Point((1.5, 2.5, 3.5)),
            lambda: [moment.date()] * n,
        ]
    )()


async def kill_supervisor_of(java: int) -> None:
    """Then Java ends too, unless it has just ended by itself; until then it would take connections and break them."""
    with contextlib.suppress(ProcessLookupError, subprocess.CalledProcessError):
        os.kill(await asyncio.to_thread(supervisor_of, java), 9)
    await eventually(lambda: not is_alive(java))


async def fill(service: MemoryService, rounds: int = 1) -> Scanner:
    """A live user, one who had much forgotten, nodes with properties of every kind that changed often, and a deleted
    user; what to look for."""
    rng = random.Random(7)
    words = [word for n in range(rounds) for word in canaries(n * PLACES)]
    for n in range(rounds):
        said = Said(service, "forgetful")
        plan = await said.memory.forget(pages=await tell(said, words[n * PLACES :][:PLACES]))
        await said.memory.confirm_forget(plan.plan_id)
    live = service.user("live")
    await live.remember(
        [{"user_input": f"I like marmalade number {i}.", "assistant_response": "Noted."} for i in range(8)]
    )
    await live.maintain("index", force=False)
    raw = [rng.gauss(0, 3) for _ in range(384)]
    gone = service.user("victimCANARY5")
    await gone.remember(
        [{"user_input": f"{WORD} {LONG}{i}", "assistant_response": WIDE, "id": f"idCANARY4-{i}"} for i in range(12)]
    )
    await gone.maintain("index", force=False)
    vector = """MATCH (p:Page) WITH p, CASE p.user_id WHEN 'live' THEN $other ELSE $raw END AS vector
                CALL db.create.setNodeVectorProperty(p, 'embedding', vector)"""
    # in one transaction with vectors that stay: files of an index that hold nothing else go at once
    await ask(service, vector, raw=raw, other=[rng.gauss(0, 3) for _ in range(384)])
    numbers = [rng.gauss(0, 3) for _ in range(384)]
    await ask(
        service,
        "MATCH (p:Page {user_id: 'victimCANARY5'}) SET p += $short, p.list = $short_list, p.doubles = $numbers",
        short={f"short{i}": text for i, text in enumerate(SHORT)},
        short_list=[OVERWRITTEN, LONG],
        numbers=numbers,
    )
    kinds = [{f"p{k}": any_value(rng) for k in range(9)} | {"number": n} for n in range(150)]
    await ask(service, "UNWIND $rows AS row CREATE (n:Kind) SET n = row, n.old = $old", rows=kinds, old=OVERWRITTEN)
    await ask(service, "MATCH (n:Kind) SET n.old = 'short', n.p3 = null, n.p0 = 1, n.p4 = time('12:05:07.5+01:00')")
    await ask(service, "MATCH (n:Kind) WHERE n.p1 IS NOT NULL AND n.number % 3 = 0 DETACH DELETE n")
    await ask(service, "MATCH (n {user_id: 'victimCANARY5'}) DETACH DELETE n")
    texts = [*words, *SHORT, LONG[:50], WIDE[:20], OVERWRITTEN[:60], WORD, "victimCANARY5", "idCANARY4"]
    return Scanner(texts, [raw, numbers])


async def state_of(settings: Settings) -> tuple[Any, Any]:
    async with opened(settings) as service:
        return await ask(service, DUMP), await ask(service, INDEXES)


@pytest.mark.engine
@pytest.mark.timeout(400)
async def test_cases_f9_f10_nothing_deleted_is_left_in_any_file(own: Settings) -> None:
    async with opened(own) as service:
        scanner = await fill(service)
        before = await ask(service, DUMP), await ask(service, INDEXES)
    home = home_of(own)
    await stopped(own)  # so that all is in the files
    found = await asyncio.to_thread(scanner.found, home.root)
    seen = set().union(*found.values())
    assert any("canary" in name for name in seen)
    once = [text for text in scanner.texts if "canary" not in text]
    missed = [text for text in once if not any(text in name for name in seen)]
    assert len(missed) <= 2, missed  # a freed record may have been taken again by then
    for form in ("utf-8:", "short:", "packed:", "raw <f", "raw <d", "near vector 0"):
        assert any(form in name for name in seen), (form, found)

    started = datetime.now(UTC)
    process = await command(own, "--yes")
    code, said = await ended(process)
    assert code == 0, said
    assert "nothing answers for about" in said

    assert await asyncio.to_thread(scanner.found, home.root) == {}
    async with opened(own) as service:
        assert (await ask(service, DUMP), await ask(service, INDEXES)) == before
        erased_at = await service.ctx.store.connection.read(residue_erased_at)
        assert erased_at is not None
        assert started < erased_at < datetime.now(UTC)
        assert "marmalade" in (await service.user("live").search("marmalade number 3")).hits[0].text
    await stopped(own)
    overwrite(home.root)  # what the indexes' definitions left since
    assert overwrite(home.root).records == 0
    assert await asyncio.to_thread(scanner.found, home.root) == {}


async def test_it_asks_and_refuses_where_the_files_are_not_ours(settings: Settings, cli_env: dict[str, str]) -> None:
    with pytest.raises(SetupError, match=r"docs/operations\.md, section Erasing"):
        await MemoryService.erase_residue(settings)
    with pytest.raises(SetupError, match="NEO4J_URI"):
        await MemoryService.residue_cost(settings)


def test_one_process_at_a_time_erases(tmp_path: Path) -> None:
    first = managed.Erasing(tmp_path, managed.Line.NEO4J_2026)
    with pytest.raises(TryAgain):
        managed.Erasing(tmp_path, managed.Line.NEO4J_2026)
    first.close()
    managed.Erasing(tmp_path, managed.Line.NEO4J_2026).close()


@pytest.mark.parametrize("damage", ["format", "size", "kind", "length", "page"])
def test_files_that_are_laid_out_otherwise_are_left_alone(tmp_path: Path, damage: str) -> None:
    store = tmp_path / "data/databases/neo4j"
    store.mkdir(parents=True)
    header = (256 if damage == "size" else 128).to_bytes(4, "big")
    record = (0x10000000 | 121 if damage == "length" else 0x10000003).to_bytes(4, "big") + b"text"
    block = (15 << 24 if damage == "kind" else 0).to_bytes(8, "big")
    files = {
        "neostore": b"other" if damage == "format" else FORMAT,
        "neostore.propertystore.db": b"\0" * 9 + block + b"left",
        "neostore.propertystore.db.strings": header.ljust(128, b"\0") + record,
        "neostore.propertystore.db.arrays": b"",
    }
    for name, data in files.items():
        size = 0 if not data else 8191 if damage == "page" and name.endswith(".db") else 8192
        (store / name).write_bytes(data.ljust(size, b"\0"))
    kept = (store / "neostore.propertystore.db.strings").read_bytes()
    with pytest.raises(SetupError, match="not laid out"):
        overwrite(tmp_path)
    assert (store / "neostore.propertystore.db.strings").read_bytes() == kept


@pytest.mark.soak
@pytest.mark.engine
@pytest.mark.timeout(3600)
async def test_killed_at_any_step_and_run_again_it_leaves_nothing(own: Settings) -> None:
    home = home_of(own)
    async with opened(own) as service:
        scanner = await fill(service, rounds=5)
        before = await ask(service, DUMP), await ask(service, INDEXES)
    rng = random.Random(os.urandom(8).hex())
    for _ in range(6):
        process = await command(own, "--yes")
        await asyncio.sleep(rng.uniform(0, 12))
        pid = managed.status(own.data_dir, managed.Line(own.managed_line)).pid
        if pid is not None and rng.random() < 0.5:
            await kill_supervisor_of(pid)
        if process.returncode is None:
            process.kill()
        await process.wait()
        assert await state_of(own) == before
    code, said = await ended(await command(own, "--yes"))
    assert code == 0, said
    assert await asyncio.to_thread(scanner.found, home.root) == {}
    assert await state_of(own) == before


@pytest.mark.soak
@pytest.mark.engine
@pytest.mark.timeout(600)
async def test_neo4j_finds_its_store_consistent_afterwards(own: Settings, line: managed.Line) -> None:
    from memoryos_graph.store.managed.client import plan_for
    from memoryos_graph.store.managed.config import OPENED, class_path

    async with opened(own) as service:
        await fill(service)
    assert (await ended(await command(own, "--yes")))[0] == 0
    await stopped(own)
    plan, root = await plan_for(own.data_dir, line=line), home_of(own).root
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    jars = ":".join(map(str, class_path(plan)))
    admin = ["org.neo4j.server.startup.Neo4jAdminCommand", "database", "check", "neo4j", f"--report-path={root}"]
    done = await asyncio.to_thread(
        subprocess.run,
        [plan.java, *opens, "-cp", jars, f"-Dbasedir={root}", *admin],
        env={**os.environ, "NEO4J_HOME": str(root), "NEO4J_CONF": str(root / "conf")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_the_moment_is_unknown_before_the_first_time(own: Settings) -> None:
    async with open_connection(own) as connection:
        assert await connection.read(residue_erased_at) is None
