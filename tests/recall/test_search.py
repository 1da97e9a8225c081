from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.contract import Hit, SearchResult
from memoryos_graph.errors import InvalidInput, ModelUnavailable
from memoryos_graph.recall.dates import MONTH
from memoryos_graph.recall.fusion import Weights
from memoryos_graph.recall.rereading import TEXT_KEPT
from memoryos_graph.recall.search import FOREIGN

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask

pytestmark = pytest.mark.engine


async def told(memory: UserMemory, *turns: str | TurnIn) -> list[str]:
    """Page ids of turns that are stored and indexed."""
    given = [turn if isinstance(turn, TurnIn) else TurnIn(user_input=turn) for turn in turns]
    stored = [page for n in range(0, len(given), 1000) for page in await memory.remember(given[n : n + 1000])]
    await memory.maintain("index")
    return [page.page_id for page in stored]


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


async def write_fact(service: MemoryService, user_id: str, fact_id: str, text: str, page_id: str, status: str) -> None:
    """A fact as promotion would write it, quoting the whole user side."""
    (vector,) = await service.ctx.embedder.embed([text], "document")
    await ask(
        service,
        """MATCH (p:Page {user_id: $user_id, page_id: $page_id})
           CREATE (f:Fact {user_id: $user_id, fact_id: $fact_id, text: $said, status: $status, hidden: false,
                           user_key: p.user_key, valid_from: p.event_time,
                           valid_to: datetime('9999-12-31T00:00:00Z')})
           CREATE (f)-[:DERIVED_FROM {side: 'user', quote: p.user_input, start: 0, end: size(p.user_input),
                                      origin: 'user', ends: false, stance: 'states', confidence: 0.8,
                                      holds_from: p.event_time, at: p.recorded_at}]->(p)
           WITH f CALL db.create.setNodeVectorProperty(f, 'embedding', $vector)""",
        user_id=user_id,
        page_id=page_id,
        fact_id=fact_id,
        said=text,
        status=status,
        vector=vector,
    )


async def test_a_hit_says_where_it_comes_from_and_why(memory: UserMemory) -> None:
    turn = TurnIn(user_input="I grow peonies in Bergen", assistant_response="How lovely!", id="t1")
    page_id, _ = await told(memory, turn, "The train was late")
    result = await memory.search("Where do I grow peonies?")
    best = result.hits[0]
    assert (best.id, best.kind) == (page_id, "page")
    assert best.text == "I grow peonies in Bergen\nHow lovely!"
    assert [(s.side, s.quote, s.start, s.end) for s in best.sources] == [
        ("user", "I grow peonies in Bergen", 0, 24),
        ("assistant", "How lovely!", 0, 11),
    ]
    assert set(best.parts) == {"vector", "text", "words", "around", "answer", "speaker", "length"}
    assert best.similarity is not None
    assert 0.3 < best.similarity <= 1
    assert all(hit.score == pytest.approx(sum(hit.parts.values())) for hit in result.hits)
    assert result.notes == []
    assert result.explain is None


async def test_one_embedding_and_three_statements(
    memory: UserMemory, service: MemoryService, fake_embedder: FakeEmbedder
) -> None:
    await told(memory, *(f"line {n} about the garden" for n in range(12)))
    await memory.maintain("migrate", force=True)
    connection = service.ctx.store.connection
    before = connection.statements
    fake_embedder.calls.clear()
    assert (await memory.search("what about the garden in May 2024?", explain=True)).explain
    assert connection.statements - before == 3
    assert fake_embedder.calls == [["what about the garden in May 2024?", "garden 2024"]]  # one call of the model


async def test_a_search_writes_nothing_and_counts_one_visit_for_each_segment(
    memory: UserMemory, service: MemoryService
) -> None:
    await told(memory, *(f"line {n} about the garden" for n in range(12)))
    await memory.maintain("migrate", force=True)
    before = await ask(service, "MATCH (n {user_id: $u}) RETURN count(n) AS n, max(n.version) AS v", u=memory.user_id)
    await memory.search("garden")
    await memory.search("garden")
    assert before == await ask(
        service, "MATCH (n {user_id: $u}) RETURN count(n) AS n, max(n.version) AS v", u=memory.user_id
    )
    visits = service.ctx.visits.take(memory.user_id)
    assert {row["visits"] for row in visits} == {2}


