"""Measurements on public data sets: loaded through the ordinary service, asked through the ordinary search."""
