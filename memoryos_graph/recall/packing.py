"""Which items fit a budget of tokens, whole or shortened, and what had to stay out. Pure but for the counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..contract import ContextCut
from ..llm.nearness import Nearness
from ..llm.parts import ORDER, Item, Part, Passage, row_text
from ..llm.tokens import BYTES_OF_ONE, TokenCounter

SHARES: Mapping[Part, float] = {"persona": 0.2, "evidence": 0.45, "recent": 0.35}
LAST = 10**6  # the rank of what was not found
REST: tuple[Part, ...] = ("evidence", "recent", "persona")
MOST_OF_REST = 0.5  # and of what is left then, before it gets all of it
FRAME_TOKENS = 30  # what stands around the items
LEAST_TOKENS = 60  # an item that gets less than this says nothing
MOST_OF_SHARE = 0.5  # one item takes at most so much of the share of its part before the others had their turn
_ANY_MARKER = 888  # markers are given last; none is longer in tokens


@dataclass
class Packed:
    """The items that fit, by part in their order of importance, with their tokens by id, and what was cut."""

    items: dict[Part, list[Item]]
    tokens: dict[str, int] = field(default_factory=dict)
    cuts: list[ContextCut] = field(default_factory=list)


def pack(wanted: Mapping[Part, Sequence[Item]], budget: int, near: Nearness, counter: TokenCounter) -> Packed:
    """Fill each part up to its share, most important first, then give what is left to what was found, best first.

    `wanted` is in order of importance. What does not fit whole is shortened to the sentences around the one nearest to
    the question, unless less than 60 tokens are left for it. Every item is either shown or reported.
    """
    packing = _Packing(near, counter, budget - FRAME_TOKENS)
    for part in ORDER:
        share = min(int(SHARES[part] * budget), packing.left)
        for item in wanted.get(part, ()):
            share -= packing.offer(item, share, int(MOST_OF_SHARE * SHARES[part] * budget))
    best_first = sorted((item for part in REST for item in wanted.get(part, ())), key=lambda item: item.rank or LAST)
    for at_once in (MOST_OF_REST, 1.0):
        for item in best_first:
            packing.offer(item, packing.left, int(at_once * packing.left))
    return packing.done(wanted)


class _Packing:
    def __init__(self, near: Nearness, counter: TokenCounter, room: int) -> None:
        self._near = near
        self._counter = counter
        self.left = room
        self._taken: dict[str, Item] = {}
        self._tokens: dict[str, int] = {}
        self._whole: dict[str, int] = {}

    def offer(self, item: Item, room: int, most: int) -> int:
        """Take an item, or up to `most` tokens more of it than before, within `room`; gives the tokens it took on top.

        Less than 60 tokens more of what is shown already are not worth a change.
        """
        had = self._tokens.get(item.id, 0)
        if item.id in self._taken and not self._taken[item.id].shortened:
            return 0
        more = min(room, max(most, LEAST_TOKENS), self.left)
        if more < LEAST_TOKENS:
            return 0
        limit = had + more
        item = replace(item, marker=_ANY_MARKER)
        tokens = self._count(item, limit)
        if tokens > limit:
            item, tokens = self._shorten(item, limit)
        if tokens > limit or tokens <= had:
            return 0
        self._taken[item.id], self._tokens[item.id] = item, tokens
        self.left -= tokens - had
        return tokens - had

    def done(self, wanted: Mapping[Part, Sequence[Item]]) -> Packed:
        """What was taken, in the order that was wanted, and what was not."""
        packed = Packed({part: [] for part in ORDER}, self._tokens)
        for part in ORDER:
            for item in wanted.get(part, ()):
                taken = self._taken.get(item.id)
                if taken is not None:
                    packed.items[part].append(taken)
                if taken is None or taken.shortened:
                    cut = ContextCut(
                        part=part,
                        kind=item.kind,
                        id=item.id,
                        reason="left_out" if taken is None else "shortened",
                        tokens=self._in_full(item),
                    )
                    packed.cuts.append(cut)
        return packed

    def _count(self, item: Item, limit: int) -> int:
        """Tokens of an item with what joins it to the next; a rough count is enough far beyond the limit."""
        text = row_text(item)
        if len(text) > limit * BYTES_OF_ONE:
            return max(limit + 1, len(text) // 4)
        return self._counter.count(text) + 3

    def _in_full(self, item: Item) -> int:
        return self._count(replace(item, marker=_ANY_MARKER), 10_000)

    def _shorten(self, item: Item, limit: int) -> tuple[Item, int]:
        if item.kind == "fact":
            return self._fewer_quotes(item, limit)
        for part_of_room in (1.0, 0.8, 0.5):  # marks that JSON adds are not in the words' own count
            room = int((limit - self._count(replace(item, passages=(), shortened=True), limit)) * part_of_room)
            shown = replace(item, passages=self._windows(item.passages, room), shortened=True)
            tokens = self._count(shown, limit)
            if shown.passages and tokens <= limit:
                return shown, tokens
        return item, limit + 1

    def _fewer_quotes(self, item: Item, limit: int) -> tuple[Item, int]:
        """A fact keeps its newest quote at least: without any nobody could see where it comes from."""
        shown, tokens = item, limit + 1
        while len(shown.passages) > 1 and tokens > limit:
            shown = replace(shown, passages=shown.passages[:-1], shortened=True)
            tokens = self._count(shown, limit)
        return shown, tokens

    def _windows(self, passages: Sequence[Passage], room: int) -> tuple[Passage, ...]:
        """Of each side what fits, the side nearest to the question first; in the order of the page."""
        shown: list[Passage] = []
        for passage in sorted(passages, key=lambda p: -self._nearest(p)):
            if room < 10:
                break
            start, end = self._window(passage.text, room - 8)
            cut = replace(passage, start=passage.start + start, end=passage.start + end, text=passage.text[start:end])
            if cut.text.strip():
                shown.append(cut)
                room -= self._counter.count(cut.text) + 8
        return tuple(sorted(shown, key=lambda p: passages.index(next(q for q in passages if q.side == p.side))))

    def _nearest(self, passage: Passage) -> int:
        place, spans = self._near.best(passage.text)
        return self._near.hits(passage.text[slice(*spans[place])])

    def _window(self, text: str, room: int) -> tuple[int, int]:
        """The sentences around the nearest one that fit, or the beginning of that one."""
        place, spans = self._near.best(text)
        first = last = place
        start, end = spans[place]
        if self._over(text[start:end], room):
            return start, start + self._prefix(text[start:end], room)
        grew = True
        while grew:
            grew = False
            for nearer, further in ((first, last + 1), (first - 1, last)):
                if nearer < 0 or further >= len(spans) or (nearer, further) == (first, last):
                    continue
                if not self._over(text[spans[nearer][0] : spans[further][1]], room):
                    first, last, grew = nearer, further, True
        return spans[first][0], spans[last][1]

    def _over(self, text: str, room: int) -> bool:
        return len(text) > room * BYTES_OF_ONE or self._counter.count(text) > room

    def _prefix(self, text: str, room: int) -> int:
        """The length of the longest beginning that fits."""
        low, high = 0, min(len(text), room * BYTES_OF_ONE)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (low, middle - 1) if self._over(text[:middle], room) else (middle, high)
        return low
