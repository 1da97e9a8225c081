"""Conversations from elsewhere, and one user as a file."""
