"""What the offline rules see in a batch: what goes on, what it is about, one line of each page."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_graph.domain.page import Page
from memoryos_graph.llm.provider import BatchReading, Continuity
from memoryos_graph.llm.rules import RulesProvider

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def unit(degrees: float) -> tuple[float, ...]:
    """A direction in the plane: pages at 0 and 90 degrees have nothing in common."""
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def page(
    number: int,
    user: str,
    assistant: str = "",
    *,
    session: str = "s",
    at: float | None = 0.0,
    words: Sequence[str] = (),
) -> Page:
    return Page(
        page_id=f"p{number}",
        seq=number,
        conversation_id="c",
        session_id=session,
        assistant_id="a",
        user_input=user,
        assistant_response=assistant,
        event_time=AT,
        recorded_at=AT,
        content_hash="",
        keywords=tuple(words),
        embedding=() if at is None else unit(at),
    )


def read(pages: Sequence[Page], *, first: Page | None = None) -> BatchReading:
    before = dict(zip([one.page_id for one in pages], [first, *pages[:-1]], strict=True))
    known = {page_id: one for page_id, one in before.items() if one is not None}
    return asyncio.run(RulesProvider().read_batch(pages, known)).value


def verdict(page: Page, before: Page) -> Continuity:
    return read([page], first=before).continuity[page.page_id]


TRIP = page(
    1, "I am planning a hiking trip to Norway with tents.", "Take warm tents and maps for the mountains of Norway."
)


def test_a_first_page_continues_nothing() -> None:
    assert read([TRIP]).continuity["p1"] == Continuity(continues=False, score=0.0)


@pytest.mark.parametrize(
    "said",
    [
        "And what about food?",
        "Yes, please.",
        "why?",
        "Tell me more",
        "That sounds expensive to me and my brother",
        "嗯",
        "那吃什么呢？",
    ],
)
def test_a_follow_up_goes_on_however_far_its_vector_is(said: str) -> None:
    assert verdict(page(2, said, at=90), TRIP).continues


def test_shared_words_go_on() -> None:
    assert verdict(page(2, "Which mountains suit beginners best in early autumn?", at=90), TRIP).continues


def test_a_new_subject_in_the_same_session_does_not_go_on() -> None:
    new = page(2, "Explain recursive functions in Python using factorial.", "A recursive function calls itself.", at=90)
    found = verdict(new, TRIP)
    assert not found.continues
    assert found.score == pytest.approx(0.0)


def test_an_announced_change_of_subject_does_not_go_on() -> None:
    assert not verdict(page(2, "By the way, explain recursive functions in Python.", at=20), TRIP).continues


def test_without_vectors_a_session_goes_on() -> None:
    assert verdict(
        page(2, "Explain recursive functions in Python.", "A function calls itself.", at=None), TRIP
    ).continues


def test_after_a_pause_the_same_subject_goes_on() -> None:
    again = page(2, "Back to the hiking trip: are tents warm enough in Norway?", session="t", at=20)
    found = verdict(again, TRIP)
    assert found.continues
    assert found.score > 0.8


def test_after_a_pause_another_subject_does_not_go_on() -> None:
    assert not verdict(
        page(2, "Good morning! And what do you think of jazz music?", session="t", at=20), TRIP
    ).continues


def test_chinese_goes_on_after_a_pause_by_its_words() -> None:
    first = page(1, "我打算去挪威徒步旅行，需要准备帐篷。", "带上保暖的帐篷和地图。")
    assert verdict(page(2, "挪威徒步的帐篷够保暖了", session="t", at=90), first).continues
    assert not verdict(page(2, "爵士音乐有哪些代表人物", session="t", at=0), first).continues


def test_pages_of_one_subject_are_one_topic_and_others_another() -> None:
    pages = [
        TRIP,
        page(2, "Which tents stay warm in the mountains of Norway?", "Tents for four seasons stay warm.", at=10),
        page(3, "Explain recursive functions in Python using factorial.", "A recursive function calls itself.", at=90),
        page(4, "Do recursive functions in Python overflow the stack?", "Recursive functions may overflow it.", at=85),
    ]
    assert [topic.page_ids for topic in read(pages).topics] == [("p1", "p2"), ("p3", "p4")]


def test_a_topic_taken_up_again_later_in_the_batch_is_one_topic() -> None:
    python = page(2, "Explain recursive functions in Python using factorial.", "A function calls itself.", at=90)
    again = page(3, "Which tents stay warm in the mountains of Norway?", "Tents for four seasons stay warm.", at=10)
    assert [topic.page_ids for topic in read([TRIP, python, again]).topics] == [("p1", "p3"), ("p2",)]


def test_a_follow_up_is_in_the_topic_before_it() -> None:
    assert [t.page_ids for t in read([TRIP, page(2, "And why?", at=90)]).topics] == [("p1", "p2")]


def test_chinese_pages_are_grouped_by_their_words() -> None:
    pages = [
        page(1, "我打算去挪威徒步旅行，需要准备帐篷。", "带上保暖的帐篷和地图。"),
        page(2, "请解释一下递归函数", "递归函数会调用自身。", at=30),
        page(3, "挪威徒步的帐篷够保暖", "四季帐篷足够保暖。", at=60),
    ]
    assert [topic.page_ids for topic in read(pages).topics] == [("p1", "p3"), ("p2",)]


def test_summary_and_keywords_are_words_of_the_pages_in_their_language() -> None:
    (topic,) = read([TRIP]).topics
    assert topic.summary == "I am planning a hiking trip to Norway with tents."
    assert set(topic.keywords) >= {"tents", "norway", "hiking", "trip", "mountains"}
    (topic,) = read([page(1, "我对花生过敏。", "好的，我会记住。")]).topics
    assert topic.summary == "我对花生过敏。"
    assert {"花生", "过敏"} <= set(topic.keywords)


def test_a_page_without_a_user_side_is_summed_up_by_the_assistants() -> None:
    reading = read([page(1, "", "The train to Oslo leaves at nine.")])
    assert reading.topics[0].summary == reading.chain_summaries["p1"] == "The train to Oslo leaves at nine."


def test_the_line_of_a_page_is_its_sentence_with_most_keywords() -> None:
    said = page(1, "Hi there! My tent leaks in the rain. Ok?", words=("tent", "rain"))
    assert read([said]).chain_summaries == {"p1": "My tent leaks in the rain."}


TEXTS = st.text(max_size=60) | st.sampled_from(
    ["", "👩🏽‍🚀" * 90, "a" * 300, "我喜欢爬山。" * 60, "Yes.", "e\u0301" * 200, "\n\n", "I like tents. " * 40]
)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from([None, 0, 40, 90]), st.sampled_from("st")), min_size=1, max_size=6)
)
@settings(max_examples=150)
def test_a_reading_covers_every_page_and_keeps_its_limits(rows: list[tuple[str, str, float | None, str]]) -> None:
    pages = [page(i, user, assistant, session=session, at=at) for i, (user, assistant, at, session) in enumerate(rows)]
    reading = read(pages)
    ids = [one.page_id for one in pages]
    assert list(reading.continuity) == ids
    assert list(reading.chain_summaries) == ids
    assert sorted(page_id for topic in reading.topics for page_id in topic.page_ids) == sorted(ids)
    for topic in reading.topics:
        assert len(topic.summary) <= 200
        assert len(topic.keywords) <= 10
        assert all(word == word.lower() for word in topic.keywords)
    assert all(len(line) <= 120 and "\n" not in line for line in reading.chain_summaries.values())
    assert read(pages) == reading
