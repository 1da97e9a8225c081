"""When background work is done, and that one process does it at a time."""
