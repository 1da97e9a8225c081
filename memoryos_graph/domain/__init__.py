"""Pure rules of the memory: no I/O, no await, standard library only."""
