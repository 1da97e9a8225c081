"""What structured replies are made of, item by item: strict as a schema for the server, lenient for what comes back.

Other key names, keywords as one string, labels with other case, a list of one instead of the one: read where the
meaning is certain. Source: cases L12, U06.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from ..domain.claim import FactKind, Sensitivity, Stance
from ..domain.page import Side

E = TypeVar("E", bound=StrEnum)
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