async def test_a_page_that_is_not_indexed_yet_is_found_by_its_time(memory: UserMemory) -> None:
    at = datetime(2023, 5, 3, tzinfo=UTC)
    (stored,) = await memory.remember(TurnIn(user_input="my locker", assistant_response="noted", event_time=at))
    (hit,) = (await memory.search("What did I say about the locker in May 2023?")).hits
    assert (hit.id, hit.text) == (stored.page_id, "my locker\nnoted")
    assert not {"vector", "text"} & hit.parts.keys()
    assert hit.similarity is None


async def test_case_s1_a_user_finds_nothing_of_another(memory: UserMemory, service: MemoryService) -> None:
    await told(memory, "my salary is 4711 crowns")
    other = service.user(memory.user_id + "-bo")
    assert (await other.search("salary")).hits == []
    await told(other, "I like tea")
    assert [hit.text for hit in (await other.search("salary 4711")).hits] == ["I like tea"]


@pytest.mark.parametrize("star", ["*", "a:b", "' OR 1=1 //", "${user_id}", "李雷", "a/b", "{user_id: 'x'}"])
async def test_case_s5_a_user_id_is_only_a_name(memory: UserMemory, service: MemoryService, star: str) -> None:
    await told(memory, "my salary is 4711 crowns")
    odd = service.user(star)
    assert "4711" not in " ".join(hit.text for hit in (await odd.search("salary 4711 crowns")).hits)


async def test_case_s7_the_one_own_page_is_found_among_a_thousand_near_ones(
    memory: UserMemory, service: MemoryService
) -> None:
    crowd = service.user(memory.user_id + "-crowd")
    await told(crowd, *(f"the parrot speaks {n}" for n in range(1000)))
    (own,) = await told(memory, "the parrot speaks")
    for mode in ("flat", "hybrid"):
        assert ids(await memory.search("the parrot speaks", mode=mode)) == [own]


METACHARACTERS = [
    "/b testing", "tb-", "C++", "(x)", "a AND", '"open', "foo:bar", "[a TO b]", "{x}", "a^b", "a~", "a?b*", "\\",
    "&& ||", "user_key:x^0) OR (text:*", "MATCH (n) DETACH DELETE n", "$user_id", "`p`", "' RETURN 1 //", "+ - !",
    "x\ny\tz", "word " * 2000, "different " + " ".join(f"w{n}" for n in range(2000)), "a" * 20_000,
]  # fmt: skip


@pytest.mark.parametrize("query", METACHARACTERS, ids=range(len(METACHARACTERS)))
async def test_case_s13_any_text_is_plain_words(memory: UserMemory, query: str) -> None:
    await told(memory, "testing b with foo and bar, x and C")
    result = await memory.search(query)
    assert result.query == query
    assert len(result.hits) == (0 if query in ("\\", "&& ||", "+ - !") else 1)


@pytest.mark.parametrize("query", ["", "*", "!!!", "?", " \n", "🎉"])
async def test_case_s13_a_query_without_words_finds_nothing_and_says_so(memory: UserMemory, query: str) -> None:
    await told(memory, "hello there")
    result = await memory.search(query)
    assert result.hits == []
    assert result.notes == ["the query has no words: nothing was searched"]


async def test_a_query_of_stop_words_is_answered_by_vectors_with_a_note(memory: UserMemory) -> None:
    (page_id,) = await told(memory, "this is that")
    result = await memory.search("is this that")
    assert ids(result) == [page_id]
    assert list(result.hits[0].parts) == ["vector", "length"]
    assert result.notes == ["the query has only stop words: words were not searched"]


async def test_case_x1_chinese_is_found_by_words_alone(
    memory: UserMemory, fake_embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_embedder, "_vector", lambda text: [1.0] + [0.0] * 383)  # the vectors know nothing
    peanuts, _, _ = await told(memory, "我对花生过敏", "今天下雨", "我喜欢生活")
    for question in ("花生", "你还记得我对什么过敏吗？"):
        best, *others = (await memory.search(question)).hits
        assert best.id == peanuts
        assert best.parts["text"] == pytest.approx(FOREIGN.text * TEXT_KEPT)
        assert all(hit.parts.get("text", 0) < 0.6 * best.parts["text"] for hit in others)


