"""The parts of a prompt, and answers with their citations, also as a stream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse

from memoryos_graph.contract import AnswerRequest, AnswerResult, ContextRequest, ContextResult
from memoryos_graph.errors import MemoryosError

from .. import deps, problems

router = deps.user_router("answers")

STREAM = "text/event-stream"
_streams: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `Accept: text/event-stream` the events `text` ({text}), then `answer` (the "
        "same as without) or `error` (a problem)",
        "content": {STREAM: {"schema": {"type": "string"}}},
    }
}


@router.post("/context", responses=problems.responses(400, 413, 502))
async def context(memory: deps.Reader, request: ContextRequest, _: Annotated[deps.NoQuery, Query()]) -> ContextResult:
    """The parts of a prompt without a call of a model: recent turns, evidence, persona, conflicts, tokens and cuts."""
    return await memory.context(**request.model_dump(exclude_unset=True))


@router.post("/answer", response_model=AnswerResult, responses=_streams | problems.responses(400, 409, 413, 502))
async def answer(
    memory: deps.Writer,
    request: AnswerRequest,
    http: Request,
    _: Annotated[deps.NoQuery, Query()],
    idempotency_key: deps.RequestKey = None,
) -> AnswerResult | Response:
    """Answer a question from memory; the question is stored before the model is asked, the answer with all it cites."""
    given = request.model_dump(exclude_unset=True)
    if STREAM not in http.headers.get("accept", ""):
        return await memory.answer(**given, idempotency_key=idempotency_key)
    pieces = memory.answer_stream(**given, idempotency_key=idempotency_key)
    first = await anext(pieces)  # what fails before the first word is an ordinary error
    return StreamingResponse(_events(first, pieces, http.state.request_id), media_type=STREAM)


@router.get("/answers/{answer_id:raw}", responses=problems.responses(404))
async def get_answer(memory: deps.Reader, answer_id: deps.PathId, _: Annotated[deps.NoQuery, Query()]) -> AnswerResult:
    """A stored answer: what was asked, said and used."""
    return await memory.get_answer(answer_id)


async def _events(
    first: str | AnswerResult, rest: AsyncIterator[str | AnswerResult], request_id: str
) -> AsyncIterator[bytes]:
    yield _event(first)
    try:
        async for piece in rest:
            yield _event(piece)
    except MemoryosError as exc:
        yield _named("error", bytes(problems.of_error(request_id, exc).body))
    except Exception:  # the stream has begun: nothing else can tell the listener
        yield _named("error", bytes(problems.unforeseen(request_id).body))


def _event(piece: str | AnswerResult) -> bytes:
    if isinstance(piece, AnswerResult):
        return _named("answer", piece.model_dump_json().encode())
    return _named("text", json.dumps({"text": piece}, ensure_ascii=False).encode())


def _named(name: str, data: bytes) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"
