"""Receipts of what was forgotten, and whether they still say the truth."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

from ..context import Context
from ..contract import Receipt, ReceiptCheck, ReceiptList
from ..domain.forgetting import TombstoneKeys
from ..domain.quotes import normalised
from ..errors import NotFound
from ..store.connection import Row, Tx
from ..store.residue import residue_erased_at
from .erasing import root_of

PAGES_AT_ONCE = 1_000
_SIDES = ("user", "assistant", "tool", "system", "metadata")


async def receipts(ctx: Context, user_id: str) -> ReceiptList:
    """All receipts of a user, newest first. One statement."""
    rows, erased_at = await _rows(ctx, user_id)
    return ReceiptList(items=[receipt_of(row, erased_at) for row in rows])


async def receipt(ctx: Context, user_id: str, receipt_id: str) -> Receipt:
    """One receipt; also of a user of whom everything was forgotten. Raises NotFound."""
    return receipt_of(*await _row(ctx, user_id, receipt_id))


async def _rows(ctx: Context, user_id: str) -> tuple[list[Row], datetime | None]:
    """Receipts, and when files were last freed of what had been deleted."""

    async def read(tx: Tx) -> tuple[list[Row], datetime | None]:
        rows = await tx.run("receipts_of", user_id=user_id, user_key=ctx.secret.user_key(user_id))
        return [row["receipt"] for row in rows], await residue_erased_at(tx)

    return await ctx.store.read(user_id, read)


async def _row(ctx: Context, user_id: str, receipt_id: str) -> tuple[Row, datetime | None]:
    rows, erased_at = await _rows(ctx, user_id)
    for row in rows:
        if row["receipt_id"] == receipt_id:
            return row, erased_at
    raise NotFound("there is no such receipt for this user")


def receipt_of(row: Row, erased_at: datetime | None) -> Receipt:
    """A receipt from the properties of its node, and when the residue step was last done."""
    done = erased_at is not None and erased_at >= row["at"]
    names = ("receipt_id", "at", "actor", "selector", "redact", "reason_code", "ids", "root", "out_of_reach")
    return Receipt(
        **{name: row[name] for name in names},
        reference=row.get("reference"),
        counts=json.loads(row["counts"]),
        residue="none" if done else "files",
        residue_erased_at=erased_at if done else None,
    )


async def verify(ctx: Context, user_id: str, receipt_id: str, text: str | None = None) -> ReceiptCheck:
    """Look again whether what a receipt names is absent; with `text`, whether these words are anywhere (case F19).

    `came_back` are things with an id of the receipt, turns from before it, and what was made from forgotten words;
    `said_elsewhere` pages that say the same by themselves. Raises NotFound.
    """
    row, _ = await _row(ctx, user_id, receipt_id)
    wanted = normalised(text).strip() if text else None
    seen = _Seen(set(await _by_id(ctx, user_id, row)))
    keys, told = TombstoneKeys(row["tombstone_key"]), await _contents(ctx, user_id, row)
    after = 0
    while pages := await _pages(ctx, user_id, after):
        for page in pages:
            seen.look(page, keys, told, wanted, row["begun_at"])
        after = pages[-1]["seq"]
    if wanted and not seen.elsewhere:
        derived = await _derived(ctx, user_id)
        seen.came_back |= {one["id"] for one in derived if wanted in normalised(one["text"] or "")}
    status = "came_back" if seen.came_back else "said_elsewhere" if seen.elsewhere else "absent"
    return ReceiptCheck(
        receipt_id=receipt_id,
        status=status if root_of(ctx, row) == row["root"] else "forged",  # type: ignore[arg-type]
        came_back=sorted(seen.came_back),
        said_elsewhere=sorted(seen.elsewhere - seen.came_back),
        checked=seen.checked + len(row["ids"]),
    )


@dataclass
class _Seen:
    """What a check has found so far."""

    came_back: set[str]
    elsewhere: set[str] = field(default_factory=set)
    checked: int = 0

    def look(
        self, page: Row, keys: TombstoneKeys, told: frozenset[str], wanted: str | None, begun_at: datetime
    ) -> None:
        """A page from before with forgotten content came back; a later one, or one with the words, says it anew."""
        self.checked += 1
        if told and keys.content(page["content_hash"]) in told:
            (self.came_back if page["recorded_at"] <= begun_at else self.elsewhere).add(page["page_id"])
        if wanted and any(wanted in normalised(page[side] or "") for side in _SIDES):
            self.elsewhere.add(page["page_id"])


async def _contents(ctx: Context, user_id: str, row: Row) -> frozenset[str]:
    """The keyed hashes of the turns that a receipt tells of."""

    async def read(tx: Tx) -> list[Row]:
        return await tx.run(
            "tombstones_of_run",
            user_id=user_id,
            user_key=ctx.secret.user_key(user_id),
            run_id=row["receipt_id"],
        )

    found = await ctx.store.read(user_id, read)
    return frozenset(one["content_key"] for one in found if one["content_key"])


async def _by_id(ctx: Context, user_id: str, row: Row) -> list[str]:
    async def read(tx: Tx) -> list[Row]:
        return await tx.run("came_back", user_id=user_id, run_id=row["receipt_id"], item_ids=row["ids"])

    return [found["id"] for found in await ctx.store.read(user_id, read)]


async def _pages(ctx: Context, user_id: str, after: int) -> list[Row]:
    async def read(tx: Tx) -> list[Row]:
        return await tx.run("pages_hashed", user_id=user_id, after=after, limit=PAGES_AT_ONCE)

    return await ctx.store.read(user_id, read)


async def _derived(ctx: Context, user_id: str) -> list[Row]:
    async def read(tx: Tx) -> list[Row]:
        return await tx.run("texts_derived", user_id=user_id)

    return await ctx.store.read(user_id, read)
