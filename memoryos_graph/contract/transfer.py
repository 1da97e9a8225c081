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


class PackageImported(Result):
    """What was taken over from the data folder of the published package: turns that are new, that were there already,
    and that were forgotten and stay so; new facts; and what was left out, by reason."""

    created: int
    already_there: int
    forgotten: int
    facts: int
    left_out: dict[str, int]
