"""What Neo4j's files hold of deleted things, and when that was last overwritten."""

from __future__ import annotations

from datetime import datetime

from .connection import Tx


async def residue_erased_at(tx: Tx) -> datetime | None:
    """What was deleted before this moment is in no file of the database; None when nothing was ever erased."""
    row = await tx.one("residue_erased_at")
    return row["at"] if row else None
