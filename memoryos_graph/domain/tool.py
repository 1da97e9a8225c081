"""Tool calls as a memory keeps them: the name, the arguments, and a short summary of the result with its key values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SUMMARY_LENGTH = 300
VALUE_LENGTH = 80


def kept_call(name: str, arguments: Any, result: str) -> dict[str, Any]:
    """A tool call as it is stored: {name, arguments, result_summary}. Arguments given as JSON text are parsed."""
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    return {"name": name, "arguments": arguments, "result_summary": summary_of(result)}


def tool_text(calls: Sequence[Mapping[str, Any]]) -> str:
    """One line for each call that has a result, so that facts can quote it: `weather(city: Oslo) → sky: clear`."""
    lines = [f"{signature(call)} → {call['result_summary']}" for call in calls if call.get("result_summary")]
    return "\n".join(lines)


def signature(call: Mapping[str, Any]) -> str:
    """What was called, with its arguments, at most 300 characters."""
    return f"{_line(str(call['name']))}({_cut(_values(call['arguments']), SUMMARY_LENGTH)})"


def summary_of(result: str) -> str:
    """At most 300 characters: the key values of a JSON result, the beginning of any other."""
    return _cut(_values(_parsed(result)), SUMMARY_LENGTH)


def _parsed(text: str) -> Any:
    """A JSON text's value; any other text, and one nested beyond what the parser takes, as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _values(value: Any) -> str:
    return ", ".join(f"{key}: {leaf}" if key else leaf for key, leaf in _leaves(value))


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Key paths and values in order, walked without recursion, since a tool chose the depth."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, dict):
            inner = [(f"{path}.{key}" if path else str(key), part) for key, part in item.items()]
            waiting.extend(reversed(inner))
        elif isinstance(item, list):
            waiting.extend((path, part) for part in reversed(item))
        elif item is not None and item != "":
            yield (
                _line(path),
                _cut(
                    _line(item if isinstance(item, str) else json.dumps(item)), VALUE_LENGTH if path else SUMMARY_LENGTH
                ),
            )


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
