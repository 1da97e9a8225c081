"""Ask a server whether it answers: TCP first, then one statement with the password.

The supervisor and the clients start before there is a connection of the store, so the driver is used here too.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence
from typing import Any

import neo4j
from neo4j import exceptions as driver_errors

from .home import USER

DATABASE = "neo4j"
TCP_TIMEOUT_S = 0.3
OPTIONS: dict[str, Any] = {
    "telemetry_disabled": True,
    "notifications_min_severity": "OFF",
    "connection_timeout": 2,
    "connection_acquisition_timeout": 5,
    "max_transaction_retry_time": 0,
}


class PasswordRefused(Exception):
    """The server runs and does not take the password."""


def answers(port: int, password: str) -> bool:
    """Whether the server on `port` runs a statement now. Raises PasswordRefused."""
    try:
        socket.create_connection(("127.0.0.1", port), TCP_TIMEOUT_S).close()
    except OSError:
        return False
    try:
        run_statements(port, password, ["RETURN 1"])
    except driver_errors.AuthError as exc:
        raise PasswordRefused from exc
    except (driver_errors.Neo4jError, driver_errors.DriverError, OSError):
        return False
    return True


def run_statements(port: int, password: str, statements: Sequence[str]) -> None:
    """Run statements one after the other. Raises the driver's errors."""
    auth = (USER, password)
    with (
        neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{port}", auth=auth, **OPTIONS) as driver,
        driver.session(database=DATABASE) as session,
    ):
        for statement in statements:
            session.run(statement).consume()


def is_free(port: int) -> bool:
    """Whether a server could listen on this port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Java does: a closed connection is no obstacle
        with contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return True
    return False


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
