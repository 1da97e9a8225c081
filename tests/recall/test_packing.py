"""Any items in any budget: it is kept, spans hold, and each item is shown whole or reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_graph.domain.page import Side
from memoryos_graph.llm.embedder import SentenceTransformerEmbedder
from memoryos_graph.llm.nearness import Nearness
from memoryos_graph.llm.parts import ORDER, Item, Part, Passage, memory_text
from memoryos_graph.llm.tokens import CharacterCounter, ModelCounter, TokenCounter
from memoryos_graph.recall.packing import pack

AT = datetime(2026, 3, 1, tzinfo=UTC)
SENTENCES = [
    "I like tea. ",
    "My code is 4417! ",
    "我三月搬到了卑尔根。",
    "😀🎉 ",
    'say "x"\\n\n',
    "`code[1]` ",
    "x" * 90,
    "Где? ",
]
TEXT = st.lists(st.sampled_from(SENTENCES), max_size=8).flatmap(
    lambda some: st.integers(1, 60).map(lambda times: "".join(some) * times)
)
ITEM = st.tuples(st.sampled_from(ORDER), st.booleans(), TEXT, TEXT, st.integers(0, 9))
COUNTERS: list[TokenCounter] = [CharacterCounter(), ModelCounter("m", SentenceTransformerEmbedder().tokenizer)]


def _item(n: int, part: Part, fact: bool, one: str, other: str, rank: int) -> Item:
    sides = ((Side.USER, one), (Side.ASSISTANT, other))
    passages = tuple(Passage(f"p{n}", side, 0, len(text), text, AT) for side, text in sides if text.strip())
    return Item(
        part=part,
        kind="fact" if fact else "page",
        id=str(n),
        tier="lpm" if fact else "stm",
        said_at=AT,
        passages=passages,
        text="The user likes tea." if fact else "",
        rank=rank,
    )


@pytest.mark.parametrize("counter", COUNTERS, ids=["characters", "model"])
@settings(max_examples=40, derandomize=True, database=None)
@given(given_items=st.lists(ITEM, max_size=12), budget=st.integers(200, 3000))
def test_case_u37_the_budget_is_kept_whatever_is_said(
    counter: TokenCounter, given_items: list[tuple[Part, bool, str, str, int]], budget: int
) -> None:
    items = [_item(n, *one) for n, one in enumerate(given_items)]
    wanted: dict[Part, list[Item]] = {part: [item for item in items if item.part == part] for part in ORDER}
    packed = pack(wanted, budget, Nearness("What is my code?"), counter)
    shown = [item for part in ORDER for item in packed.items[part]]
    text = memory_text([replace(item, marker=n) for n, item in enumerate(shown, 1)], [])
    assert counter.count(text) <= budget
    cuts = {cut.id: cut.reason for cut in packed.cuts}
    whole = {item.id: item for item in items}
    for item in shown:
        assert (cuts.get(item.id) == "shortened") is item.shortened
        for passage in item.passages:
            (full,) = [one for one in whole[item.id].passages if one.side == passage.side]
            assert full.text[passage.start : passage.end] == passage.text
    assert {id for id, reason in cuts.items() if reason == "left_out"} == whole.keys() - {item.id for item in shown}


def test_what_fits_is_shown_whole_and_what_does_not_by_its_nearest_words() -> None:
    long = _item(1, "evidence", False, "Nothing here. " * 500 + "My code is 4417. " + "Nothing here. " * 500, "", 1)
    short = _item(2, "recent", False, "I like tea.", "So do I.", 0)
    wanted: dict[Part, list[Item]] = {"evidence": [long], "recent": [short]}
    packed = pack(wanted, 400, Nearness("What is my code?"), CharacterCounter())
    assert packed.items["recent"] == [replace(short, marker=888)]
    (shown,) = packed.items["evidence"]
    assert "My code is 4417." in shown.words
    assert packed.tokens["1"] > 200  # what is left is used
    (cut,) = packed.cuts
    assert (cut.id, cut.reason, cut.part) == ("1", "shortened", "evidence")
    assert cut.tokens > 3000
