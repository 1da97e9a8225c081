"""The sample conversation, and how it is loaded."""
