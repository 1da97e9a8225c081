"""One module per noun; each endpoint calls one method of the service."""
