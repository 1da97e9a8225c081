"""The profile of a moment, its versions, and what differs between two of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from .facts import FactOut, MomentRequest
from .values import Cursor, Limit, Moment, Request, Result

MAX_VERSION = 2**31 - 1
Version = Annotated[int, Field(ge=0, le=MAX_VERSION)]


class ProfileRequest(MomentRequest):
    """Which profile: of a version, of a moment, or of now. Version 0 is the empty one before the first."""

    version: Version | None = None


class ProfileOut(Result):
    """The facts of a moment and their text. `version` is the last one written by then; `assistant` is what is known of
    the assistant and from tools, kept apart. Facts in conflict are among `facts`, with their status."""

    version: int
    as_of: datetime | None
    known_at: datetime | None
    text: str
    facts: list[FactOut]
    assistant: list[FactOut]


class ProfileDiffRequest(Request):
    """From where to where: versions, or times at which something was believed; `end` without is now."""

    start: Version | Moment
    end: Version | Moment | None = None


class ProfileDiff(Result):
    """What the later profile has and the earlier lacks, and the other way round; `text` in lines with + and -."""

    from_version: int
    to_version: int
    added: list[FactOut]
    removed: list[FactOut]
    text: str


class ProfileVersionsRequest(Request):
    """Versions, newest first."""

    limit: Limit = 50
    cursor: Cursor | None = None


class ProfileVersionOut(Result):
    """One version: when it was written, by which run, and the facts that became current or are so no longer."""

    version: int
    at: datetime
    run_id: str | None
    added: list[FactOut]
    removed: list[FactOut]


class ProfileVersionList(Result):
    items: list[ProfileVersionOut]
    next_cursor: str | None


class RollbackRequest(Request):
    """The version whose facts shall hold again."""

    version: Version


class RollbackOut(Result):
    """The new version, whose facts are those of `restored_version`; `gone` counts its facts that were forgotten."""

    version: int
    restored_version: int
    restored: list[str]
    retired: list[str]
    gone: int
