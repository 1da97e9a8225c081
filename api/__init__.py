"""The HTTP skin: names, order and defaults are those of service.py; no rule lives here."""
