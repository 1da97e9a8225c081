"""Why we think so: from a fact down to the words it came from."""

from __future__ import annotations

from ..context import Context
from ..contract import PageSource, UsedByAnswer, Why
from ..errors import NotFound
from ..store.connection import Row, Tx
from ..store.facts import fact_of, source_of
from .facts import rows_of


async def why(ctx: Context, user_id: str, fact_id: str) -> Why:
    """The tree fact → quote → page, who derived it, what it replaced, what disagrees. Raises NotFound.

    Four statements.
    """
    now = ctx.clock.now()

    async def read(tx: Tx) -> tuple[Row, Row, list[Row], list[Row]]:
        fact = next(iter(await rows_of(tx, user_id, [fact_id], None, now)), None)
        tree = await tx.one("fact_tree", user_id=user_id, fact_id=fact_id)
        if fact is None or tree is None:
            raise NotFound("there is no such fact for this user")
        replaced = await rows_of(tx, user_id, tree["replaced"], None, now)
        return fact, tree, replaced, await rows_of(tx, user_id, fact["conflicts_with"], None, now)

    fact, tree, replaced, conflicts = await ctx.store.read(user_id, read)
    pages = [_page_source(row) for row in tree["pages"]]
    return Why(
        fact=fact_of(fact),
        extractor=fact["fact"]["extractor"],
        model=fact["fact"]["model"],
        prompt_hash=fact["fact"]["prompt_hash"],
        pages=sorted(pages, key=lambda p: (p.source.event_time, p.source.page_id, p.source.start)),
        replaced=[fact_of(row) for row in replaced],
        conflicts=[fact_of(row) for row in conflicts],
        used_by_answers=sorted((UsedByAnswer(**row) for row in tree["answers"]), key=lambda a: a.at, reverse=True),
    )


def _page_source(row: Row) -> PageSource:
    rest = {name: row[name] for name in PageSource.model_fields if name != "source"}
    return PageSource(source=source_of(row), **rest)
