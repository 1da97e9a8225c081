"""What the server says of itself: its clock, and the settings that matter for texts of users."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ..errors import MemoryosError
from .connection import Connection
from .cypher_files import load

_QUERY_LOG, _PARAMETERS = "db.logs.query.enabled", "db.logs.query.parameter_logging_enabled"
_RETENTION = "db.tx_log.rotation.retention_policy"


@dataclass(frozen=True)
class PrivateSettings:
    """Whether queries are logged with their parameters, and how long transaction logs are kept; "" for not at all."""

    logs_parameters: bool
    keeps_logs: str

    @classmethod
    def of(cls, values: Mapping[str, str]) -> PrivateSettings:
        """From settings by name; what is not named is as if it was harmless."""
        logs = values.get(_QUERY_LOG, "OFF").upper() != "OFF" and values.get(_PARAMETERS) == "true"
        kept = values.get(_RETENTION, "keep_none")
        return cls(logs_parameters=logs, keeps_logs="" if kept.startswith("keep_none") or kept == "false" else kept)


async def clock_skew(connection: Connection, now: Callable[[], datetime]) -> float:
    """How many seconds the server's clock is ahead of ours; what the way there and back takes is taken off."""
    query = load("server", connection.line)["server_clock"]
    before = now()
    (row,) = await connection.statement(query.text)
    after = now()
    if row["now"] < before:
        return float((row["now"] - before).total_seconds())
    return max(0.0, float((row["now"] - after).total_seconds()))


async def private_settings(connection: Connection) -> PrivateSettings | None:
    """The settings, or None where the server does not show them, as hosted ones."""
    try:
        rows = await connection.statement(load("server", connection.line)["show_settings"].text)
    except MemoryosError:
        return None
    return PrivateSettings.of({row["name"]: str(row["value"]) for row in rows}) if rows else None
