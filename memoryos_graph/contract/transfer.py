"""Export, import and evidence."""

from __future__ import annotations

from .values import Moment, Request, Result


class EvidenceRequest(Request):
    """When it was believed; now without."""

    known_at: Moment | None = None


class Imported(Result):
    """What an import did. `root` is the last hash of the file. Without `same_key` the file comes from a database with
    another secret key: its events and receipts can't be proved here, all else is whole."""

    root: str
    already_there: bool
    same_key: bool
    lines: int
    nodes: dict[str, int]
    relationships: dict[str, int]
