"""Why we think so: from a fact down to the words it came from."""

from __future__ import annotations

from ..context import Context
from ..contract import PageSource, Source, Why
from ..errors import NotFound
from ..store.connection import Row, Tx
from ..store.records import fact_of


async def why(ctx: Context, user_id: str, fact_id: str) -> Why:
    """The tree fact → quote → page, who derived it, and what it replaced. Three statements. Raises NotFound."""

    async def read(tx: Tx) -> tuple[Row, Row, list[Row]]:
        fact = await tx.one("facts_by_ids", user_id=user_id, fact_ids=[fact_id])
        tree = await tx.one("fact_tree", user_id=user_id, fact_id=fact_id)
        if fact is None or tree is None:
            raise NotFound("there is no such fact for this user")
        return fact, tree, await tx.run("facts_by_ids", user_id=user_id, fact_ids=tree["replaced"])

    fact, tree, replaced = await ctx.store.read(user_id, read)
    pages = [_page_source(row) for row in tree["pages"]]
    return Why(
        fact=fact_of(fact),
        extractor=fact["fact"]["extractor"],
        model=fact["fact"]["model"],
        prompt_hash=fact["fact"]["prompt_hash"],
        pages=sorted(pages, key=lambda p: (p.source.event_time, p.source.page_id, p.source.start)),
        replaced=[fact_of(row) for row in replaced],
    )


def _page_source(row: Row) -> PageSource:
    source = {name: row[name] for name in Source.model_fields}
    rest = {name: row[name] for name in PageSource.model_fields if name != "source"}
    return PageSource(source=Source(**source), **rest)
