"""What callers give, checked against what is asked for."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import InvalidInput

M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], value: Any) -> M:
    """A request made of fields. Raises InvalidInput, which names the field."""
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        fallback = model.__name__.removesuffix("Request").removesuffix("In").lower()
        raise invalid(exc, fallback) from exc


def invalid(exc: ValidationError, fallback: str) -> InvalidInput:
    """The first fault, without an echo of the value; `fallback` names the field where a model as a whole is wrong."""
    first = exc.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or fallback
    return InvalidInput(field, f"{field}: {first['msg'].removeprefix('Value error, ')}")
