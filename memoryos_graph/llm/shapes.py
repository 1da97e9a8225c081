"""The shapes of structured replies, and how their items are found in what comes back.

A list without its object or under another name is read where it is surely meant. Never lenient: a list that is missing,
empty under a foreign name, or without anything usable in it. Source: cases L12, U06, U27.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from .notes import ClaimNote, PageNote, TopicNote
from .replies import Unfit, json_values

MAX_ITEMS = 200
I = TypeVar("I", bound=BaseModel)  # noqa: E741


class Shape(Generic[I]):
    """A reply that is one object with a list of items under `key`, maybe with further lists.

    `aliases` are other names under which models put the list; an empty list counts only under `key`, and only with
    `may_be_empty`.
    """

    def __init__(
        self,
        name: str,
        key: str,
        item: type[I],
        *,
        aliases: Sequence[str],
        beside: Mapping[str, type[BaseModel]] | None = None,
        may_be_empty: bool,
    ) -> None:
        self.name = name
        self.key = key
        self.schema = _schema({**(beside or {}), key: item})
        self._item = item
        self._aliases = aliases
        self._may_be_empty = may_be_empty

    def read(self, reply: str, *, last: bool) -> tuple[list[I], dict[str, Any]]:
        """The items of a reply, and the whole object around them. Raises Unfit.

        An item that doesn't fit makes the reply unfit, too; on the `last` try what fits is taken, if anything does.
        """
        fault: Unfit | None = None
        for value in json_values(reply):
            try:
                return self._items_of(value, last=last)
            except Unfit as unfit:
                fault = fault or unfit
            if fault is not None and fault.code != "wrong_shape":
                break
        raise fault or Unfit("no_json", "It held no JSON object.")

    def _items_of(self, value: Any, *, last: bool) -> tuple[list[I], dict[str, Any]]:
        outer, raw = self._list_of(value, depth=0)
        if not raw and self._may_be_empty:
            return [], outer
        if len(raw) > MAX_ITEMS:
            raise Unfit("too_many", f'It had more than {MAX_ITEMS} items in "{self.key}".')
        items: list[I] = []
        fault = ""
        for number, one in enumerate(raw, start=1):
            try:
                items.append(self._item.model_validate(one))
            except ValidationError as exc:
                first = exc.errors(include_url=False, include_input=False)[0]
                place = ".".join(map(str, first["loc"]))
                fault = fault or f'Item {number} of "{self.key}" is wrong at "{place}": {first["type"]}.'
        if not items or (fault and not last):
            raise Unfit("wrong_shape", fault or f'"{self.key}" was empty.')
        return items, outer

    def _list_of(self, value: Any, depth: int) -> tuple[dict[str, Any], list[Any]]:
        """The list of items, wherever it is surely meant, and the object that holds it."""
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            return {}, value
        if not isinstance(value, dict):
            raise Unfit("wrong_shape", f'It had to be an object with "{self.key}".')
        if isinstance(value.get("properties"), dict) and ("type" in value or "$defs" in value or "required" in value):
            raise Unfit("schema_echo", "It repeated the schema instead of filling it in.")
        if isinstance(value.get(self.key), list):
            return value, value[self.key]
        for name in (self.key, *self._aliases):
            inner = value.get(name)
            if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
                return value, inner
            if isinstance(inner, dict) and inner:
                return value, self._of_object(inner)
        if self._fits(value):
            return {}, [value]
        if depth == 0 and len(value) == 1:  # {"result": {…}}, {"output": […]}
            return self._list_of(next(iter(value.values())), depth + 1)
        raise Unfit("wrong_shape", f'It had no list "{self.key}".')

    def _of_object(self, inner: dict[str, Any]) -> list[Any]:
        """One item instead of a list of one, or items under numbers or names."""
        if self._fits(inner):
            return [inner]
        return list(inner.values()) if all(isinstance(one, dict) for one in inner.values()) else [inner]

    def _fits(self, value: dict[str, Any]) -> bool:
        try:
            self._item.model_validate(value)
        except ValidationError:
            return False
        return True


def _schema(lists: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """The strict JSON schema of an object of lists: every field required, none besides, no rare keywords."""
    definitions: dict[str, Any] = {}
    properties = {}
    for key, item in lists.items():
        schema = item.model_json_schema(by_alias=False)
        definitions |= schema.pop("$defs", {})
        definitions[item.__name__] = schema
        properties[key] = {"type": "array", "items": {"$ref": f"#/$defs/{item.__name__}"}}
    return _strictly({"type": "object", "properties": properties, "$defs": definitions})


def _strictly(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {name: schema[name] for name in ("type", "$ref", "enum") if name in schema}
    for name in ("properties", "$defs"):
        if name in schema:
            kept[name] = {key: _strictly(one) for key, one in schema[name].items()}
    if "items" in schema:
        kept["items"] = _strictly(schema["items"])
    if "anyOf" in schema:
        kept["anyOf"] = [_strictly(one) for one in schema["anyOf"]]
    if "properties" in schema:
        kept |= {"required": list(schema["properties"]), "additionalProperties": False}
    return kept


READING = Shape(
    "read_batch",
    "topics",
    TopicNote,
    aliases=("summaries", "segments", "themes", "subjects", "multi_summary", "results", "topic"),
    beside={"pages": PageNote},
    may_be_empty=False,
)
CLAIMS = Shape(
    "propose_claims",
    "claims",
    ClaimNote,
    aliases=("facts", "memories", "memory", "statements", "results", "claim"),
    may_be_empty=True,
)
