"""The OpenAPI document is true: schemathesis invents requests from it, and no answer may contradict it or be a 5xx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memoryos_graph.api.app import create_app
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation

from memoryos_graph import MemoryService

from .conftest import Filled, fill

load_all_checks()
schemathesis.serializer.alias("application/x-ndjson", "text/plain")
CHECKED = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
)
SCHEMA: dict[str, Any] = create_app().openapi()
OPERATIONS = [found.ok() for found in schemathesis.openapi.from_dict(SCHEMA).get_all_operations()]
CASES = [
    pytest.param(operation, mode, id=f"{operation.label} {mode.value}")
    for operation in OPERATIONS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or operation.path_parameters  # without parameters nothing can be wrong
]
EXAMPLES = 6


def _bounded(test: Callable[..., Any]) -> Callable[..., Any]:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=EXAMPLES, derandomize=True, database=None, suppress_health_check=slow)(test)


@pytest.fixture(scope="module")
async def filled(service: MemoryService) -> Filled:
    """A user of this module's own: invented requests write, correct and forget."""
    return await fill(service)


@pytest.mark.parametrize(("operation", "mode"), CASES)
@_bounded
@given(data=st.data())
async def test_invented_requests_get_declared_answers(
    http: httpx.AsyncClient,
    filled: Filled,
    operation: APIOperation[Any, Any, Any, Any],
    mode: GenerationMode,
    data: st.DataObject,
) -> None:
    case = data.draw(operation.as_strategy(generation_mode=mode))
    for name in case.path_parameters:
        if data.draw(st.booleans()):
            case.path_parameters[name] = getattr(filled, name)
    if "wait" in case.query and mode is GenerationMode.POSITIVE:
        case.query["wait_s"] = 0.01
    sent = case.as_transport_kwargs(base_url="http://127.0.0.1")
    names = {
        "method": "method",
        "url": "url",
        "params": "params",
        "json": "json",
        "data": "content",
        "headers": "headers",
    }
    response = await http.request(**{ours: sent[theirs] for theirs, ours in names.items() if theirs in sent})
    case.validate_response(response, checks=CHECKED)


def test_every_refusal_is_declared_as_a_problem() -> None:
    for path, operations in SCHEMA["paths"].items():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status >= "400" and path != "/readyz":
                    assert list(response["content"]) == ["application/problem+json"], (path, status)
            if path.startswith("/v1"):
                assert {"401", "403", "422", "500", "503"} <= operation["responses"].keys()
                assert operation["security"] == [{"HTTPBearer": []}, {}]


def test_every_parameter_declares_its_limits() -> None:
    for operations in SCHEMA["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                schema = parameter["schema"]
                kinds = schema.get("anyOf", [schema])
                known = {"enum", "const", "maximum", "maxLength", "pattern", "format", "$ref"}
                bound = [kind for kind in kinds if known & kind.keys() or kind.get("type") == "boolean"]
                assert bound, parameter["name"]
