"""Which versions of client and server understand each other over HTTP."""

API_PROTOCOL = 1
"""Grows when a client that knew the one before can't go on; `/api/farm` tells the server's."""
