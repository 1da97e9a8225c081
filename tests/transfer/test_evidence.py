"""What was believed at a time, as a file that proves itself without us (case P5)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memoryos_graph import UserMemory
from memoryos_graph.domain.claim import Stance
from memoryos_graph.transfer import verify_evidence

from ..conftest import FakeClock
from ..pipeline.said import Said
from .everything import bodies

pytestmark = pytest.mark.engine
OSLO = {"predicate": "lives_in", "object": "Oslo", "text": "The user lives in Oslo.", "quote": "in Oslo"}


async def _file(memory: UserMemory, **moment: Any) -> bytes:
    return b"".join([piece async for piece in memory.evidence(**moment)])


def _faults(file: bytes) -> list[str]:
    return verify_evidence.faults_of(file.splitlines(keepends=True))[0]


def _resealed(lines: list[dict[str, Any]]) -> bytes:
    """Lines with new hashes, as somebody makes them who can write the whole file."""
    header, previous = verify_evidence.sealed(lines[0], verify_evidence.BEFORE_HEADER)
    written, before = [header], verify_evidence.BEFORE_LINES
    for body in lines[1:]:
        told = body | ({"header": previous} if "end" in body else {})
        line, before = verify_evidence.sealed(told, before)
        written.append(line)
    return b"".join(written)


async def test_case_p5_what_was_believed_verifies_offline_and_every_change_is_named(
    said: Said, clock: FakeClock, tmp_path: Path
) -> None:
    memory = said.memory
    await said.say("Hello 🙂, I live in Oslo", OSLO, at="2026-01-01T00:00:00Z")
    await said.say("I own ZX-4417", {"predicate": "owns", "object": "ZX-4417", "text": "The user owns ZX-4417."})
    then, head = clock.now(), await memory.audit_head()
    clock.move(days=1)
    await said.say("I moved to Rome", OSLO | {"object": "Rome", "quote": "Rome", "stance": Stance.CHANGES})
    (owned,) = [fact for fact in (await memory.facts()).items if fact.predicate == "owns"]
    plan = await memory.forget(pages=[owned.sources[0].page_id])
    receipt = await memory.confirm_forget(plan.plan_id)
    file = await _file(memory, known_at=then)
    header, record, page, fact, end = bodies(file)
    believed = (await memory.facts(known_at=then)).items
    assert fact["fact"] == json.loads(believed[0].model_dump_json()) | {"status": fact["fact"]["status"]}
    assert (len(believed), fact["fact"]["object"], fact["fact"]["valid_to"]) == (1, "Oslo", None)
    assert page["page"]["texts"]["user"] == "Hello 🙂, I live in Oslo"
    assert record["heads"]["known_at"] == {"seq": head.seq, "hash": head.hash}
    assert [one["receipt_id"] for one in record["forgotten"]] == [receipt.receipt_id]
    assert "ZX-4417" not in file.decode()
    assert (header["known_at"], end["counts"]) == (then.isoformat(), {"fact": 1, "page": 1, "record": 1})
    now = bodies(await _file(memory))
    assert [body["fact"]["object"] for body in now if "fact" in body] == ["Rome"]
    _check_alone(file, tmp_path)


def _check_alone(file: bytes, tmp_path: Path) -> None:
    """The program by itself, as a reviewer runs it; then all the ways in which a file may be wrong."""
    script, path = tmp_path / "check.py", tmp_path / "evidence.jsonl"
    script.write_bytes(Path(verify_evidence.__file__).read_bytes())
    path.write_bytes(file)
    command = [sys.executable, "-I", "-S", str(script), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("whole: 1 facts with 1 quotes from 1 pages, as believed at 2026-")
    assert "1 receipts name was forgotten" in ran.stdout
    path.write_bytes(file[:-2])
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    lines = file.splitlines(keepends=True)
    for n, line in enumerate(lines):
        for at in (2, len(line) // 2, len(line) - 40):
            changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
            assert any(
                f.startswith(f"line {n + 1}:") for f in _faults(b"".join([*lines[:n], changed, *lines[n + 1 :]]))
            )
        assert any(
            f.startswith((f"line {n + 1}:", f"line {n}:")) for f in _faults(b"".join(lines[:n] + lines[n + 1 :]))
        )
    swapped = _faults(b"".join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert swapped == [
        "line 2: line 2 before it: removed or moved",
        "line 3: was moved or repeated: it is line 2",
    ]
    said = [{name: value for name, value in json.loads(line).items() if name != "hash"} for line in lines]
    fact = said[3]["fact"]
    assert _faults(_resealed(said)) == []
    for wrong, named in (
        ({"sources": [fact["sources"][0] | {"quote": "in Rome"}]}, "its quote does not stand in page"),
        ({"sources": [fact["sources"][0] | {"page_id": "p"}]}, "page p is not in the file"),
        ({"sources": []}, "rests on nothing"),
        ({"recorded_at": "2030-01-01T00:00:00Z"}, "was not known yet"),
        ({"sources": "none"}, "is not what a file of evidence says"),
    ):
        (told,) = _faults(_resealed([*said[:3], {"line": 4, "fact": fact | wrong}, said[4]]))
        assert told.startswith("line 4: ")
        assert named in told
    other = verify_evidence.sealed(said[0] | {"user_id": "somebody else"}, verify_evidence.BEFORE_HEADER)[0]
    assert _faults(b"".join([other, *lines[1:]])) == ["line 5: the first line is of another file"]
