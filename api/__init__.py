"""The HTTP skin: names, order and defaults are those of user_memory.py and service.py; no rule lives here."""
