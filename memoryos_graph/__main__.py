"""`python -m memoryos_graph` is the command `memoryos`."""

from .entrypoints.cli import main

main()
