"""Which pages or facts a selector of a forget means."""

from __future__ import annotations

from dataclasses import dataclass

from ..context import Context
from ..contract import ForgetRequest
from ..contract.values import EARLIEST, LATEST
from ..domain.query import all_words, understand
from ..domain.quotes import normalised
from ..errors import NotFound
from ..llm.keywords import text_row
from ..store.connection import Row, Tx


@dataclass(frozen=True)
class Chosen:
    """What was chosen, before anything follows from it."""

    pages: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    redact: bool = False
    everything: bool = False


BATCH = 500


async def find_by_words(ctx: Context, user_id: str) -> None:
    """Let pages that were stored a moment ago be found by their words too, before anything is looked for.

    One statement when there are none.
    """
    lock = ctx.clock.new_id()

    async def bare(tx: Tx) -> list[Row]:
        return await tx.run("pages_without_text", user_id=user_id, limit=BATCH)

    while rows := await ctx.store.read(user_id, bare):
        texts = [text_row(row["page"]) for row in rows]

        async def write(tx: Tx, texts: list[Row] = texts) -> None:
            user = await tx.one("lock_user", user_id=user_id, lock=lock)
            if user is not None:
                await tx.run("write_text", user_id=user_id, user_key=user["user_key"], rows=texts)

        await ctx.store.write(user_id, write)


async def select(tx: Tx, user_id: str, user_key: str, request: ForgetRequest) -> Chosen:
    """What a request means now. One statement. Raises NotFound when it means nothing."""
    if request.facts is not None:
        rows = await tx.run("select_facts", user_id=user_id, fact_ids=request.facts)
        found = frozenset(row["fact_id"] for row in rows)
        chosen = Chosen(facts=found, redact=request.redact)
        missing = set(request.facts) - found
    else:
        rows = await _pages(tx, user_id, user_key, request)
        chosen = Chosen(pages=frozenset(row["page_id"] for row in rows), everything=request.everything)
        missing = set(request.pages or ()) - chosen.pages
    if missing or not (chosen.pages or chosen.facts or chosen.everything):
        raise NotFound("nothing of this user is meant by this selector, or not all that it names is there")
    return chosen


async def _pages(tx: Tx, user_id: str, user_key: str, request: ForgetRequest) -> list[Row]:
    if request.pages is not None:
        return await tx.run("select_pages", user_id=user_id, page_ids=request.pages)
    if request.conversation_id is not None:
        return await tx.run("select_conversation", user_id=user_id, conversation_id=request.conversation_id)
    if request.assistant_id is not None:
        return await tx.run("select_assistant", user_id=user_id, assistant_id=request.assistant_id)
    if request.query is not None:
        return await _with_words(tx, user_id, user_key, request.query)
    if request.everything:
        return await tx.run("select_everything", user_id=user_id)
    since, until = request.since or EARLIEST, request.until or LATEST
    return await tx.run("select_times", user_id=user_id, since=since, until=until)


async def _with_words(tx: Tx, user_id: str, user_key: str, query: str) -> list[Row]:
    """Pages with every word of the query, in whatever form; for a query without words those that hold it as it is."""
    lucene = all_words(user_key, understand(query).terms)
    if lucene is not None:
        return await tx.run("select_words", user_id=user_id, lucene=lucene)
    wanted = normalised(query).strip()
    rows = await tx.run("select_words", user_id=user_id, lucene=f"+user_key:{user_key}")
    return [row for row in rows if any(wanted in normalised(row[side]) for side in ("user", "assistant", "tool"))]
