"""What the doctor found."""

from __future__ import annotations

from typing import Literal

from .values import Result


class Finding(Result):
    """A rule that is broken. `check` is its code, `rule` the invariant or the part it belongs to, `says` what it means;
    `id` one of our ids, or a short detail. Without `user_id` it is of the database."""

    check: str
    rule: str
    says: str
    user_id: str | None = None
    id: str = ""
    mendable: bool = False


class DoctorReport(Result):
    """What is wrong now; with `fix` after the repair, and `fixed` is what it mended. `notes` are no faults."""

    ok: bool
    users: int
    findings: list[Finding]
    left_out: int
    fixed: list[Finding]
    notes: list[str]
    scope: Literal["all", "user"]
