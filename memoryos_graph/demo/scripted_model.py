"""A model server for tests and trials: the OpenAI protocol over HTTP, answers by the offline rules, failures on order.

No model and no key are needed. `ScriptedModel` runs it on a port of its own in a thread; `serve` in this thread.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from .scenario import Hold, Reaction, Scenario
from .scenario import Request as Asked
from .scripted_answers import good_answer, inputs, parsed_chat, parsed_embeddings, vector

MODEL = "scripted"
EMBEDDING_MODEL = "scripted-embedding"
_STARTS_S = 30.0


@dataclass(frozen=True)
class Scene:
    """One address of the server with a scenario of its own, so that tests don't meet each other's requests."""

    base_url: str
    scenario: Scenario


class ScriptedModel:
    """The server in a thread: `with ScriptedModel() as model: model.scene().base_url`."""

    def __init__(self) -> None:
        self._scenarios: dict[str, Scenario] = {}
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._server = _server(self._scenarios)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def scene(self) -> Scene:
        """A new address with a clean scenario."""
        name, scenario = f"scene-{len(self._scenarios) + 1}", Scenario()
        self._scenarios[name] = scenario
        host, port = self._socket.getsockname()[:2]
        return Scene(f"http://{host}:{port}/{name}/v1", scenario)

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        until = time.monotonic() + _STARTS_S
        while not self._server.started and self._thread.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        return self

    def __exit__(self, *exc: object) -> None:
        for scenario in self._scenarios.values():
            scenario.let_go()
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()
        self._socket.close()


def serve(host: str, port: int, on_listening: Callable[[str], None]) -> None:
    """Answer until Ctrl-C. Raises OSError when the port is taken."""
    with socket.create_server((host, port)) as listener:
        name, number = listener.getsockname()[:2]
        on_listening(f"http://{name}:{number}/v1")
        with suppress(KeyboardInterrupt):  # uvicorn repeats it once all is closed
            _server({"": Scenario()}).run(sockets=[listener])


def create_app(scenarios: Mapping[str, Scenario]) -> FastAPI:
    """The protocol as an application: the scenario "" under /v1, any other under /NAME/v1."""

    async def models() -> dict[str, Any]:
        listed = [{"id": name, "object": "model", "owned_by": "memoryos-graph"} for name in (MODEL, EMBEDDING_MODEL)]
        return {"object": "list", "data": listed}

    async def chat(request: Request) -> Response:
        return await _handled(request, scenarios, parsed_chat, _answer)

    async def embeddings(request: Request) -> Response:
        return await _handled(request, scenarios, parsed_embeddings, _embeddings)

    app = FastAPI(openapi_url=None)
    for prefix in ("", "/{scene}"):
        app.add_api_route(f"{prefix}/v1/models", models, methods=["GET"])
        app.add_api_route(f"{prefix}/v1/chat/completions", chat, methods=["POST"])
        app.add_api_route(f"{prefix}/v1/embeddings", embeddings, methods=["POST"])
    return app


async def _handled(
    request: Request,
    scenarios: Mapping[str, Scenario],
    parse: Callable[[Mapping[str, Any]], Asked],
    answer: Callable[[Asked, Reaction], Awaitable[Response]],
) -> Response:
    scenario, body = scenarios.get(request.path_params.get("scene", "")), await _json(request)
    if scenario is None or body is None:
        return _error(404 if scenario is None else 400, "no such scene, or no JSON object", None)
    asked = await asyncio.to_thread(parse, body)
    reaction = scenario.reaction(asked)
    return await _early(request, reaction) or await answer(asked, reaction)


class _CutConnection(Response):
    """A response that promises more than it sends; the server then closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        start: Message = {"type": "http.response.start", "status": 200, "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": b'{"id": "cut', "more_body": True})


async def _early(request: Request, reaction: Reaction) -> Response | None:
    """What comes before or instead of an answer."""
    if reaction.hold is not None and not reaction.hold_after:
        await _held(reaction.hold)
    await asyncio.sleep(reaction.delay_s)
    while reaction.hang:
        if (await request.receive())["type"] == "http.disconnect":
            break
    if reaction.cut_connection:
        return _CutConnection()
    if reaction.status != 200:
        return _error(reaction.status, reaction.error, reaction.param, dict(reaction.headers))
    return Response(reaction.raw, media_type="application/json") if reaction.raw is not None else None


async def _held(hold: Hold) -> None:
    hold.arrived.set()
    while not hold.released.is_set():  # no thread of the pool: many requests may be held
        await asyncio.sleep(0.01)


async def _answer(asked: Asked, reaction: Reaction) -> Response:
    text = await asyncio.to_thread(_text, asked, reaction)
    if asked.body.get("stream"):
        return StreamingResponse(_stream(asked, reaction, text), media_type="text/event-stream")
    message = {"role": "assistant", "content": text, "refusal": reaction.refusal}
    if reaction.reasoning is not None:
        message["reasoning_content"] = reaction.reasoning
    completion = _envelope(asked, "chat.completion") | {
        "choices": [{"index": 0, "message": message, "finish_reason": reaction.finish, "logprobs": None}]
    }
    if reaction.usage:
        completion["usage"] = _usage(asked.text, text)
    return JSONResponse(completion)


async def _stream(asked: Asked, reaction: Reaction, text: str) -> AsyncIterator[str]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[i : i + 20]} for i in range(0, len(text), 20)]
    for n, delta in enumerate(deltas):  # the first holds no text
        if reaction.break_after is not None and n > reaction.break_after:
            return
        if reaction.hold is not None and n > reaction.hold_after > 0:
            await _held(reaction.hold)
        yield _event(asked, choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    yield _event(asked, choices=[{"index": 0, "delta": {}, "finish_reason": reaction.finish}])
    if reaction.usage and (asked.body.get("stream_options") or {}).get("include_usage"):
        yield _event(asked, choices=[], usage=_usage(asked.text, text))
    yield "data: [DONE]\n\n"


def _event(asked: Asked, **fields: Any) -> str:
    chunk = _envelope(asked, "chat.completion.chunk") | fields
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def _text(asked: Asked, reaction: Reaction) -> str:
    if reaction.content is not None:
        return reaction.content(asked) if callable(reaction.content) else reaction.content
    text = good_answer(asked)
    return reaction.edit(text) if reaction.edit else text


async def _embeddings(asked: Asked, reaction: Reaction) -> Response:
    return JSONResponse(await asyncio.to_thread(_embedded, asked.body))


def _embedded(body: Mapping[str, Any]) -> dict[str, Any]:
    texts = inputs(body)
    rows = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(texts)]
    return {"object": "list", "model": body.get("model"), "data": rows, "usage": _usage("\n".join(texts), "")}


def _envelope(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": "scripted", "object": kind, "created": 0, "model": asked.body.get("model")}


def _usage(prompt: str, reply: str) -> dict[str, int]:
    tokens_in, tokens_out = len(prompt) // 4 + 1, len(reply) // 4 + 1
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}


def _error(status: int, message: str, param: str | None, headers: dict[str, str] | None = None) -> Response:
    error = {"message": message, "type": "scripted", "param": param, "code": None}
    return JSONResponse({"error": error}, status, headers)


async def _json(request: Request) -> dict[str, Any] | None:
    try:
        body = await request.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _server(scenarios: Mapping[str, Scenario]) -> uvicorn.Server:
    config = uvicorn.Config(
        create_app(scenarios), log_config=None, log_level="critical", access_log=False, ws="none", lifespan="off"
    )
    return uvicorn.Server(config)
