"""Whatever a model proposes, a claim's words are the stored ones at its place, or stand at 0 to 0."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryos_graph.domain.claim import FactKind, Sensitivity
from memoryos_graph.domain.page import Side
from memoryos_graph.domain.predicates import PREDICATES
from memoryos_graph.llm.notes import ClaimNote, QuoteNote
from memoryos_graph.llm.proposals import claims_of

from .pages import make_page

WORDS = st.sampled_from(
    ["I ", "moved ", "to ", "Bergen. ", "我住在上海。", "“é”", "e\u0301 ", "\r\n", "N/A", "👩\u200d💻 "]
)
SIDES = st.lists(WORDS, max_size=12).map("".join)
PAGES = st.lists(st.tuples(SIDES, SIDES, SIDES), min_size=1, max_size=3).map(
    lambda sides: [make_page(n, u, a, tool_text=t) for n, (u, a, t) in enumerate(sides, start=1)]
)
QUOTES = st.builds(
    QuoteNote, page=st.integers(-1, 5) | st.none(), speaker=st.sampled_from([None, *Side]), quote=SIDES | st.text()
)
NOTES = st.builds(
    ClaimNote,
    page=st.integers(-1, 5) | st.none(),
    speaker=st.sampled_from([None, *Side]),
    quote=SIDES | st.text(),
    kind=st.sampled_from([None, *FactKind]),
    predicate=st.sampled_from(["likes", "Lives in", "none", "openness", "__", "喜欢"]),
    object=st.text().map("x".__add__),
    text=st.text(),
    valid_from=st.text(max_size=12),
    more=st.lists(QUOTES, max_size=2),
)


@given(PAGES, st.lists(NOTES, max_size=4))
def test_every_quote_is_a_stored_slice_or_none(pages: list, notes: list[ClaimNote]) -> None:  # type: ignore[type-arg]
    by_id = {page.page_id: page for page in pages}
    for claim in claims_of(notes, pages):
        assert claim.predicate
        assert claim.text.strip()
        for quote in claim.quotes:
            if (quote.start, quote.end) != (0, 0):
                assert by_id[quote.page_id].side(quote.side)[quote.start : quote.end] == quote.text != ""


def test_what_a_predicate_is_about_is_not_for_a_model_to_say() -> None:
    page = make_page(1, "I am allergic to nuts.")
    note = ClaimNote(page=1, quote="allergic to nuts", predicate="Allergic to", object="nuts", kind=FactKind.KNOWLEDGE)
    (claim,) = claims_of([note], [page])
    assert (claim.predicate, claim.kind) == ("allergic_to", PREDICATES["allergic_to"].kind)
    assert (claim.sensitivity, claim.subject, claim.side) == (Sensitivity.HEALTH, "user", Side.USER)


def test_a_claim_told_twice_in_a_reply_is_one() -> None:
    page = make_page(1, "I like tea.")
    note = ClaimNote(page=1, quote="I like tea", predicate="likes", object="tea")
    assert len(claims_of([note, note.model_copy(update={"object": "Tea"})], [page])) == 1