async def test_case_u26_a_when_question_prefers_the_named_time_of_the_event(memory: UserMemory) -> None:
    def turn(text: str, *day: int) -> TurnIn:
        return TurnIn(user_input=text, event_time=datetime(*day, tzinfo=UTC))  # type: ignore[misc,arg-type]

    pages = await told(
        memory,
        turn("we went to the lake and swam", 2023, 7, 9),
        turn("we went to the lake and swam", 2023, 8, 20),
        turn("we went to the lake and swam", 2024, 1, 5),
    )
    best = (await memory.search("When did we go to the lake in August 2023?")).hits[0]
    assert (best.id, best.event_time) == (pages[1], datetime(2023, 8, 20, tzinfo=UTC))
    assert best.parts["date"] == pytest.approx(Weights().date * MONTH)


async def test_relative_times_count_from_now(memory: UserMemory, clock: FakeClock) -> None:
    for _ in range(3):
        await memory.remember(TurnIn(user_input="we played chess"))
        clock.move(days=10)
    await memory.maintain("index")
    best = (await memory.search("who won at chess ten days ago? last week?")).hits[0]
    assert best.event_time == clock.now() - (clock.now() - datetime(2026, 3, 21, 9, tzinfo=UTC))


async def test_neighbours_of_a_good_page_come_with_it(memory: UserMemory) -> None:
    await told(memory, "shall we talk of the violin", "yes, it is old", *(f"weather {n}" for n in range(8)))
    result = await memory.search("violin")
    beside = next(hit for hit in result.hits if hit.text == "yes, it is old")
    assert beside.parts["neighbour"] > 0
    assert result.hits[1].id == beside.id


async def test_speakers_names_do_not_pull(memory: UserMemory) -> None:
    await told(memory, *(f"Ana: Ana says {n}" for n in range(6)), "Ana: the stove is blue")
    result = await memory.search("What colour is Ana's stove?", explain=True)
    assert result.hits[0].text == "Ana: the stove is blue"
    assert result.explain
    assert result.explain["names_left_out"] == ["ana"]


async def test_only_current_facts_are_found_with_their_quotes(memory: UserMemory, service: MemoryService) -> None:
    first, second = await told(memory, "I live in Oslo", "I live in Rome now")
    await write_fact(service, memory.user_id, "f-old", "lives in Oslo", first, "superseded")
    await write_fact(service, memory.user_id, "f-new", "lives in Rome", second, "current")
    result = await memory.search("Where do I live? Oslo or Rome", kinds=["fact"])
    (hit,) = result.hits
    assert (hit.id, hit.kind, hit.text) == ("f-new", "fact", "lives in Rome")
    assert [(s.page_id, s.quote, s.side) for s in hit.sources] == [(second, "I live in Rome now", "user")]
    pages = await memory.search("Where do I live?", kinds=["page"])
    assert {hit.kind for hit in pages.hits} == {"page"}
    assert next(h for h in pages.hits if h.id == second).parts["fact"] > 0
    assert {hit.kind for hit in (await memory.search("live in Rome")).hits} == {"page", "fact"}


async def test_what_a_fact_replaced_speaks_for_it(memory: UserMemory, service: MemoryService) -> None:
    old, new = await told(memory, "I live in Hamburg", TurnIn(user_input="moved to Bergen", conversation_id="later"))
    await write_fact(service, memory.user_id, "f-old", "The user lives in Hamburg.", old, "superseded")
    await write_fact(service, memory.user_id, "f-new", "The user lives in Bergen.", new, "current")
    query = """MATCH (o:Fact {user_id: $u, fact_id: 'f-old'}) MATCH (n:Fact {user_id: $u, fact_id: 'f-new'})
               CREATE (n)-[:SUPERSEDES]->(o)"""
    await ask(service, query, u=memory.user_id)
    (fact,) = (await memory.search("Where do I live?", kinds=["fact"])).hits
    (page, _) = (await memory.search("Where do I live?", kinds=["page"])).hits
    assert (fact.id, [source.page_id for source in fact.sources]) == ("f-new", [new])
    assert page.id == old
    assert fact.parts["page"] == pytest.approx(
        Weights().behind * (page.parts["vector"] + page.parts["text"] / TEXT_KEPT)
    )


