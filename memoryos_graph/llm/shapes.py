"""The shapes of structured replies: strict as a schema for the server, lenient for what comes back where that is safe.

Lenient: other key names, a list without its object, keywords as one string, labels with other case. Never lenient: a
list that is missing, empty under a foreign name, or without anything usable in it. Source: cases L12, U06, U27.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..domain.claim import FactKind, Sensitivity, Stance
from ..domain.page import Side
from .replies import Unfit, json_values

MAX_ITEMS = 200
E = TypeVar("E", bound=StrEnum)
I = TypeVar("I", bound=BaseModel)  # noqa: E741
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_KEYWORD_SPLIT = re.compile(r"[,;，、；\n]+")


def _text(value: Any) -> Any:
    """A string without what no database takes; numbers as text; one string out of an object that holds just one."""
    if isinstance(value, Mapping):
        strings = [inner for inner in value.values() if isinstance(inner, str)]
        value = strings[0] if len(strings) == 1 else value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return _UNSAFE.sub("", value).strip() if isinstance(value, str) else value


def _text_or_empty(value: Any) -> Any:
    return "" if value is None else _text(value)


def _strings(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in _KEYWORD_SPLIT.split(value) if part.strip()]
    if isinstance(value, list):
        texts = [_text(one) for one in value]
        return [text for text in texts if isinstance(text, str) and text]
    return value


def _numbers(value: Any) -> Any:
    """Page numbers, also as "1, 2", "page 3" or a single number."""
    many = value if isinstance(value, list) else [value]
    found: list[int] = []
    for one in many:
        if isinstance(one, int) and not isinstance(one, bool):
            found.append(one)
        elif isinstance(one, str):
            found.extend(int(digits[:6]) for digits in re.findall(r"\d+", one))
    return found


def _number(value: Any) -> Any:
    return next(iter(_numbers(value)), None)


def _one_of(kind: type[E]) -> BeforeValidator:
    """A label by its value, whatever its case and spaces; None for what isn't one."""

    def read(value: Any) -> E | None:
        label = "_".join(value.lower().split()) if isinstance(value, str) else ""
        return next((one for one in kind if one.value == label), None)

    return BeforeValidator(read)


_CONFIDENT = {"high": 0.9, "medium": 0.7, "low": 0.5}


def _confidence(value: Any) -> float:
    if isinstance(value, str):
        value = _CONFIDENT.get(value.strip().lower(), value)
    try:
        return min(0.95, max(0.05, float(value)))
    except (TypeError, ValueError):
        return 0.8


def _yes(value: Any) -> Any:
    if isinstance(value, str) and value.strip().lower() in ("true", "yes", "false", "no"):
        return value.strip().lower() in ("true", "yes")
    return value if isinstance(value, bool) else None


def _quotes(value: Any) -> Any:
    many = value if isinstance(value, list) else []
    return [{"quote": one} if isinstance(one, str) else one for one in many]


Text = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
AnyText = Annotated[str, BeforeValidator(_text_or_empty)]
Words = Annotated[list[str], BeforeValidator(_strings)]
PageNumber = Annotated[int | None, BeforeValidator(_number)]
PageNumbers = Annotated[list[int], BeforeValidator(_numbers)]


def _named(*names: str) -> AliasChoices:
    return AliasChoices(*names)


class _Note(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class TopicNote(_Note):
    """One subject and the numbers of the pages about it; no numbers when the reply named none."""

    summary: Text = Field(validation_alias=_named("summary", "content", "theme", "topic", "title", "text"))
    keywords: Words = Field(default=[], validation_alias=_named("keywords", "key_words", "keyword", "tags"))
    pages: PageNumbers = Field(
        default=[], validation_alias=_named("pages", "page_numbers", "page_ids", "page", "indices")
    )


class PageNote(_Note):
    """What the reply says of one page."""

    page: PageNumber = Field(validation_alias=_named("page", "number", "page_number", "page_id", "id"))
    continues: Annotated[bool | None, BeforeValidator(_yes)] = Field(
        default=None, validation_alias=_named("continues", "is_continuous", "continuous", "continuity", "continuation")
    )
    summary: AnyText = Field(default="", validation_alias=_named("summary", "line", "gist", "text"))


class QuoteNote(_Note):
    """Words of a page as the model copied them."""

    page: PageNumber = None
    speaker: Annotated[Side | None, _one_of(Side)] = Field(
        default=None, validation_alias=_named("speaker", "side", "role")
    )
    quote: AnyText = Field(default="", validation_alias=_named("quote", "evidence", "source"))


class ClaimNote(QuoteNote):
    """One proposed statement."""

    kind: Annotated[FactKind | None, _one_of(FactKind)] = None
    subject: AnyText = ""
    predicate: Text = Field(validation_alias=_named("predicate", "relation", "attribute", "dimension"))
    object: Text = Field(validation_alias=_named("object", "value", "level"))
    text: AnyText = Field(default="", validation_alias=_named("text", "fact", "statement"))
    stance: Annotated[Stance | None, _one_of(Stance)] = None
    replaces: AnyText = ""
    valid_from: AnyText = ""
    valid_to: AnyText = ""
    confidence: Annotated[float, BeforeValidator(_confidence)] = 0.8
    sensitivity: Annotated[Sensitivity | None, _one_of(Sensitivity)] = None
    reason: AnyText = ""
    more: Annotated[list[QuoteNote], BeforeValidator(_quotes)] = []


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
