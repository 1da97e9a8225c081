"""What a user should be believed to have said, worked out from scratch in the plainest way: the oracle of histories.

Two kinds of facts are enough: where one lives (one value at a time), and what one likes (each object for itself). It
knows nothing of the code: only what was said and decided, in order, without what was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

CITY, LIKES = "lives_in", "likes"


@dataclass(eq=False)
class Word:
    """One thing said or decided, on one page. `about` are the words of the fact that a decision is about."""

    page_id: str
    at: datetime
    kind: str  # state, end, correct, change, retract, restore, confirm
    topic: str
    value: str
    target: str = ""
    since: datetime | None = None
    until: datetime | None = None
    about: tuple[Word, ...] = ()
    conversation_id: str = ""

    def means(self, begins: datetime) -> bool:
        return (self.since is None or self.since <= begins) and (self.until is None or begins < self.until)


@dataclass(eq=False)
class Belief:
    """A fact as it should be."""

    topic: str
    value: str
    begins: datetime
    until: datetime | None = None
    words: list[Word] = field(default_factory=list)
    ends: list[Word] = field(default_factory=list)

    def shown(self) -> tuple[object, ...]:
        status = "superseded" if self.until else "current"
        pages, ends = ({word.page_id for word in words} for words in (self.words, self.ends))
        return (self.topic, self.value, status, self.begins, self.until, sorted(pages), sorted(ends))


@dataclass
class Believed:
    """What holds or held, and what is withdrawn: by value and page."""

    facts: list[Belief]
    withdrawn: set[tuple[str, str, str]]


def believe(words: Sequence[Word]) -> Believed:
    """Work everything out from all words that are not forgotten."""
    said = sorted(words, key=lambda word: word.at)
    begins = {word: word.at for word in said}
    denied = _denied(said, begins)
    holding = [word for word in said if word not in denied and word.kind != "retract"]
    facts = _through_time([w for w in holding if w.topic == CITY], begins, lambda word: CITY)
    likes = [w for w in holding if w.topic == LIKES]
    changed = [w for w in said if w.topic == LIKES and w.kind == "change" and _known(w, said)]
    changed = [w for w in changed if w not in denied or _put_right(w, denied[w], said)]  # then another took the place
    facts += _through_time(likes, begins, lambda word: word.value, changed)
    withdrawn = {(word.topic, word.value, word.page_id) for word in denied if word.kind != "end"}
    return Believed(facts, withdrawn)


def _put_right(word: Word, by: Word, said: Sequence[Word]) -> bool:
    """Whether a word is denied by a correction, or by what lets one hold again."""
    corrections = [w for w in said if w.kind == "correct" and (w.target, w.value) == (word.value, by.value)]
    return by.kind == "correct" or (by.kind == "restore" and bool(corrections))


def _denied(said: Sequence[Word], begins: dict[Word, datetime]) -> dict[Word, Word]:
    """What was never so, by the decision that says it; each decision works on what was said before it."""
    denied: dict[Word, Word] = {}
    earlier: dict[Word, dict[Word, Word]] = {}
    for now, decision in enumerate(said):
        before = [word for word in said[:now] if word.topic == decision.topic]
        stated = [word for word in before if word.kind not in ("end", "retract") and decision.means(begins[word])]
        own = [word for word in stated if word.value == decision.value]
        if decision.kind == "correct" and _known(decision, said):
            wrong = [word for word in stated if word.value == decision.target and word not in denied]
            _take_over(decision, wrong, begins)
            denied |= dict.fromkeys(wrong, decision)
        elif decision.kind == "retract":
            denied = _without(denied, own, earlier) | dict.fromkeys(own, decision)
        elif decision.kind in ("restore", "confirm"):
            _take_over(decision, own, begins)
            if decision.kind == "confirm" and decision.topic == CITY and own:
                denied |= dict.fromkeys(_held_instead(decision, before, begins, denied), decision)
            if decision.kind == "restore":
                earlier[decision] = dict(denied)
                denied = {word: by for word, by in denied.items() if word not in own}
                while wrong := _denied_by_restoring(decision, before, own, begins, denied):
                    if decision.topic == CITY and not own:
                        _take_over(decision, wrong, begins)
                    denied = _without(denied, wrong, earlier, elsewhere=decision.topic == CITY)
                    denied |= dict.fromkeys(wrong, decision)
    return denied


def _without(
    denied: dict[Word, Word],
    undone: Sequence[Word],
    earlier: dict[Word, dict[Word, Word]],
    *,
    elsewhere: bool = True,
) -> dict[Word, Word]:
    """What is denied when some decisions are undone: what they had denied is as before, also of other things or not."""
    back = {w: by for w, by in denied.items() if by in undone and (elsewhere or w.value == by.value)}
    before = {w: earlier[by][w] for w, by in back.items() if w in earlier.get(by, {})}
    kept = {w: by for w, by in denied.items() if w not in back}
    return kept | {w: by for w, by in before.items() if by not in undone}


def _held_instead(
    decision: Word, before: Sequence[Word], begins: dict[Word, datetime], denied: dict[Word, Word]
) -> list[Word]:
    """What was believed of the city when another one was confirmed."""
    holding = [word for word in before if word not in denied and word.kind != "retract"]
    held = [b for b in _through_time(holding, begins, lambda word: CITY) if b.until is None]
    return [word for belief in held if belief.value != decision.value for word in belief.words]


def _denied_by_restoring(
    decision: Word, before: Sequence[Word], own: Sequence[Word], begins: dict[Word, datetime], denied: dict[Word, Word]
) -> list[Word]:
    """What can't be so when something is so after all: other values of its time, its ends, and what it had replaced."""
    since = [word for word in before if decision.means(begins[word]) and word not in denied and word.kind != "retract"]
    if decision.topic == CITY:
        wrong = [word for word in since if word.value != decision.value]
    else:
        wrong = [word for word in since if word.kind == "end" and word.value == decision.value]
        wrong += [word for word in since if word.target == decision.value]
        instead = {word.value for word in before if word.target == decision.value and decision.means(begins[word])}
        wrong += [word for word in since if word.kind == "restore" and word.value in instead]
        for mine in [word for word in own if word.kind in ("correct", "change")]:
            wrong += [word for word in since if word.value == mine.target and word.kind == "restore"]
            if mine.kind == "correct":
                wrong += [w for w in since if w.value == mine.target and w.kind != "end" and w.at < mine.at]
    return wrong


def _take_over(decision: Word, words: Sequence[Word], begins: dict[Word, datetime]) -> None:
    if words:
        begins[decision] = min(begins[word] for word in words)


def _known(decision: Word, said: Sequence[Word]) -> bool:
    """Whether anything is left of what a decision names."""
    return any(word in said for word in decision.about)


def _through_time(
    words: Sequence[Word],
    begins: dict[Word, datetime],
    place_of: Callable[[Word], str],
    changed: Sequence[Word] = (),
) -> list[Belief]:
    """Let words have their effect in the order of the world: one value at a time in each place."""
    events = [(begins[word], word.at, word, word.kind == "end", place_of(word)) for word in words]
    events += [(begins[word], word.at, word, True, word.target) for word in changed]
    found: list[Belief] = []
    holding: dict[str, Belief] = {}
    for at, _, word, is_end, place in sorted(events, key=lambda event: event[:2]):
        now = holding.get(place)
        if is_end:
            if now:
                holding.pop(place).until = at
                now.ends += [word] if word.kind == "end" else []
            continue
        if now and now.value != word.value:
            now.until, now = at, None
        if now is None:
            now = holding[place] = Belief(word.topic, word.value, at)
            found.append(now)
        now.words.append(word)
    return found
