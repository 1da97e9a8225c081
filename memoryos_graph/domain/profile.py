"""The profile: nothing but the facts of a moment, rendered, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from .claim import FactKind
from .fact import Fact, FactStatus
from .statement import USER_KINDS
from .text import is_cjk

ASSISTANT_KINDS = (FactKind.ASSISTANT_KNOWLEDGE, FactKind.ASSISTANT_TRAIT, FactKind.ENVIRONMENT)
_UNCLEAR, _INFERRED = "unclear", "inferred"
_HEADINGS = {
    FactKind.PROFILE: ("Profile", "个人资料"),
    FactKind.KNOWLEDGE: ("Knowledge", "所知"),
    FactKind.TRAIT: ("Traits (inferred)", "特质（推断）"),
    _UNCLEAR: ("Unclear", "存疑"),
    FactKind.ASSISTANT_KNOWLEDGE: ("Assistant", "助手"),
    FactKind.ASSISTANT_TRAIT: ("Assistant traits (inferred)", "助手特质（推断）"),
    FactKind.ENVIRONMENT: ("Environment", "环境"),
}


class Known(Protocol):
    """What a line of the profile is made from."""

    @property
    def fact_id(self) -> str: ...
    @property
    def kind(self) -> FactKind: ...
    @property
    def predicate(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def level(self) -> str | None: ...
    @property
    def status(self) -> FactStatus: ...


K = TypeVar("K", bound=Known)


def in_order(facts: Iterable[K]) -> list[K]:
    """Facts in the order of the profile: by section, then by what they say; always the same."""
    sections = list(_HEADINGS)
    return sorted(facts, key=lambda fact: (sections.index(_section(fact)), fact.predicate, fact.text, fact.fact_id))


def render(facts: Sequence[Known]) -> str:
    """The facts as text in their own words, the assistant's apart; headings in Chinese when most lines are."""
    chinese = 2 * sum(is_cjk(fact.text) for fact in facts) > len(facts)
    lines: list[str] = []
    section = ""
    for fact in in_order(facts):
        if _section(fact) != section:
            section = _section(fact)
            lines += ["", f"{_HEADINGS[section][chinese]}:"]
        lines.append(f"- {' '.join(fact.text.split())}{_level(fact)}")
    return "\n".join(lines).strip()


def difference(before: Iterable[K], after: Iterable[K]) -> tuple[list[K], list[K]]:
    """Facts of `after` that `before` lacks, and the other way round; a newer version of the same words is no change."""
    earlier, later = list(before), list(after)
    old, new = {_words(fact) for fact in earlier}, {_words(fact) for fact in later}
    return (
        in_order(fact for fact in later if _words(fact) not in old),
        in_order(fact for fact in earlier if _words(fact) not in new),
    )


def changes(before: Mapping[str, Fact], after: Mapping[str, Fact]) -> tuple[list[str], list[str]]:
    """Ids of the facts about the user that became current, and of those that are so no longer."""
    was, now = ({i for i, fact in facts.items() if _current(fact)} for facts in (before, after))
    return sorted(now - was), sorted(was - now)


def _current(fact: Fact) -> bool:
    return fact.status is FactStatus.CURRENT and fact.kind in USER_KINDS


def _section(fact: Known) -> str:
    return _UNCLEAR if fact.status is FactStatus.CONFLICTED else fact.kind


def _level(fact: Known) -> str:
    return f" ({fact.level}, {_INFERRED})" if fact.level else ""


def _words(fact: Known) -> tuple[str, ...]:
    return (fact.kind, fact.predicate, fact.text, (fact.status == FactStatus.CONFLICTED and _UNCLEAR) or "")