async def test_hidden_and_archived_pages_are_never_found(memory: UserMemory, service: MemoryService) -> None:
    shown, hidden, archived = await told(memory, "the red kite", "the red kite flies", "the red kite again")
    for page_id, flag in ((hidden, "hidden"), (archived, "archived")):
        query = f"MATCH (p:Page {{user_id: $u, page_id: $p}}) SET p.{flag} = true"
        await ask(service, query, u=memory.user_id, p=page_id)
    for mode in ("flat", "hybrid"):
        assert ids(await memory.search("the red kite flies again", mode=mode)) == [shown]


async def test_never_silently_short_when_most_pages_may_not_be_read(memory: UserMemory, service: MemoryService) -> None:
    await memory.remember(TurnIn(user_input="first"))
    vectors = await service.ctx.embedder.embed(
        ["copper kettle", "copper kettle in a long list of other things"], "document"
    )
    await ask(
        service,
        """MATCH (u:User {user_id: $user_id}) SET u.page_seq = 1501
           WITH u UNWIND range(2, 1501) AS n
           WITH u, n, CASE WHEN n % 100 = 0 THEN 1 ELSE 0 END AS kept
           CREATE (p:Page {user_id: $user_id, user_key: u.user_key, page_id: toString(n), seq: n, session_id: 's',
             user_input: CASE kept WHEN 0 THEN 'copper kettle' ELSE 'copper kettle in a long list of other things' END,
             assistant_response: '', event_time: datetime('2024-01-01T00:00:00Z'), time_words: 0.0, archived: kept = 0,
             hidden: false, tool_text: '', tier: 'mtm'})
           SET p.text = p.user_input
           WITH p, kept CALL db.create.setNodeVectorProperty(p, 'embedding', $vectors[kept])""",
        user_id=memory.user_id,
        vectors=vectors,
    )
    expected = {str(n) for n in range(100, 1501, 100)}
    assert set(ids(await memory.search("copper kettle", mode="flat", top_k=50))) == expected
    result = await memory.search("copper kettle", top_k=50, kinds=["page"])
    assert set(ids(result)) >= expected
    assert all(hit.parts["text"] > 0 for hit in result.hits if hit.id in expected)


async def test_flat_is_vectors_only(memory: UserMemory, service: MemoryService) -> None:
    await told(memory, "a blue boat", "a green car")
    before = service.ctx.store.connection.statements
    result = await memory.search("blue boat", mode="flat")
    assert [list(hit.parts) for hit in result.hits] == [["vector"], ["vector"]]
    assert result.hits[0].text == "a blue boat"
    assert service.ctx.store.connection.statements - before == 2


async def test_top_k_counts(memory: UserMemory) -> None:
    await told(memory, *(f"note {n}" for n in range(30)))
    assert len((await memory.search("note")).hits) == 10
    assert len((await memory.search("note", top_k=25)).hits) == 25
    refused: list[dict[str, Any]] = [
        {"top_k": 0},
        {"top_k": -1},
        {"top_k": 201},
        {"mode": "best"},
        {"kinds": []},
        {"nonsense": 1},
    ]
    for wrong in refused:
        with pytest.raises(InvalidInput) as caught:
            await memory.search("note", **wrong)
        assert caught.value.field.startswith(next(iter(wrong)))


async def test_a_failing_model_is_an_error_and_not_a_poor_result(
    memory: UserMemory, fake_embedder: FakeEmbedder
) -> None:
    await told(memory, "something")
    fake_embedder.fail_next = 1
    with pytest.raises(ModelUnavailable):
        await memory.search("something")


async def test_equal_questions_give_equal_answers(memory: UserMemory) -> None:
    await told(memory, *(f"same words {n % 3}" for n in range(12)))
    first: list[Hit] = (await memory.search("same words 1")).hits
    assert first == (await memory.search("same words 1")).hits
