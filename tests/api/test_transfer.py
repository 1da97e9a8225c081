"""A memory as a file over HTTP."""

from __future__ import annotations

import json

import httpx

from memoryos_graph import MemoryService

from ..graph import ask
from .conftest import path_of, send_raw


async def test_a_memory_goes_out_as_lines_and_comes_back(
    http: httpx.AsyncClient, base: str, service: MemoryService, user_id: str
) -> None:
    assert (await http.get(f"{base}/export")).status_code == 404
    await http.post(f"{base}/turns", json={"user_input": "I live in 奥斯陆."})
    answer = await http.get(f"{base}/export")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert [json.loads(line)["line"] for line in answer.content.splitlines()] == [1, 2, 3, 4, 5, 6, 7, 8]
    refused = await http.post(f"{base}/import", content=answer.content)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_empty")
    await ask(service, "MATCH (n {user_id: $id}) DETACH DELETE n", id=user_id)
    for already_there in (False, True):
        done = await http.post(f"{base}/import", content=answer.content)
        assert (done.status_code, done.json()["already_there"], done.json()["nodes"]["Page"]) == (200, already_there, 1)
    assert (await http.get(f"{base}/turns")).json()["items"][0]["user_input"] == "I live in 奥斯陆."
    for verb in ("export", "evidence"):
        assert (await http.get(f"{base}/{verb}?known_at=yesterday")).status_code == 422
    proof = [json.loads(line) for line in (await http.get(f"{base}/evidence")).content.splitlines()]
    assert (proof[0]["format"], proof[-1]["end"]) == ("memoryos-graph evidence", True)


async def test_a_wrong_file_is_named_by_its_line_and_a_large_one_refused(
    http: httpx.AsyncClient, base: str, service: MemoryService, user_id: str
) -> None:
    answer = await http.post(f"{base}/import", content=b'{"user_input": "hi"}\n')
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "file")
    assert answer.json()["detail"].startswith("line 1: ")
    answer = await http.post(f"{base}/import", content=b"", headers={"Content-Length": "999999999"})
    assert answer.status_code == 413
    many = [b"x" * 9_000_000]  # more than other bodies may have
    answer = await send_raw(service, "POST", f"{path_of(user_id)}/import", many)
    assert answer.status_code == 422
