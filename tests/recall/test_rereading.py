from __future__ import annotations

import pytest

from memoryos_graph.domain.query import understand
from memoryos_graph.llm.keywords import stem
from memoryos_graph.recall import asking
from memoryos_graph.recall.fusion import Ranked
from memoryos_graph.recall.rereading import (
    ANSWER,
    AROUND,
    ASKED,
    LENGTH,
    SPEAKER,
    TEXT_KEPT,
    WORDS,
    Question,
    Reading,
    reread,
)

FULL = "so " * 100  # as long as length counts


def read(
    question: str, readings: dict[str, Reading], *, speakers: frozenset[str] = frozenset(), **parts: float
) -> dict[str, Ranked]:
    """Pages of equal parts, read once more, by id."""
    ranked = [Ranked("page", key, {"vector": 0.5, **parts}) for key in readings]
    return {r.id: r for r in reread(ranked, readings, Question.of(understand(question), speakers, question), stem)}


def page(text: str, *, before: str = "", after: str = "") -> Reading:
    return Reading(user=text, text=text, before=before, after=after)


def test_the_best_comes_first_and_what_was_not_read_keeps_its_score() -> None:
    ranked = [Ranked("page", "p1", {"vector": 0.5}), Ranked("page", "p2", {"vector": 0.45}), Ranked("page", "p3", {})]
    readings = {"p1": page("Hi!"), "p2": page("I went camping with Kim")}
    question = Question.of(understand("camping with Kim"), frozenset(), "camping with Kim")
    first, second, last = reread(ranked, readings, question, stem)
    assert [first.id, second.id, last.id] == ["p2", "p1", "p3"]
    assert first.parts["vector"] == 0.45
    assert first.parts["words"] == pytest.approx(WORDS)
    assert first.parts["around"] == pytest.approx(AROUND)
    assert last.parts == {}


def test_words_count_by_their_stem_here_and_beside_and_rare_ones_more() -> None:
    readings = {
        "both": page("we camped", after="near the lake"),
        "common": page("camping again"),
        "rare": page("a lake"),
        "other": page("the camps"),
        "none": page("a campus and a lakeside"),
    }
    words = {key: r.parts.get("around", 0.0) for key, r in read("camping at the lake", readings).items()}
    assert words["both"] == pytest.approx(AROUND)
    assert words["rare"] > words["common"] == pytest.approx(words["other"])
    assert words["none"] == 0


def test_repeated_words_count_more_the_longer_a_page_the_less_and_the_score_of_the_index_by_half() -> None:
    readings = {"twice": page("a lake, a lake"), "once": page("a lake, it was"), "long": page("a lake " + FULL)}
    found = read("the lake", readings, text=0.4)
    twice, once, long = (found[key].parts["words"] for key in readings)
    assert twice == pytest.approx(WORDS)
    assert twice > once > long > 0
    assert found["once"].parts["text"] == 0.4 * TEXT_KEPT


def test_a_stem_finds_words_that_do_not_begin_with_it() -> None:
    assert read("happiness", {"p": page("a happy day")})["p"].parts["words"] == pytest.approx(WORDS)


@pytest.mark.parametrize(
    ("question", "answers", "does_not"),
    [
        ("How many cats are there?", "there are three of them", "there are cats"),
        ("Where was the wedding?", "it was in Lisbon", "it was long"),
        ("Who came along?", "we went with Maria and Bo", "we went along"),
        ("Which book was it?", "it was “The Overstory”", "it was long"),
        ("我有几只猫？", "家里有三只猫", "家里有猫"),
        ("我住在哪里？", "我住在杭州", "我很好"),
        ("那本书叫什么？", "书名是《活着》", "书很长"),
    ],
)
def test_what_is_asked_for_is_looked_for(question: str, answers: str, does_not: str) -> None:
    found = read(question, {"yes": page(answers), "no": page(does_not)})
    assert found["yes"].parts["answer"] == ANSWER
    assert "answer" not in found["no"].parts


def test_the_names_of_those_who_talk_are_no_answer() -> None:
    found = read("Who came along?", {"p": page("thanks, Ana"), "q": page("with Kim, Ana")}, speakers=frozenset({"ana"}))
    assert "answer" not in found["p"].parts
    assert found["q"].parts["answer"] == ANSWER / 2


def test_a_question_for_nothing_of_these_gives_no_page_more() -> None:
    assert asking.answers("How do plants grow?", frozenset())("it took 3 weeks in Rome with Maria") == 0


def test_a_question_about_oneself_is_answered_by_what_the_user_says() -> None:
    readings = {
        "user": Reading(user="I moved to Bergen", text="I moved to Bergen\nNice!"),
        "assistant": Reading(user="Go on", text="Go on\nI can find flats in Bergen"),
    }
    found = read("Where do I live?", readings)
    assert found["user"].parts["speaker"] == SPEAKER
    assert "speaker" not in found["assistant"].parts
    assert "speaker" not in read("Where did I say you live?", readings)["user"].parts


def test_a_named_speaker_is_looked_for_by_the_label() -> None:
    readings = {"ana": page("Ana: I paint.\nBo: Great."), "bo": page("Ana: Do you paint?\nBo: I do.")}
    speakers = frozenset({"ana", "bo"})
    found = read("What does Ana paint?", readings, speakers=speakers)
    assert found["ana"].parts["speaker"] == SPEAKER
    assert "speaker" not in found["bo"].parts
    both = read("What do Ana and Bo paint?", readings, speakers=speakers)
    assert not any("speaker" in r.parts for r in both.values())


def test_what_follows_a_question_gets_more_of_its_neighbours_part() -> None:
    readings = {"asked": page("Oslo", before="Where do you live?"), "told": page("Oslo", before="I see.")}
    found = read("Where do I live?", readings, neighbour=0.1)
    assert found["asked"].parts["asked"] == pytest.approx(0.1 * ASKED)
    assert "asked" not in found["told"].parts


def test_greetings_are_short_and_facts_are_never_too_short() -> None:
    fact = Reading(user="", text="lives in Oslo", condensed=True)
    found = read("Oslo", {"long": page(FULL), "longer": page(FULL * 2), "hello": page("Hi Oslo"), "fact": fact})
    assert found["long"].parts["length"] == found["longer"].parts["length"] == found["fact"].parts["length"]
    assert found["fact"].parts["length"] == pytest.approx(LENGTH)
    assert found["hello"].parts["length"] < LENGTH / 2
