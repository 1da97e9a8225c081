"""What a policy leaves of a turn: sensitive words that it keeps out are blacked out before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from .claim import Sensitivity
from .forgetting import blackened
from .page import Turn
from .policy import BLACKED, Action, Finding, Policy
from .text import sentences

Found = Mapping[str, Sequence[Finding]]
Find = Callable[[str], Sequence[Finding]]
T = TypeVar("T")


@dataclass(frozen=True)
class Screened:
    """A turn as it may be stored, with the mode of remembering it and the classes found in what is left."""

    turn: Turn
    remember: str
    classes: tuple[str, ...]


def findings(turn: Turn, find: Find) -> Found:
    """What is found in every text of a turn, by text; texts without a finding are left out."""
    said = [turn.user_input, turn.assistant_response, turn.system_text]
    return findings_in([said, list(turn.tool_calls), dict(turn.metadata), list(turn.tags)], find)


def findings_in(value: Any, find: Find) -> Found:
    """What is found in every text of a JSON value, by text."""
    return {text: found for text in dict.fromkeys(_leaves(value)) if (found := find(text))}


def screen(turn: Turn, found: Found, policy: Policy) -> Screened:
    """The turn without the words that the policy keeps out."""
    if not found:
        return Screened(turn, policy.mode(turn.remember, ()), ())
    kept = replace(
        turn,
        user_input=blotted(turn.user_input, found, policy),
        assistant_response=blotted(turn.assistant_response, found, policy),
        system_text=blotted(turn.system_text, found, policy),
        tool_calls=blotted_json(turn.tool_calls, found, policy),
        metadata=blotted_json(turn.metadata, found, policy),
        tags=blotted_json(turn.tags, found, policy),
    )
    left = {one.kind for spans in found.values() for one in spans if policy.classes[one.kind] not in BLACKED}
    return Screened(kept, policy.mode(turn.remember, left), tuple(sorted(left)))


def blotted(text: str, found: Found, policy: Policy) -> str:
    """One text without the words that the policy keeps out; offsets of the rest stay."""
    spans = [span for one in found.get(text, ()) for span in _blots(text, one, policy.classes[one.kind])]
    return blackened(text, spans) if spans else text


def found_with(found: Found, policy: Policy, actions: Sequence[Action]) -> list[Sensitivity]:
    """The classes found that the policy treats in one of these ways."""
    return sorted({one.kind for spans in found.values() for one in spans if policy.classes[one.kind] in actions})


def _blots(text: str, one: Finding, action: Action) -> Iterator[tuple[int, int]]:
    if action is Action.REDACT:
        yield one.start, one.end
    elif action is Action.NEVER:
        yield from ((start, end) for start, end in sentences(text) if start < one.end and one.start < end)


def _leaves(value: Any) -> Iterator[str]:
    """All strings in a JSON value, names and whole numbers too, without recursion, since callers choose the depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str | int):
            yield str(item)
        elif isinstance(item, Mapping):
            waiting += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            waiting += item


def blotted_json(value: T, found: Found, policy: Policy) -> T:
    """The same JSON value with its strings screened; as it is when nothing was found in them."""
    return _rebuilt(value, found, policy) if any(text in found for text in _leaves(value)) else value


def _rebuilt(value: Any, found: Found, policy: Policy) -> Any:
    if isinstance(value, str | int):
        text = str(value)
        kept = blotted(text, found, policy)
        return value if kept == text else kept
    if isinstance(value, Mapping):
        return {blotted(name, found, policy): _rebuilt(inner, found, policy) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(inner, found, policy) for inner in value]
    return value
