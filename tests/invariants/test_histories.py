"""Random histories on the real database: after each step the invariants hold, and a plain model predicts every fact."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memoryos_graph import MemoryService
from memoryos_graph.contract import FactOut
from memoryos_graph.domain.claim import Stance
from memoryos_graph.domain.page import PageState

from ..conftest import FakeClock
from ..graph import ask, assert_invariants
from ..pipeline.said import Said
from .plain_memory import CITY, LIKES, Word, believe

SAYINGS = {
    "I live in Oslo": ("state", CITY, "Oslo"),
    "I live in Rome": ("state", CITY, "Rome"),
    "I like jazz": ("state", LIKES, "jazz"),
    "I like tea": ("state", LIKES, "tea"),
    "I don't like jazz any more": ("end", LIKES, "jazz"),
    "What a day! 👩‍👩‍👧": None,
    "The cat e\u0301 sleeps.\r\nStill.": None,
}
WAIT = "While it rains"
SAY = st.tuples(
    st.just("say"),
    st.lists(st.tuples(st.sampled_from(list(SAYINGS)), st.sampled_from("ab")), min_size=1, max_size=5),
)
WORK = st.tuples(st.sampled_from(["index", "migrate", "all", "settle", "restart", "reread", "import"]), st.just(0))
DECIDE = st.tuples(st.sampled_from(["correct", "change", "retract", "restore", "confirm", "pin"]), st.integers(0, 9))
FORGET = st.tuples(
    st.sampled_from(["page", "fact", "redact", "words", "conversation", "times", "everything"]), st.integers(0, 9)
)
HISTORY = st.lists(st.one_of(SAY, SAY, WORK, DECIDE, DECIDE, FORGET), min_size=3, max_size=12)
FIXED = settings(
    max_examples=25,
    derandomize=True,
    phases=[Phase.generate],  # a history takes seconds: to shrink one would take hours
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.engine
@pytest.mark.timeout(900)
@FIXED
@given(history=HISTORY)
async def test_histories(service: MemoryService, clock: FakeClock, history: list[tuple[str, Any]]) -> None:
    await _live(service, clock, history)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@settings(FIXED, max_examples=200)
@given(history=HISTORY)
async def test_many_histories(service: MemoryService, clock: FakeClock, history: list[tuple[str, Any]]) -> None:
    await _live(service, clock, history)


async def _live(service: MemoryService, clock: FakeClock, history: list[tuple[str, Any]]) -> None:
    user_id = f"history-{uuid.uuid4().hex}"
    life = Life(service, clock, user_id, Said(service, user_id))
    for kind, detail in [*history, ("settle", 0)]:
        clock.move(hours=7)
        await life.step(kind, detail)
        await assert_invariants(service, user_id)
    await life.check_pages()
    if life.turns:
        assert (await life.said.memory.verify_audit()).ok


@dataclass
class Turn:
    """What was told, as a caller would import it again."""

    body: dict[str, Any]
    page_id: str
    redacted: bool = False


@dataclass
class Life:
    """One user, beside what should be remembered of them."""

    service: MemoryService
    clock: FakeClock
    user_id: str
    said: Said
    words: list[Word] = field(default_factory=list)
    turns: dict[str, Turn] = field(default_factory=dict)
    forgotten: list[dict[str, Any]] = field(default_factory=list)
    fresh: int = 0

    async def step(self, kind: str, detail: Any) -> None:
        """One step of a history; what has nothing to work on is skipped."""
        if kind == "say":
            await self._say(detail)
        elif kind in ("index", "migrate", "all"):
            await self.said.memory.maintain(kind, force=False)
        elif kind in ("settle", "restart", "reread", "import"):
            await getattr(self, f"_{kind}")()
        elif kind in ("page", "fact", "redact", "words", "conversation", "times", "everything"):
            await self._forget(kind, detail)
        else:
            await self._decide(kind, detail)

    async def _say(self, sayings: list[tuple[str, str]]) -> None:
        bodies = []
        for text, conversation in sayings:
            self.fresh += 1
            self.clock.move(minutes=1)
            told = f"{text}. {WAIT} zx{self.fresh}q"
            about = SAYINGS[text]
            self.said.provider.claims[told] = [_claim(text, *about)] if about else []
            bodies.append(
                {
                    "id": f"t{self.fresh}",
                    "user_input": told,
                    "assistant_response": "I see.",
                    "conversation_id": conversation,
                    "event_time": self.clock.now().isoformat(),
                }
            )
        for body, stored in zip(bodies, await self.said.memory.remember(bodies), strict=True):
            self.turns[stored.page_id] = Turn(body, stored.page_id)
            if about := SAYINGS[body["user_input"].split(". ")[0]]:
                kind, topic, value = about
                at = (await self.said.memory.turn(stored.page_id)).event_time
                self.words.append(Word(stored.page_id, at, kind, topic, value, conversation_id=body["conversation_id"]))

    async def _settle(self) -> None:
        """Do all work, then compare every fact."""
        await self.said.memory.maintain("all", force=True)
        await self.check_facts()

    async def _restart(self) -> None:
        claims = self.said.provider.claims
        self.said = Said(self.service, self.user_id)
        self.said.provider.claims = claims

    async def _reread(self) -> None:
        """I9: what was read is read again."""
        await self.said.memory.maintain("all", force=True)
        await ask(
            self.service,
            """MATCH (p:Page {user_id: $user_id})-[m:IN_SEGMENT]->(s:Segment) REMOVE m.analysed_run
               WITH s, count(m) AS n SET s.n_unread = n, s.unread_since = $now""",
            user_id=self.user_id,
            now=self.clock.now(),
        )
        await self._settle()

    async def _import(self) -> None:
        """I9: everything that was ever told is told again, word by word."""
        for body in [*(turn.body for turn in self.turns.values() if not turn.redacted), *self.forgotten]:
            (again,) = await self.said.memory.remember([body])
            assert not again.created
        for body in self.forgotten:
            (again,) = await self.said.memory.remember([body])
            assert again.state is PageState.FORGOTTEN
        await self._settle()

    async def _decide(self, kind: str, n: int) -> None:
        await self._settle()
        facts = await self.facts()
        wanted = ("retracted",) if kind == "restore" else ("current",)
        fact = _pick([f for f in facts if f.status in wanted and f.superseded_by == []], n)
        if fact is None:
            return
        memory = self.said.memory
        if kind == "pin":
            assert (await memory.pin(fact.fact_id)).fact.pinned
            return
        if kind in ("correct", "change"):
            self.fresh += 1
            value = f"New{self.fresh}"
            verb = memory.correct if kind == "correct" else memory.change
            done = await verb(fact.fact_id, object=value, version=fact.version)
        else:
            verbs: dict[str, Callable[..., Awaitable[Any]]] = {
                "retract": memory.retract, "restore": memory.restore, "confirm": memory.confirm,
            }  # fmt: skip
            value, done = fact.object, await verbs[kind](fact.fact_id, version=fact.version)
        page_id = done.event.ids[-1]
        page = await memory.turn(page_id)
        since, until = self._window(kind, fact, facts)
        self.words.append(
            Word(
                page_id=page_id,
                at=page.event_time,
                kind=kind,
                topic=fact.predicate,
                value=value,
                target=fact.object if kind in ("correct", "change") else "",
                since=since,
                until=until,
                about=tuple(self._words_of(fact)),
                conversation_id=page.conversation_id,
            )
        )
        await self.check_facts()

    def _window(self, kind: str, fact: FactOut, facts: list[FactOut]) -> tuple[Any, Any]:
        """Which of several times of one value a decision means."""
        if kind == "restore":
            return fact.valid_from, fact.valid_to
        alike = [
            f for f in facts if f.fact_id != fact.fact_id and (f.predicate, f.object) == (fact.predicate, fact.object)
        ]
        earlier = any(f.valid_from < fact.valid_from for f in alike)
        later = fact.valid_to is not None and any(f.valid_from >= fact.valid_to for f in alike)
        return (fact.valid_from if earlier else None), (fact.valid_to if later else None)

    def _words_of(self, fact: FactOut) -> list[Word]:
        pages = {source.page_id for source in (*fact.sources, *fact.ends)}
        return [word for word in self.words if word.page_id in pages and word.topic == fact.predicate]

    async def _forget(self, selector: str, n: int) -> None:
        memory = self.said.memory
        if selector in ("fact", "redact"):
            fact = _pick([f for f in await self.facts() if f.status != "proposed"], n)
            if fact is None:
                return None
            plan = await memory.forget(facts=[fact.fact_id], redact=selector == "redact")
            gone = self._words_of(fact)
            blackened = {word.page_id for word in gone} if selector == "redact" else set()
            await memory.confirm_forget(plan.plan_id)
            self.words = [word for word in self.words if word not in gone]
            for page_id in blackened & self.turns.keys():
                self.turns[page_id].redacted = True
            return await self._settle()
        chosen = self._selection(selector, n)
        if chosen is None:
            return None
        asked, pages = chosen
        plan = await memory.forget(**asked)
        await memory.confirm_forget(plan.plan_id)
        self.words = [word for word in self.words if word.page_id not in pages]
        self.forgotten += [turn.body for page_id, turn in self.turns.items() if page_id in pages and not turn.redacted]
        self.turns = {page_id: turn for page_id, turn in self.turns.items() if page_id not in pages}
        return await self._settle()

    def _selection(self, selector: str, n: int) -> tuple[dict[str, Any], set[str]] | None:
        """What a forget asks for, and the pages it means; decisions are pages too."""
        decided = {w.page_id: (w.conversation_id, w.at) for w in self.words if w.page_id not in self.turns}
        turn = _pick(list(self.turns.values()), n)
        if turn is None:
            return None
        if selector == "page":
            pages = [*self.turns, *decided]
            return {"pages": [pages[n % len(pages)]]}, {pages[n % len(pages)]}
        if selector == "words":
            return {"query": turn.body["user_input"].rsplit(" ", 1)[1]}, {turn.page_id}
        if selector == "conversation":
            name = turn.body["conversation_id"]
            told = {i for i, one in self.turns.items() if one.body["conversation_id"] == name}
            return {"conversation_id": name}, told | {
                i for i, (conversation, _) in decided.items() if conversation == name
            }
        if selector == "times":
            at = turn.body["event_time"]
            told = {i for i, one in self.turns.items() if one.body["event_time"] >= at}
            return {"since": at}, told | {i for i, (_, when) in decided.items() if when.isoformat() >= at}
        return {"everything": True}, {*self.turns, *decided}

    async def facts(self) -> list[FactOut]:
        """All facts that are not older versions of others, in the order of their making."""
        items = (await self.said.memory.facts(status=None, limit=500)).items
        found = [f for f in items if f.status == "retracted" or f.retired_at is None]
        return sorted(found, key=lambda fact: (fact.recorded_at, fact.fact_id))

    async def check_facts(self) -> None:
        """Every fact's state, interval, sources and ends are what the plain model says."""
        wanted, found = believe(self.words), await self.facts()
        believed = [_shown(fact) for fact in found if fact.retired_at is None]
        assert _sorted(believed) == _sorted(belief.shown() for belief in wanted.facts)
        withdrawn = {(f.predicate, f.object, s.page_id) for f in found if f.retired_at for s in f.sources}
        assert withdrawn == wanted.withdrawn

    async def check_pages(self) -> None:
        """Every turn that was told and not forgotten is there once, and no other."""
        found = (await self.said.memory.turns(limit=500)).items if self.turns else []
        told = [turn for turn in found if turn.origin == "conversation"]
        assert sorted(turn.page_id for turn in told) == sorted(self.turns)
        for turn in told:
            if not self.turns[turn.page_id].redacted:
                assert turn.user_input == self.turns[turn.page_id].body["user_input"]
        if self.turns:
            assert (await self.said.memory.stats()).pages["stm"] <= self.service.ctx.settings.short_term_capacity


def _claim(quote: str, kind: str, topic: str, value: str) -> dict[str, Any]:
    stance = Stance.ENDS if kind == "end" else Stance.STATES
    return {"predicate": topic, "object": value, "quote": quote, "stance": stance}


def _pick(items: list[Any], n: int) -> Any:
    return items[n % len(items)] if items else None


def _shown(fact: FactOut) -> tuple[object, ...]:
    sources, ends = ({source.page_id for source in part} for part in (fact.sources, fact.ends))
    return (fact.predicate, fact.object, fact.status, fact.valid_from, fact.valid_to, sorted(sources), sorted(ends))


def _sorted(shown: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted(shown, key=str)
