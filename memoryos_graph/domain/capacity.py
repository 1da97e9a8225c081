"""What leaves the default memory when a limit is passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from .heat import Heat


@dataclass(frozen=True, kw_only=True)
class Held:
    """A segment that counts: its heat now, and the run that made it."""

    segment_id: str
    heat: Heat
    made_by: str | None


@dataclass(frozen=True, kw_only=True)
class HeldFact:
    """A current fact that counts; `used_at` is None as long as no answer has used it."""

    fact_id: str
    support: int
    used_at: datetime | None
    pinned: bool


def coldest(held: Sequence[Held], capacity: int, most: int) -> list[Held]:
    """The segments over the capacity, coldest first, at most `most`; never the newest, nor one made together with it.

    0 is no limit. Source: design.md 4.6; cases U08 and U09.
    """
    over = len(held) - capacity if capacity else 0
    if over <= 0:
        return []
    newest = max(held, key=lambda s: s.segment_id)
    just_made = {s.segment_id for s in held if s.made_by is not None and s.made_by == newest.made_by}
    old = [s for s in held if s.segment_id not in just_made | {newest.segment_id}]
    return sorted(old, key=lambda s: (s.heat.total, s.segment_id))[: min(over, most)]


def least_known(held: Iterable[HeldFact], capacity: int, most: int) -> list[HeldFact]:
    """The facts of one kind over the capacity: least supported, then longest unused, then oldest; never pinned ones."""
    facts = list(held)
    over = len(facts) - capacity if capacity else 0
    loose = [fact for fact in facts if not fact.pinned]
    ranked = sorted(loose, key=lambda f: (f.support, f.used_at is not None, f.used_at or 0, f.fact_id))
    return ranked[: max(0, min(over, most))]
