"""The managed local Neo4j: one server per data folder, fetched once, shared by all processes of one user.

    acquire ──► lease lock (shared) ──► supervisor ──► Java
    client.py   leases.py               supervisor.py   server.py

A client holds a lease as long as it needs the server; the kernel takes it back when the process dies in any way. The
one supervisor of a folder starts Java, restarts it when it dies, and stops it when nobody held a lease for a while.
"""

from memoryos_graph.store.cypher_files import Line

from .client import ManagedServer, ServerStatus, acquire, keep, status, stop
from .erasing import Erasing
from .leases import Lease

__all__ = ["Erasing", "Lease", "Line", "ManagedServer", "ServerStatus", "acquire", "keep", "status", "stop"]
