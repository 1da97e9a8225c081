"""What each policy lets into short-term, mid-term and long-term memory, prompts and exports: 200 sentences, by a model
that makes a fact of every one of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

import pytest

from memoryos_graph import MemoryService, UserMemory
from memoryos_graph.contract import FactOut
from memoryos_graph.demo.scenario import Request, says
from memoryos_graph.llm.openai_provider import OpenAIProvider
from memoryos_graph.scheduler.worker import Worker

from ..conftest import FakeClock
from ..graph import assert_invariants, everything_stored
from ..model_server import Scene
from .sentences import ORDINARY, SENSITIVE

SECRETS = [words for kind, _, words in SENSITIVE if kind == "credentials"]
CLASSES = sorted({kind for kind, _, _ in SENSITIVE})


def _everything_is_a_fact(request: Request) -> str:
    return json.dumps({"claims": [_claim(int(page.page_id), page.user_input) for page in request.pages]})


def _one_topic(request: Request) -> str:
    numbers = sorted({int(page.page_id) for page in request.pages})
    pages = [{"page": number, "continues": False, "summary": "Something about life."} for number in numbers]
    return json.dumps({"pages": pages, "topics": [{"summary": "Life", "keywords": ["life"], "pages": numbers}]})


def _claim(page: int, words: str) -> dict[str, object]:
    told = {"page": page, "speaker": "user", "quote": words, "kind": "knowledge", "subject": "user"}
    return told | {"predicate": "noted", "object": words, "text": f"The user said: {words}", "stance": "states"}


@dataclass
class Kept:
    """Where a user's words are, after everything was done with them."""

    pages: str
    mtm: str
    facts: list[FactOut]
    waiting: list[FactOut]
    prompts: str
    export: str


@pytest.fixture
def by_model(service: MemoryService, model_provider: OpenAIProvider, model_server: Scene) -> MemoryService:
    """A service whose model makes one topic of all pages and a fact of each, with room for all in a few calls."""
    model_server.scenario.when(says(_everything_is_a_fact), kind="propose_claims")
    model_server.scenario.when(says(_one_topic), kind="read_batch")
    sizes = {"short_term_capacity": 100, "migration_batch": 100, "promotion_batch": 200, "segment_max_pages": 400}
    settings = service.ctx.settings.model_copy(update={**sizes, "knowledge_capacity": 0})
    ctx = replace(service.ctx, provider=model_provider, settings=settings)
    return MemoryService(ctx, Worker(ctx))


async def _lived_through(service: MemoryService, memory: UserMemory, model_server: Scene, sentences: list[str]) -> Kept:
    for start in range(0, len(sentences), 50):
        await memory.remember([{"user_input": one} for one in sentences[start : start + 50]])
    await memory.maintain()
    await memory.answer("What did I say about my life?", store=False)
    shown = "\n".join(request.text for request in model_server.scenario.requests())
    pages = [row["text"] for row in await _pages(service, memory.user_id)]
    mtm = [row["text"] for row in await _pages(service, memory.user_id) if row["tier"] == "mtm"]
    export = b"".join([piece async for piece in memory.export()]).decode()
    facts = (await memory.facts(limit=500)).items
    waiting = (await memory.facts(status="proposed", limit=500)).items
    return Kept("\n".join(pages), "\n".join(mtm), facts, waiting, shown, _unescaped(export))


