"""The one table of errors, and the shape of every refusal."""

from __future__ import annotations

import inspect
import logging
import re

import httpx
import pytest
from memoryos_graph.api import problems

from memoryos_graph import UserMemory, errors

CLASSES = [
    cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.MemoryosError)
]  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_class_has_a_row(cls: type[errors.MemoryosError]) -> None:
    status, title, public = problems.TABLE[cls]
    assert 400 <= status < 600
    assert title
    assert public or status >= 500
    documented = re.search(rf"{cls.__name__} .*\(HTTP ([\d, ]+)\)", errors.__doc__ or "")
    if documented:
        assert str(status) in documented[1].split(", ")


def test_the_table_has_no_other_rows() -> None:
    assert set(problems.TABLE) == set(CLASSES)


@pytest.mark.parametrize(
    ("error", "status", "code", "headers"),
    [
        (errors.InvalidInput("query", "too odd"), 422, "invalid_input", {}),
        (errors.TooLarge("turns", "too many"), 413, "too_large", {}),
        (errors.NotFound(), 404, "not_found", {}),
        (errors.Conflict(), 409, "conflict", {}),
        (errors.AccessDenied(authenticated=False), 401, "unauthenticated", {"WWW-Authenticate": "Bearer"}),
        (errors.AccessDenied(authenticated=True), 403, "forbidden", {}),
        (errors.UserBusy(), 503, "user_busy", {"Retry-After": "1"}),
        (errors.DatabaseUnavailable(retry_after_s=7), 503, "database_unavailable", {"Retry-After": "7"}),
        (errors.ModelReplyInvalid(), 502, "model_reply_invalid", {}),
        (errors.SetupError("the folder /home/ana is full", code="disk_full"), 503, "disk_full", {"Retry-After": "5"}),
    ],
)
async def test_errors_become_problems(
    http: httpx.AsyncClient,
    base: str,
    monkeypatch: pytest.MonkeyPatch,
    error: errors.MemoryosError,
    status: int,
    code: str,
    headers: dict[str, str],
) -> None:
    async def fail(self: UserMemory, **_: object) -> None:
        raise error

    monkeypatch.setattr(UserMemory, "stats", fail)
    answer = await http.get(f"{base}/stats")
    body = problems.Problem.model_validate(answer.json())
    assert (answer.status_code, body.status, body.code, body.type) == (
        status,
        status,
        code,
        f"urn:memoryos:problem:{code}",
    )
    assert answer.headers["content-type"] == problems.MEDIA_TYPE
    assert headers.items() <= dict(answer.headers).items() | {(k, answer.headers.get(k)) for k in headers}
    assert "/home" not in answer.text
    assert [fault.field for fault in body.errors] == ([error.field] if hasattr(error, "field") else [])


async def test_the_router_speaks_the_same_language(http: httpx.AsyncClient, base: str) -> None:
    nowhere = await http.get("/no/such/route")
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "not_found")
    wrong = await http.delete(f"{base}/turns")
    assert (wrong.status_code, wrong.json()["code"], wrong.headers["Allow"]) == (405, "method_not_allowed", "GET, POST")
    for answer in (nowhere, wrong):
        assert answer.headers["content-type"] == problems.MEDIA_TYPE
        assert answer.headers["X-Request-ID"] == answer.json()["request_id"]


async def test_each_answer_has_its_own_request_id(http: httpx.AsyncClient) -> None:
    answers = [await http.get("/healthz", headers={"X-Request-ID": "mine"}) for _ in range(2)]
    ids = [answer.headers["X-Request-ID"] for answer in answers]
    assert len({*ids, "mine"}) == 3


async def test_the_log_names_routes_never_paths(http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await http.post("/v1/users/secret-user/turns?wait=secret", json={"user_input": "secret text"})
        await http.get("/v1/users/secret-user/turns?id=secret-id")
        await http.get("/secret-path")
    lines = [record for record in caplog.records if record.name == "memoryos_graph.api"]
    assert [record.route for record in lines] == ["/v1/users/{user_id}/turns"] * 2 + ["-"]  # type: ignore[attr-defined]
    assert not any("secret" in repr(vars(record)) for record in caplog.records if record.name.startswith("memoryos"))
