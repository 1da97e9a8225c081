"""The ways in: the command line and the process that serves HTTP."""
