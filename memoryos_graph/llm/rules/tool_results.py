"""What tools returned, as facts about the environment: one for each call, the newest result of a page."""

from __future__ import annotations

from collections.abc import Iterator

from ...domain.claim import Claim
from ...domain.page import Page, Side
from ...domain.predicates import PREDICATES

PREDICATE = PREDICATES["returned"]
ARROW = ") → "


def tool_results(page: Page) -> Iterator[Claim]:
    """Claims whose subject is the call with its arguments and whose object is its summarised result."""
    newest: dict[str, tuple[int, str]] = {}
    start = 0
    for line in page.tool_text.split("\n"):
        call, arrow, result = line.partition(ARROW)
        if arrow and result:
            newest[call + ")"] = (start, result)
        start += len(line) + 1
    for call, (start, result) in newest.items():
        quote = f"{call} → {result}"
        yield Claim(
            page_id=page.page_id,
            side=Side.TOOL,
            quote=quote,
            start=start,
            end=start + len(quote),
            kind=PREDICATE.kind,
            subject=call,
            predicate=PREDICATE.name,
            object=result,
            text=quote,
            confidence=0.9,
        )
