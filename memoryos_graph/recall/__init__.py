"""Reads: finding, listing, explaining. They write nothing but visits."""