def _unescaped(export: str) -> str:
    return _words("\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in export.splitlines() if line))


def _words(text: str) -> str:
    """A text without ids and hashes, which may hold any digits by chance."""
    return re.sub(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|u?[0-9a-f]{32,}q?", "", text)


async def _pages(service: MemoryService, user_id: str) -> list[dict[str, str]]:
    query = "MATCH (p:Page {user_id: $id}) RETURN p.user_input AS text, p.tier AS tier"
    return await service.ctx.store.connection.statement(query, id=user_id)


def _told(facts: list[FactOut]) -> str:
    return "\n".join(fact.text for fact in facts)


async def test_by_default_no_secret_is_kept_and_beliefs_wait_to_be_confirmed(
    by_model: MemoryService, user_id: str, model_server: Scene
) -> None:
    memory = by_model.user(user_id)
    kept = await _lived_through(by_model, memory, model_server, [*(one for _, one, _ in SENSITIVE), *ORDINARY])
    stored = _words(await everything_stored(by_model, user_id))
    for secret in SECRETS:
        for place in (kept.pages, kept.mtm, _told(kept.facts), _told(kept.waiting), kept.prompts, kept.export, stored):
            assert secret not in place, secret
    believed, waiting = _told(kept.facts), _told(kept.waiting)
    for kind, sentence, _ in SENSITIVE:
        if kind in ("political", "religious", "sexual"):
            assert sentence in waiting
            assert sentence not in believed
        elif kind != "credentials":
            assert sentence in believed
            assert sentence in kept.prompts
    assert all(sentence in believed for sentence in ORDINARY)
    found = {fact.text: fact.sensitivity for fact in [*kept.facts, *kept.waiting]}
    assert all(found[f"The user said: {one}"] == "none" for one in ORDINARY)
    assert {found[f"The user said: {one}"] for kind, one, _ in SENSITIVE if kind == "health"} == {"health"}
    await assert_invariants(by_model, user_id)


@pytest.mark.parametrize("action", ["store", "redact", "never", "session_only", "ask"])
async def test_each_action_decides_for_every_class_what_enters_where(
    by_model: MemoryService, user_id: str, model_server: Scene, clock: FakeClock, action: str
) -> None:
    memory = by_model.user(user_id)
    await memory.set_policy(classes=dict.fromkeys(CLASSES, action))
    chosen = SENSITIVE[::3] + [one for one in SENSITIVE if one[0] == "credentials"][::2]
    sentences = list(dict.fromkeys([*(one for _, one, _ in chosen), *ORDINARY[::10]]))
    kept = await _lived_through(by_model, memory, model_server, sentences)
    believed, waiting = _told(kept.facts), _told(kept.waiting)
    for _, sentence, words in chosen:
        in_pages, in_mtm = words in kept.pages, words in kept.mtm
        in_prompts, in_export = words in kept.prompts, words in kept.export
        where = (in_pages, in_mtm, sentence in believed, sentence in waiting, in_prompts, in_export)
        expected = {
            "store": (True, True, True, False, True, True),
            "ask": (True, True, False, True, True, True),
            "redact": (False, False, False, False, False, False),
            "never": (False, False, False, False, False, False),
            "session_only": (True, False, False, False, None, True),  # prompts: of the answer, while the session lasts
        }[action]
        assert where[:4] == expected[:4], sentence
        assert expected[4] is None or where[4] == expected[4], sentence
        assert where[5] == expected[5], sentence
        if action == "never":
            assert sentence[:6] not in kept.pages, sentence
    assert all(one in believed for one in ORDINARY[::10])
    if action == "session_only":
        asked = model_server.scenario.requests("propose_claims") + model_server.scenario.requests("read_batch")
        assert not any(words in request.text for request in asked for _, _, words in chosen)
        clock.move(hours=5)
        await memory.work()
        left = _words(await everything_stored(by_model, user_id))
        assert not any(words in left for _, _, words in chosen)
        assert {receipt.reason_code for receipt in (await memory.receipts()).items} == {"expired"}
        assert all(one in left for one in ORDINARY[::10])
    await assert_invariants(by_model, user_id)


@pytest.mark.parametrize("mode", ["session_only", "never_long_term"])
async def test_the_mode_of_a_user_holds_for_turns_that_name_none(
    by_model: MemoryService, user_id: str, model_server: Scene, mode: str
) -> None:
    memory = by_model.user(user_id)
    await memory.set_policy(remember=mode)
    kept = await _lived_through(by_model, memory, model_server, ORDINARY[::10])
    assert all(one in kept.pages for one in ORDINARY[::10])
    assert (kept.facts, kept.waiting) == ([], [])
    assert bool(kept.mtm) is (mode == "never_long_term")
    assert {turn.remember for turn in (await memory.turns()).items} == {mode}
    assert model_server.scenario.count("propose_claims") == 0
