"""A sheet of facts and traits with their words, for a person to judge."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ..contract import FactOut
from ..user_memory import UserMemory

QUESTIONS = ("the quote says so", "true of the user", "worth keeping")


async def sample(user: UserMemory, size: int, seed: int = 1) -> list[FactOut]:
    """At most so many facts that are current or proposed, half of them traits as far as there are; the same for a seed.

    Lists all facts of the user.
    """
    found: list[FactOut] = []
    for status in ("current", "proposed"):
        cursor: str | None = None
        while True:
            page = await user.facts(status=status, limit=500, cursor=cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
    rng = random.Random(seed)
    ordered = sorted(found, key=lambda fact: fact.fact_id)
    traits = [fact for fact in ordered if fact.kind == "trait"]
    others = [fact for fact in ordered if fact.kind != "trait"]
    of_traits = min(len(traits), max(size // 2, size - len(others)))
    return rng.sample(traits, of_traits) + rng.sample(others, min(len(others), size - of_traits))


def sheet(user_id: str, facts: Sequence[FactOut], seed: int = 1) -> str:
    """The sheet in Markdown: a paragraph for each, with boxes to tick."""
    head = f"# Review of {_plain(user_id)}\n\n{len(facts)} statements, sample {seed}. Tick what holds.\n"
    return head + "".join(_entry(number, fact) for number, fact in enumerate(facts, 1))


def _entry(number: int, fact: FactOut) -> str:
    level = f", {fact.level}" if fact.level else ""
    lines = [f"\n## {number}. {_plain(fact.text)}\n", f"{fact.kind}{level}, {fact.status}, `{fact.fact_id}`\n"]
    lines += [f"> {source.event_time:%Y-%m-%d}, {source.speaker}: “{_plain(source.quote)}”" for source in fact.sources]
    if fact.reason:
        lines.append(f">\n> reason given: {_plain(fact.reason)}")
    lines.append("\n" + "\n".join(f"- [ ] {question}" for question in QUESTIONS) + "\n- note:")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())
